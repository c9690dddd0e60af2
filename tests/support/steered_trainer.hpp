// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include <vector>

/// A small trainer for tests of hooks, and values out of a table.
namespace sigma::test {

struct SteeredNetwork : Network<Input(3) + Dense(5, tanh) + Dense(1) + SquaredDiff()> {};

inline Minibatches steered_batches(std::size_t records = 8, std::size_t size = 4) {
    Numbers x{{records, 3}, std::vector<float>(3 * records)}, y{{records, 1}, std::vector<float>(records)};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    Philox(3, RandomUse::user, 1).fill_normal(std::span(y.values));
    return minibatches(Dataset(x, y, "points"), size);
}

/// Two steps an epoch.
struct SteeredTrainer : Trainer<SteeredNetwork, Adam> {
    explicit SteeredTrainer(double rate = 0.1)
        : Trainer("hooked", {}, Adam{.learning_rate = rate}, steered_batches()) {}
    std::vector<float> parameters() {
        std::vector<float> all;
        for (int p = 0; p < model().parameter_count; ++p) {
            const auto view = model().parameter(p);
            all.insert(all.end(), view.begin(), view.end());
        }
        return all;
    }
};

/// Computes the entry of the present epoch.
template <class V>
struct FromTable : Action<FromTable<V>> {
    using Writes = Types<V>;
    std::vector<double> table;
    explicit FromTable(std::vector<double> values) : table(std::move(values)) {}
    void run(auto& context) {
        const auto at = static_cast<std::size_t>(context.counts()[Moment::epoch]) - 1;
        context.template publish<V>(at < table.size() ? table[at] : table.back());
    }
    static std::string text() { return "table"; }
};
template <class V>
auto table(V, std::vector<double> values) {
    return FromTable<V>(std::move(values));
}

}  // namespace sigma::test
