// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/step.hpp>
#include <sigma/network/model.hpp>

#include "oracle/arrays.hpp"

#include <algorithm>
#include <cstdint>

namespace sigma::test {

/// Takes parameters, inputs and targets; gives predictions, the loss of each training step, then parameters and
/// predictions.
template <class N, class T, class O>
void train(Arrays& arrays, O optimizer, std::size_t records, std::uint64_t steps) {
    Model<N, T> model(1);
    for (int i = 0; i < model.parameter_count; ++i) {
        auto parameter = model.parameter(i);
        const std::vector<T> numbers = arrays.take<T>(parameter.size());
        std::copy(numbers.begin(), numbers.end(), parameter.begin());
    }
    const std::vector<T> x = arrays.take<T>(records * static_cast<std::size_t>(N::input.count()));
    const std::vector<T> y = arrays.take<T>(records * static_cast<std::size_t>(N::target.count()));
    std::vector<T> predicted(records * static_cast<std::size_t>(N::predictions[0].count()));
    const auto predict = [&] {
        model.predict(x.data(), predicted.data(), static_cast<std::ptrdiff_t>(records));
        for (const T v : predicted) arrays.give(v);
    };
    predict();
    sigma::detail::Step<N, O, T> step(model);
    for (std::uint64_t number = 1; number <= steps; ++number)
        arrays.give(step(optimizer, number, x.data(), y.data(), static_cast<std::ptrdiff_t>(records)));
    for (int i = 0; i < model.parameter_count; ++i) arrays.give(model.parameter(i));
    predict();
}

}  // namespace sigma::test
