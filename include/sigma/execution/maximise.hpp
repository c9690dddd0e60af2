// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The input for which a network predicts a target: `maximise`. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/any_function.hpp>
#include <sigma/core/array.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/execution/maximise_options.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/model_session.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The descent of one record along a gradient: Adam (Kingma and Ba 2015) with a single second moment, the mean over all
/// elements. The step does not depend on the scale of the network. Elements that hardly matter hardly change, so the
/// background of pictures stays clean.
template <class T>
class InputDescent {
public:
    /// Constructs a descent. `shape` is that of a batch.
    InputDescent(const MaximiseOptions& options, const Shape& shape, std::span<T> input);
    /// Sets a random input, another one for each attempt.
    void begin(std::int64_t attempt);
    /// Returns the penalty of decay and smoothing.
    double penalty() const;
    /// Makes one step along the gradient of the cost and the penalties.
    void step(std::span<const T> cost_gradient);

private:
    const MaximiseOptions& options_;
    std::span<T> input_;
    std::vector<double> moments_, gradient_;
    std::size_t rows_, columns_, inner_;
    double square_ = 0;
    double taken_ = 0;

    T bounded(double x) const;
    template <class F>
    void for_each_neighbours(F f) const;
    // Calls f for neighbours along an axis of `extent` positions that are `apart` elements from each other.
    template <class F>
    void along(std::size_t extent, std::size_t apart, std::size_t from, F& f) const;
};

/// The search for the input of one record of a network with one input, by a program that maximises a prediction.
template <class T>
class InputSearch {
public:
    /// Returns the prediction for a class; the number itself if there is one output. Throws ArgumentError or
    /// ShapeError.
    static std::vector<T> target_of(const Shape& prediction, std::int64_t number);
    /// Returns the elements of an array in the shape of one prediction, given the shape of a batch. Throws ShapeError.
    static std::vector<T> target_of(const Shape& prediction, const ArrayShape& found, const T* dense);

    InputSearch(const ModelStore<T>& model, const CompiledProgram<T>& program, int cost, std::vector<T> target,
                const MaximiseOptions& options);
    ~InputSearch();

    /// Searches until an attempt succeeds, all attempts are used up, or `halted()` is true. Meanwhile nothing may
    /// change the parameters.
    Maximised<T> run(const AnyFunction<bool()>& halted);

private:
    const MaximiseOptions& options_;
    const Shape &input_shape_, &output_shape_;
    const bool probabilities_;
    const std::vector<T> wanted_;
    std::vector<T> target_, input_, gradient_, prediction_;
    T distance_ = 0;
    ModelSession<T> session_;
};

}  // namespace sigma::detail

