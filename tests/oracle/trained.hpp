// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/step.hpp>
#include <sigma/network/model.hpp>

#include "oracle/arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <support/direct_step.hpp>

namespace sigma::test {

/// Takes parameters, inputs and targets; gives predictions, the loss of each training step, then parameters and
/// predictions.
template <class T, class N, class O>
void train(Arrays& arrays, const N& network, O optimizer, std::size_t records, std::uint64_t steps) {
    Model<N, T> model(network, 1);
    const sigma::detail::NetworkTable& table = model.network();
    for (int i = 0; i < table.parameters.size(); ++i) {
        auto parameter = model.parameter(i);
        const std::vector<T> numbers = arrays.take<T>(parameter.size());
        std::copy(numbers.begin(), numbers.end(), parameter.begin());
    }
    const std::vector<T> x = arrays.take<T>(records * static_cast<std::size_t>(table.inputs[0].count()));
    const std::vector<T> y = arrays.take<T>(records * static_cast<std::size_t>(table.costs[0].target.count()));
    std::vector<T> predicted(records * static_cast<std::size_t>(table.costs[0].prediction.count()));
    const auto predict = [&] {
        model.predict(x.data(), predicted.data(), static_cast<std::ptrdiff_t>(records));
        for (const T v : predicted) arrays.give(v);
    };
    predict();
    sigma::test::DirectStep<N, O, T> step(model);
    for (std::uint64_t number = 1; number <= steps; ++number)
        arrays.give(step(optimizer, number, x.data(), y.data(), static_cast<std::ptrdiff_t>(records)));
    for (int i = 0; i < table.parameters.size(); ++i) arrays.give(model.parameter(i));
    predict();
}

}  // namespace sigma::test
