// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/over_workers.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sigma::detail {

struct OverWorkersNode {
    ValueHandle source{};
    OverWorkers how{};

    bool is_computed() const { return source.record().kind == ValueRecord::Kind::computed; }
    void prepare(TrainerParameters& trainer) const {
        bool found = !is_computed();
        trainer.for_each_worker([&](TrainerView& worker) {
            if (!found) found = static_cast<bool>(worker.find_computed_in_worker(source.record()).slot);
        });
        if (!found)
            throw ArgumentError(sentence("value '", text(), "'"),
                                "one that a hook of an earlier in_each_worker computes", "one that none does");
    }
    static void update(HookContext&) {}
    double read(TrainerParameters& trainer) {
        double result = not_seen;
        int count = 0;
        trainer.for_each_worker([&](TrainerView& worker) {
            const double x = of(worker);
            if (std::isnan(x)) return;
            if (count++ == 0) result = x;
            else if (how == OverWorkers::maximum) result = std::max(result, x);
            else if (how == OverWorkers::minimum) result = std::min(result, x);
            else result += x;
        });
        if (source.derived() != nullptr) source.derived()->restart();  // of whoever reads it next
        return how == OverWorkers::mean ? result / count : result;
    }
    double of(TrainerView& worker) const {
        Derived* const derived = source.derived();
        if (is_computed()) {
            const ComputedValue found = worker.find_computed_in_worker(source.record());
            return found.slot ? double{found.slot->value} : not_seen;
        }
        if (derived == nullptr) return source.record().read(worker);
        derived->restart();  // it keeps what it has read of another
        return derived->read(worker);
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
