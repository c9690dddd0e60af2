// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/philox.hpp>
#include <sigma/execution/input_descent.hpp>

#include <algorithm>
#include <cmath>

namespace sigma::detail {

template <class T>
InputDescent<T>::InputDescent(const MaximiseOptions& options, const Shape& shape, std::span<T> input)
    : options_(options), input_(input), moments_(input.size()), gradient_(input.size()) {
    rows_ = static_cast<std::size_t>(shape.rank > 1 ? shape[1] : 1);
    columns_ = static_cast<std::size_t>(shape.rank > 2 ? shape[2] : 1);
    inner_ = input.size() / (rows_ * columns_);
}

template <class T>
void InputDescent<T>::begin(std::int64_t attempt) {
    const Philox random(options_.seed, RandomUse::user, static_cast<std::uint64_t>(attempt));
    random.fill_normal(input_, T(0), static_cast<T>(options_.start_deviation));
    for (T& x : input_) x = bounded(static_cast<double>(x));
    std::ranges::fill(moments_, 0.0);
    square_ = 0;
    taken_ = 0;
}

template <class T>
double InputDescent<T>::penalty() const {
    double all = 0;
    if (options_.decay > 0)
        for (const T x : input_) all += options_.decay * static_cast<double>(x) * static_cast<double>(x);
    if (options_.smoothing > 0)
        for_each_neighbours(
            [&](std::size_t, std::size_t, double difference) { all += options_.smoothing * difference * difference; });
    return all;
}

template <class T>
void InputDescent<T>::step(std::span<const T> cost_gradient) {
    double squares = 0;
    for (std::size_t i = 0; i < input_.size(); ++i)
        gradient_[i] = static_cast<double>(cost_gradient[i]) + 2 * options_.decay * static_cast<double>(input_[i]);
    if (options_.smoothing > 0)
        for_each_neighbours([&](std::size_t i, std::size_t next, double difference) {
            gradient_[i] -= 2 * options_.smoothing * difference;
            gradient_[next] += 2 * options_.smoothing * difference;
        });
    for (const double g : gradient_) squares += g * g;
    constexpr double first = 0.9, second = 0.99;
    ++taken_;
    square_ = second * square_ + (1 - second) * squares / static_cast<double>(input_.size());
    const double corrected = square_ / (1 - std::pow(second, taken_));
    const double length = options_.rate / (1 - std::pow(first, taken_)) / (std::sqrt(corrected) + 1e-30);
    for (std::size_t i = 0; i < input_.size(); ++i) {
        moments_[i] = first * moments_[i] + (1 - first) * gradient_[i];
        input_[i] = bounded(static_cast<double>(input_[i]) - length * moments_[i]);
    }
}

template <class T>
T InputDescent<T>::bounded(double x) const {
    return static_cast<T>(std::clamp(x, options_.lowest, options_.highest));
}

template <class T>
template <class F>
void InputDescent<T>::for_each_neighbours(F f) const {
    along(rows_, columns_ * inner_, 0, f);
    for (std::size_t row = 0; row < rows_; ++row) along(columns_, inner_, row * columns_ * inner_, f);
}

template <class T>
template <class F>
void InputDescent<T>::along(std::size_t extent, std::size_t apart, std::size_t from, F& f) const {
    for (std::size_t i = from; i + apart < from + extent * apart; ++i)
        f(i, i + apart, static_cast<double>(input_[i + apart]) - static_cast<double>(input_[i]));
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::InputDescent<float>;
template class sigma::detail::InputDescent<double>;
#endif
