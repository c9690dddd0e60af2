// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/worker/gradients_core.hpp>

namespace sigma {

namespace detail {

/// inputs and targets → the gradient of the loss in each parameter that is trained, as a training step computes it:
/// with dropout, and without changing anything.
template <class N>
struct GradientProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, true);
        const Losses losses = trace_losses<N>(p, trace);
        List<Variable> parameters;
        for (const ParameterRecord& r : trace.context.parameters)
            if (r.trained) parameters.push({&p.tape, r.variable});
        for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), parameters)) add_output(p, g);
        return p;
    }
};

template <class N, class T>
inline constexpr auto* gradient_program = &simd::compiled_program<Planned<GradientProgram<N>, simd::lanes<T>>, T>;

}  // namespace detail

/// The gradients of the loss in the parameters, on one batch. Several threads may each have one of their own on the
/// same model.
template <AnyNetwork N, class T>
class Gradients : public detail::GradientsCore<T> {
    using M = Model<N, T>;
    using Core = detail::GradientsCore<T>;

public:
    explicit Gradients(const M& model) : Core(model, *detail::gradient_program<N, T>) {}

    /// As an array: `of<"1-dense.weights">()`. Valid until the next run.
    template <Text name>
    ArrayView<T> of() {
        constexpr int i = M::find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        static_assert(i < 0 || M::records.parameters[i < 0 ? 0 : i].trained, "this parameter is a statistic, which is not trained");
        return Core::array_of(i);
    }
};

}  // namespace sigma
