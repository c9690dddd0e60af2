// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/execution/maximise.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
    constexpr double wider[] = {1, 10, 100, 1000};
    const double deviation = options_.start_deviation * wider[attempt / 2 % 4];
    random.fill_normal(input_, T(0), static_cast<T>(deviation));
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

/// Returns "shape (10)", the shape of one record.
SIGMA_IMPL std::string text_of_one(const Shape& batch) {
    return sentence("shape ", shape_text(array_extents(batch, 1, 1)));
}

template <class T>
std::vector<T> InputSearch<T>::target_of(const Shape& prediction, std::int64_t number) {
    const long long outputs = prediction.count();
    if (prediction.rank > 2)
        throw ShapeError("target of maximise", "an array of " + text_of_one(prediction), "the number of a class");
    if (outputs == 1) return {static_cast<T>(number)};
    if (number < 0 || number >= outputs)
        throw ArgumentError("target of maximise", sentence("a class from 0 to ", outputs - 1), sentence(number));
    std::vector<T> one_hot(static_cast<std::size_t>(outputs), T(0));
    one_hot[static_cast<std::size_t>(number)] = 1;
    return one_hot;
}

template <class T>
std::vector<T> InputSearch<T>::target_of(const Shape& prediction, const ArrayShape& found, const T* dense) {
    if (static_cast<long long>(array_count(found)) != prediction.count())
        throw ShapeError("target of maximise", text_of_one(prediction), sentence("shape ", shape_text(found)));
    return {dense, dense + prediction.count()};
}

template <class T>
InputSearch<T>::InputSearch(const ModelStore<T>& model, const CompiledProgram<T>& program, int cost,
                            std::vector<T> target, const MaximiseOptions& options)
    : options_(options), input_shape_(model.network().inputs[0]), output_shape_(model.network().costs[cost].prediction),
      probabilities_(model.network().costs[cost].probabilities), wanted_(std::move(target)), target_(wanted_),
      input_(static_cast<std::size_t>(input_shape_.count())), gradient_(input_.size()), prediction_(target_.size()),
      session_(program, model) {
    check_maximise_options(options);
    const T *const input = input_.data(), *const wanted = target_.data();
    session_.bind_records({&input, 1}, {&wanted, 1});
    session_.bind_output(0, &distance_);
    session_.bind_output(1, gradient_.data());
    session_.bind_output(2, prediction_.data());
    session_.prepare(1);
}
template <class T>
InputSearch<T>::~InputSearch() = default;

template <class T>
Maximised<T> InputSearch<T>::run(const AnyFunction<bool()>& halted) {
    Maximised<T> best{Array<T>::from_shape(array_extents(input_shape_, 1, 1)),
                      Array<T>::from_shape(array_extents(output_shape_, 1, 1))};
    double least = std::numeric_limits<double>::infinity();
    InputDescent<T> descent(options_, input_shape_, std::span<T>(input_));
    for (std::int64_t attempt = 0; attempt < options_.attempts && !best.success; ++attempt) {
        descent.begin(attempt);
        // Σ (prediction - target)² has valleys in which wrong classes share the probability 1, such as (½, ½, 0) for
        // (0, 0, 1). Every other attempt only raises probabilities that are too small. The others follow, because the
        // sum is 1.
        const bool raises = probabilities_ && attempt % 2 == 1;
        target_ = wanted_;
        double least_here = std::numeric_limits<double>::infinity();
        std::int64_t better_at = 0;
        for (std::int64_t step = 0;; ++step) {
            session_.run();
            if (!std::isfinite(distance_))
                throw Error(sentence("maximise, step ", best.steps, ": expected a finite cost, found ", distance_));
            auto now = static_cast<double>(distance_);
            if (raises) {
                now = 0;  // distance_ refers to the targets of this step
                for (std::size_t k = 0; k < wanted_.size(); ++k) {
                    const T missing = wanted_[k] - prediction_[k];
                    now += static_cast<double>(missing) * static_cast<double>(missing);
                    target_[k] = prediction_[k] + std::max(missing, T(0));  // for the next step
                }
            }
            const bool success = now <= options_.cost;
            const double measure = success && options_.all_steps ? now + descent.penalty() : now;
            if (success > best.success || (success == best.success && measure < least)) {
                least = measure;
                best.cost = now;
                best.success = success;
                std::ranges::copy(input_, best.input.data());
                std::ranges::copy(prediction_, best.prediction.data());
            }
            if (now < 0.99 * least_here) {
                least_here = now;
                better_at = step;
            }
            // Another start is better than a saturated prediction or a valley without a way out.
            constexpr std::int64_t patience = 200;
            const bool flat = !raises && step - better_at >= patience;  // raising from nearly 0 shows late
            if ((!options_.all_steps && (success || flat)) || step == options_.steps || halted()) break;
            if (raises && step == 0) continue;  // the targets of the first step are known only now
            descent.step(gradient_);
            ++best.steps;
        }
        if (halted()) break;
    }
    return best;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::InputDescent);
SIGMA_INSTANTIATE(class sigma::detail::InputSearch);
