// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/over_workers.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sigma::detail {

/// Returns the number of a value for one worker. One derived value serves all workers, one after the other.
inline double value_of_worker(const ValueHandle& source, TrainerView& worker) {
    Derived* const derived = source.derived();
    if (source.record().kind == ValueRecord::Kind::computed) {
        const ComputedValue found = worker.find_computed_in_worker(source.record());
        return found.slot ? double{found.slot->value} : not_seen;
    }
    if (derived == nullptr) return source.record().read(worker);
    derived->restart();  // removes the state of another worker
    const double x = derived->read(worker);
    derived->restart();
    return x;
}

struct OverWorkersNode {
    ValueHandle source{};
    OverWorkers how{};
    int reading = 0;

    void prepare(TrainerParameters& trainer) {
        bool found = source.record().kind != ValueRecord::Kind::computed;
        trainer.for_each_worker([&](TrainerView& worker) {
            if (!found) found = static_cast<bool>(worker.find_computed_in_worker(source.record()).slot);
        });
        if (!found)
            throw ArgumentError(sentence("value '", text(), "'"),
                                "a hook of an earlier in_each_worker that computes it", "hooks that do not compute it");
        reading = trainer.add_reading([from = source](TrainerView& worker) { return value_of_worker(from, worker); });
    }
    static void update(HookContext&) {}
    double read(TrainerParameters& trainer) {
        double result = not_seen;
        int count = 0;
        for (const double x : trainer.read_of_workers(reading)) {
            if (std::isnan(x)) continue;
            if (count++ == 0) result = x;
            else if (how == OverWorkers::maximum) result = std::max(result, x);
            else if (how == OverWorkers::minimum) result = std::min(result, x);
            else result += x;
        }
        return how == OverWorkers::mean ? result / count : result;
    }
    void visit_values(const ValueVisitor& f) {
        if (source.derived() != nullptr) f(source);
    }
    std::string text() const {
        constexpr const char* words[] = {"mean", "sum", "maximum", "minimum"};
        return sentence(words[static_cast<int>(how)], "_over_workers(", source.text(), ")");
    }
};

SIGMA_IMPL SharedOwner<Derived> make_over_workers(const ValueHandle& source, OverWorkers how) {
    return make_value(OverWorkersNode{source, how});
}

}  // namespace sigma::detail
