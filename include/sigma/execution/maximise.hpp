// SPDX-License-Identifier: BSL-1.0
#pragma once

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

/// Moves an input of one record down a gradient: Adam (Kingma and Ba 2015) with one second moment for all elements, the
/// mean over them. So the step does not depend on the network's scale, and an element that hardly matters hardly moves,
/// which leaves the background of pictures clean.
template <class T>
class InputDescent {
public:
    /// `shape` is that of a batch.
    InputDescent(const MaximiseOptions& options, const Shape& shape, std::span<T> input);
    /// At a random input, another for each attempt.
    void begin(std::int64_t attempt);
    /// Of decay and smoothing.
    double penalty() const;
    /// One step down the gradient of the cost and the penalties.
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
    /// Along an axis of `extent` positions, `apart` elements from each other.
    template <class F>
    void along(std::size_t extent, std::size_t apart, std::size_t from, F& f) const;
};

/// Looks for the input of one record of a network with one input. The program is to maximise a prediction.
template <class T>
class InputSearch {
public:
    /// A class as the prediction of one record; where there is one output, its value. Throws ArgumentError and
    /// ShapeError.
    static std::vector<T> target_of(const Shape& prediction, std::int64_t number);
    /// An array of as many elements as the prediction of one record, whose batch has this shape. Throws ShapeError.
    static std::vector<T> target_of(const Shape& prediction, const ArrayShape& found, const T* dense);

    InputSearch(const ModelStore<T>& model, const CompiledProgram<T>& program, int cost, std::vector<T> target,
                const MaximiseOptions& options);
    ~InputSearch();

    /// Until it succeeds, all attempts are used up, or `halted()`, while nobody changes the parameters.
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

/// What is told who looks for the input of a network that has several. Declared only, as in `tape/mistake.hpp`.
template <class Network, int inputs>
struct error_maximise_needs_a_network_with_one_input;

namespace detail {

class MadeTables;

/// an input and a target, of one record → Σ (prediction - target)², its gradient in the input, and the prediction
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

/// Of a network that is made while the program runs. Throws ArgumentError unless it has this cost and one input.
void check_maximisation(const NetworkTable& network, int cost);
template <class T>
Owned<MadeProgram<T>> made_maximisation(const MadeTables& network, int cost, int lanes);

template <class X>
concept MaximiseTarget = std::integral<X> || AnyArray<X>;

/// What the prediction shall be, as dense numbers; checked.
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

/// Searches until it succeeds, all attempts are used up, or `halted()`, while nobody changes the parameters.
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
    requires Model<N, T>::of_one_input
Maximised<T> maximise(const Model<N, T>& model, const Y& target, const MaximiseOptions& options = {}) {
    auto wanted = detail::maximise_target<cost>(model, target);
    return model.at_rest([&](const Model<N, T>& now) {
        return detail::search_input<cost>(now, std::move(wanted), options, [] { return false; });
    });
}
template <int cost = 0, AnyNetwork N, class T, detail::MaximiseTarget Y>
    requires(!Model<N, T>::of_one_input)
error_maximise_needs_a_network_with_one_input<N, N::input_count> maximise(const Model<N, T>&, const Y&,
                                                                          const MaximiseOptions& = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/input_search.ipp>
#include <sigma/execution/impl/maximise.ipp>
#endif
