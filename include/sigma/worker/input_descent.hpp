// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/worker/maximise_options.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace sigma::detail {

/// Moves an input of one record down a gradient: Adam (Kingma and Ba 2015) with one second moment for all elements, the
/// mean over them. So the step does not depend on the network's scale, and an element that hardly matters hardly moves,
/// which leaves the background of pictures clean.
template <class T>
class InputDescent {
public:
    /// `shape` is that of a batch.
    InputDescent(const MaximiseOptions& options, const Shape& shape, std::span<T> input)
        : options_(options), input_(input), moments_(input.size()), gradient_(input.size()) {
        rows_ = static_cast<std::size_t>(shape.rank > 1 ? shape[1] : 1);
        columns_ = static_cast<std::size_t>(shape.rank > 2 ? shape[2] : 1);
        inner_ = input.size() / (rows_ * columns_);
    }
    /// At a random input, another for each attempt.
    void begin(std::int64_t attempt) {
        const Philox random(options_.seed, RandomUse::user, static_cast<std::uint64_t>(attempt));
        random.fill_normal(input_, T(0), static_cast<T>(options_.start_deviation));
        for (T& x : input_) x = bounded(static_cast<double>(x));
        std::ranges::fill(moments_, 0.0);
        square_ = 0;
        taken_ = 0;
    }
    /// Of decay and smoothing.
    double penalty() const {
        double all = 0;
        if (options_.decay > 0)
            for (const T x : input_) all += options_.decay * static_cast<double>(x) * static_cast<double>(x);
        if (options_.smoothing > 0)
            for_each_neighbours([&](std::size_t, std::size_t, double difference) { all += options_.smoothing * difference * difference; });
        return all;
    }
    /// One step down the gradient of the cost and the penalties.
    void step(std::span<const T> cost_gradient) {
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

private:
    const MaximiseOptions& options_;
    std::span<T> input_;
    std::vector<double> moments_, gradient_;
    std::size_t rows_, columns_, inner_;
    double square_ = 0;
    double taken_ = 0;

    T bounded(double x) const { return static_cast<T>(std::clamp(x, options_.lowest, options_.highest)); }
    template <class F>
    void for_each_neighbours(F f) const {
        along(rows_, columns_ * inner_, 0, f);
        for (std::size_t row = 0; row < rows_; ++row) along(columns_, inner_, row * columns_ * inner_, f);
    }
    /// Along an axis of `extent` positions, `apart` elements from each other.
    template <class F>
    void along(std::size_t extent, std::size_t apart, std::size_t from, F& f) const {
        for (std::size_t i = from; i + apart < from + extent * apart; ++i)
            f(i, i + apart, static_cast<double>(input_[i + apart]) - static_cast<double>(input_[i]));
    }
};

}  // namespace sigma::detail
