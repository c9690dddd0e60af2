// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/worker/input_descent.hpp>

#include <concepts>
#include <limits>

namespace sigma {

/// What is told who looks for the input of a network that has several. Declared only, as in `tape/errors.hpp`.
template <class Network, int inputs>
struct error_maximise_needs_a_network_with_one_input;

namespace detail {

/// an input and a target, of one record → Σ (prediction - target)², its gradient in the input, and the prediction
template <class N, int cost>
struct MaximisationProgram {
    constexpr Program operator()() const {
        using Cost = typename N::template Cost<cost>;
        Program p;
        Context context(p.tape, false);
        const auto x = input<N::input>(p, 0);
        const auto z = as_tuple(N::forward(context, x));
        const auto prediction = Cost::Loss::predict(typename Cost::Self{}, std::get<cost>(z));
        const auto target = input<Cost::prediction>(p, 1);
        const auto distance = sum(square(prediction - target));
        List<Variable> of;
        of.push(x.variable);
        const List<Variable> gradient = differentiate(distance.variable, constant(&p.tape, 1), of);
        add_output(p, distance.variable);
        add_output(p, gradient[0]);
        add_output(p, prediction.variable);
        return p;
    }
};

template <class X>
concept MaximiseTarget = std::integral<X> || AnyArray<X>;

/// What the prediction shall be, as dense numbers; checked.
template <AnyNetwork N, class T, int cost, MaximiseTarget Y>
std::vector<T> maximise_target(const Y& target) {
    constexpr Shape shape = N::template Cost<cost>::prediction;
    const auto outputs = static_cast<std::size_t>(shape.count());
    if constexpr (std::integral<Y>) {
        if (shape.rank > 2)
            throw ShapeError("target of maximise", sentence("an array of shape ", shape_text(array_extents(shape, 1, 1))), "the number of a class");
        if (outputs == 1) return {static_cast<T>(target)};
        if (std::cmp_less(target, 0) || !std::cmp_less(target, outputs))
            throw ArgumentError("target of maximise", sentence("a class from 0 to ", outputs - 1), sentence(target));
        std::vector<T> one_hot(outputs, T(0));
        one_hot[static_cast<std::size_t>(target)] = 1;
        return one_hot;
    } else {
        if (target.size() != outputs)
            throw ShapeError("target of maximise", sentence("shape ", shape_text(array_extents(shape, 1, 1))),
                             sentence("shape ", shape_text(target.shape())));
        const DenseElements<T> elements(target);
        return {elements.data(), elements.data() + outputs};
    }
}

/// Searches until it succeeds, all attempts are used up, or `halted()`, while nobody changes the parameters.
template <int cost, AnyNetwork N, class T, class Halted>
Maximised<T> search_input(const Model<N, T>& model, std::vector<T> target, const MaximiseOptions& options,
                          Halted halted) {
    check_maximise_options(options);
    constexpr Shape output = N::template Cost<cost>::prediction;
    Executor<T> executor(simd::compiled_program<Planned<MaximisationProgram<N, cost>, simd::lanes<T>>, T>);
    std::vector<T> input(static_cast<std::size_t>(N::input.count())), gradient(input.size()), prediction(target.size());
    T distance = 0;
    model.bind(executor);
    executor.bind_input(0, input.data());
    executor.bind_input(1, target.data());
    executor.bind_output(0, &distance);
    executor.bind_output(1, gradient.data());
    executor.bind_output(2, prediction.data());
    executor.prepare(1);

    Maximised<T> best{Array<T>::from_shape(array_extents(N::input, 1, 1)), Array<T>::from_shape(array_extents(output, 1, 1))};
    double least = std::numeric_limits<double>::infinity();
    InputDescent<T> descent(options, N::input, std::span<T>(input));
    for (std::int64_t attempt = 0; attempt < options.attempts && !best.success; ++attempt) {
        descent.begin(attempt);
        for (std::int64_t step = 0;; ++step) {
            executor.run();
            if (!(distance - distance == 0))
                throw Error(sentence("maximise, step ", best.steps, ": expected a finite cost, found ", distance));
            const auto now = static_cast<double>(distance);
            const bool success = now <= options.cost;
            const double measure = success && options.all_steps ? now + descent.penalty() : now;
            if (success > best.success || (success == best.success && measure < least)) {
                least = measure;
                best.cost = now;
                best.success = success;
                for (std::size_t i = 0; i < input.size(); ++i) best.input.data()[i] = input[i];
                for (std::size_t i = 0; i < prediction.size(); ++i) best.prediction.data()[i] = prediction[i];
            }
            if ((success && !options.all_steps) || step == options.steps || halted()) break;
            descent.step(gradient);
            ++best.steps;
        }
        if (halted()) break;
    }
    return best;
}

}  // namespace detail

/// The input of one record for which the network's prediction is the target, its parameters as they are: gradient
/// descent on the input (Simonyan, Vedaldi and Zisserman 2013, "Deep inside convolutional networks"). The target is the
/// number of a class, whose probability shall be 1 and all others 0, or an array of the shape of one prediction; where
/// there is one output, a whole number is its value. Of several outputs the template argument chooses one.
///
///     const auto seven = maximise(trainer.model(), 7, {.cost = 0.01, .lowest = 0, .highest = 1});
///
/// Throws ArgumentError and ShapeError where target or options make no sense. Layers are as in prediction: dropout is
/// off, and what a network remembers between predictions is not touched.
template <int cost = 0, AnyNetwork N, class T, detail::MaximiseTarget Y>
    requires(N::input_count == 1)
Maximised<T> maximise(const Model<N, T>& model, const Y& target, const MaximiseOptions& options = {}) {
    auto wanted = detail::maximise_target<N, T, cost>(target);
    return model.at_rest([&](const Model<N, T>& now) {
        return detail::search_input<cost>(now, std::move(wanted), options, [] { return false; });
    });
}
template <int cost = 0, AnyNetwork N, class T, detail::MaximiseTarget Y>
    requires(N::input_count != 1)
error_maximise_needs_a_network_with_one_input<N, N::input_count> maximise(const Model<N, T>&, const Y&,
                                                                          const MaximiseOptions& = {});

}  // namespace sigma
