// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/input_descent.hpp>
#include <sigma/execution/input_search.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace sigma::detail {

/// "shape (10)"
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
      target_(std::move(target)), input_(static_cast<std::size_t>(input_shape_.count())), gradient_(input_.size()),
      prediction_(target_.size()), session_(program, model) {
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
        for (std::int64_t step = 0;; ++step) {
            session_.run();
            if (!std::isfinite(distance_))
                throw Error(sentence("maximise, step ", best.steps, ": expected a finite cost, found ", distance_));
            const auto now = static_cast<double>(distance_);
            const bool success = now <= options_.cost;
            const double measure = success && options_.all_steps ? now + descent.penalty() : now;
            if (success > best.success || (success == best.success && measure < least)) {
                least = measure;
                best.cost = now;
                best.success = success;
                std::ranges::copy(input_, best.input.data());
                std::ranges::copy(prediction_, best.prediction.data());
            }
            if ((success && !options_.all_steps) || step == options_.steps || halted()) break;
            descent.step(gradient_);
            ++best.steps;
        }
        if (halted()) break;
    }
    return best;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::InputSearch<float>;
template class sigma::detail::InputSearch<double>;
#endif
