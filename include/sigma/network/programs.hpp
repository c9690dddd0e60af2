// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/function.hpp>
#include <sigma/network/network.hpp>

/// The programs of a network that need no optimizer. Each has a plan of its own: prediction keeps nothing for gradients.
namespace sigma::detail {

template <class N>
struct NetworkTrace {
    Context context;
    Tensor<N::output> output;
};
template <class N>
constexpr NetworkTrace<N> trace_network(Program& p, bool training) {
    Context context(p.tape, training);
    const auto x = input<N::input>(p, 0);
    const auto z = N::forward(context, x);
    return {context, z};
}

/// input 0 → prediction
template <class N>
struct PredictionProgram {
    constexpr Program operator()() const {
        Program p;
        add_output(p, N::Loss::predict(typename N::LossSelf{}, trace_network<N>(p, false).output).variable);
        return p;
    }
};

/// inputs 0 and targets 1 → mean loss, share of records classified right (0 for other losses)
template <class N>
struct EvaluationProgram {
    constexpr Program operator()() const {
        Program p;
        const auto z = trace_network<N>(p, false).output;
        const auto y = input<N::target>(p, 1);
        add_output(p, N::Loss::loss(typename N::LossSelf{}, z, y).variable);
        if constexpr (N::Loss::classifies) add_output(p, mean(equal(argmax<1>(z), y)).variable);
        else add_output(p, constant(&p.tape, 0));
        return p;
    }
};

/// input 0 → the output of each layer
template <class N>
struct LayersProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, false);
        for (const LayerRecord& layer : trace.context.layers) add_output(p, {&p.tape, layer.variable});
        return p;
    }
};

/// inputs 0 and targets 1 → mean loss, the output of each layer, the gradient of each parameter
template <class N>
struct InspectionProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, false);
        const auto loss = N::Loss::loss(typename N::LossSelf{}, trace.output, input<N::target>(p, 1));
        add_output(p, loss.variable);
        for (const LayerRecord& layer : trace.context.layers) add_output(p, {&p.tape, layer.variable});
        List<Variable> parameters;
        for (const ParameterRecord& r : trace.context.parameters) parameters.push({&p.tape, r.variable});
        for (const Variable& g : differentiate(loss.variable, constant(&p.tape, 1), parameters)) add_output(p, g);
        return p;
    }
};

}  // namespace sigma::detail