namespace sigma {

/// A mistake at compile time: `maximise` is called for a network with several inputs.
template <class Network, int inputs>
struct error_maximise_needs_a_network_with_one_input;

namespace detail {

class MadeTables;

/// Traces a program: an input and a target of one record → Σ (prediction - target)², its gradient in the input, and the
/// prediction.
constexpr void trace_maximisation(Program& p, const auto& expression, int cost) {
    Context context(p.tape, false);
    trace_network(expression, context);
    Tensor prediction{};
    int number = 0;
    each_loss(expression, [&](const auto& loss) {
        if (number++ == cost) prediction = loss.predict(Tensor{context.results[cost]});
    });
    const Tensor target{input(p, prediction.shape(), 1)};
    const Tensor distance = sum(square(prediction - target));
    List<Variable> of;
    of.push(context.inputs[0]);
    const List<Variable> gradient = differentiate(distance.variable, constant(&p.tape, 1), of);
    add_output(p, distance.variable);
    add_output(p, gradient[0]);
    add_output(p, prediction.variable);
}
template <class N, int cost>
struct MaximisationProgram {
    constexpr Program operator()() const {
        Program p;
        trace_maximisation(p, N::expression, cost);
        return p;
    }
};

/// Checks a run-time network. Throws ArgumentError unless it has this cost and one input.
void check_maximisation(const NetworkTable& network, int cost);
template <class T>
Owned<MadeProgram<T>> made_maximisation(const MadeTables& network, int cost, int lanes);

template <class X>
concept MaximiseTarget = std::integral<X> || AnyArray<X>;

/// Returns the wanted prediction as dense numbers, after checking it.
template <int cost, AnyNetwork N, class T, MaximiseTarget Y>
std::vector<T> maximise_target(const Model<N, T>& model, const Y& target) {
    if constexpr (MadeNetwork<N>) check_maximisation(model.records, cost);
    const Shape& shape = model.records.costs[cost].prediction;
    if constexpr (std::integral<Y>) {
        return InputSearch<T>::target_of(shape, static_cast<std::int64_t>(target));
    } else {
        return InputSearch<T>::target_of(shape, shape_of(target), DenseElements<T>(target).data());
    }
}

/// Searches until an attempt succeeds, all attempts are used up, or `halted()` is true. Meanwhile nothing may change
/// the parameters.
template <int cost, AnyNetwork N, class T>
Maximised<T> search_input(const Model<N, T>& model, std::vector<T> target, const MaximiseOptions& options,
                          const AnyFunction<bool()>& halted) {
    if constexpr (MadeNetwork<N>) {
        const Owned<MadeProgram<T>> program = made_maximisation<T>(model.definition().made(), cost, on_cpu::lanes<T>);
        return InputSearch<T>(model, program->compiled(), cost, std::move(target), options).run(halted);
    } else {
        using P = Planned<MaximisationProgram<N, cost>, on_cpu::lanes<T>>;
        return InputSearch<T>(model, on_cpu::compiled_program<P, T, on_cpu::interprets_cold<P>()>, cost,
                              std::move(target), options)
            .run(halted);
    }
}

}  // namespace detail

/// Finds the input of one record for which the network's prediction is closest to a target.
///
/// The method is gradient descent on the input, with constant parameters (Simonyan, Vedaldi and Zisserman 2013, "Deep
/// inside convolutional networks"). Layers behave as in prediction: dropout is off, and the state of stateful layers is
/// not used and not changed. It does not compile for a network with several inputs.
/// @tparam cost    number of the output, from 0 (default: the first)
/// @param model    model to search
/// @param target   number of a class, which means a probability of 1 for this class and 0 for all others; with one
///     output its value; or an array of the shape of one prediction
/// @param options  steps, bounds and penalties of the search
/// @return the input, its prediction and cost, and whether the search succeeded
/// @throws ArgumentError  if an option or the class is out of its range
/// @throws ShapeError     if the target does not have the shape of one prediction
///
/// @par Example
/// @code
/// const auto seven = maximise(model, 7, {.cost = 0.01, .lowest = 0, .highest = 1});
/// std::printf("%g after %d steps\n", seven.cost, int(seven.steps));
/// @endcode
///
/// @see MaximiseOptions, Maximised, draw_maximised
template <int cost = 0, AnyNetwork N, class T, detail::MaximiseTarget Y>
    requires Model<N, T>::of_one_input
Maximised<T> maximise(const Model<N, T>& model, const Y& target, const MaximiseOptions& options = {}) {
    auto wanted = detail::maximise_target<cost>(model, target);
    return model.at_rest([&](const Model<N, T>& now) {
        return detail::search_input<cost>(now, std::move(wanted), options, [] { return false; });
    });
}
/// @cond internal
template <int cost = 0, AnyNetwork N, class T, detail::MaximiseTarget Y>
    requires(!Model<N, T>::of_one_input)
error_maximise_needs_a_network_with_one_input<N, N::input_count> maximise(const Model<N, T>&, const Y&,
                                                                          const MaximiseOptions& = {});
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/input_search.ipp>
#include <sigma/execution/impl/maximise.ipp>
#endif
