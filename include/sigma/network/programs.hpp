// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/network.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/ends.hpp>

/// The programs of a network that need no optimizer. Each has a plan of its own: prediction keeps nothing for gradients.
/// Inputs come first, then one target for each cost.
namespace sigma::detail {

template <class N>
struct NetworkTrace {
    Context context;
    typename N::OutputTensors outputs;
};
template <class N>
constexpr NetworkTrace<N> trace_network(Program& p, bool training) {
    Context context(p.tape, training);
    const auto z = [&]<int... i>(std::integer_sequence<int, i...>) {
        const std::tuple x{input<N::template input_shape<i>>(p, i)...};
        return std::apply([&](auto... each) { return as_tuple(N::forward(context, each...)); }, x);
    }(std::make_integer_sequence<int, N::input_count>{});
    return {std::move(context), z};
}

/// What is minimized, Σ importance · loss, and the losses it consists of.
struct Losses {
    Variable total{};
    List<Variable> parts{};
    List<Variable> right{};  ///< where wanted: share of records classified right, of each cost
};
/// Σ importance · loss, of one loss each cost.
template <class N>
constexpr Variable total_of(Program& p, const List<Variable>& parts) {
    const List<CostRecord> costs = N::describe_costs();
    Variable total{};
    for (int i = 0; i < parts.size(); ++i) {
        const double importance = costs[i].importance;
        const Variable weighted = importance == 1 ? parts[i] : constant(&p.tape, importance) * parts[i];
        total = i == 0 ? weighted : total + weighted;
    }
    return total;
}
template <class N>
constexpr Losses trace_losses(Program& p, const NetworkTrace<N>& trace, bool count_right = false) {
    Losses losses;
    for_each_number<N::cost_count>([&](auto i) {
        using Cost = typename N::template Cost<i>;
        const auto z = std::get<i>(trace.outputs);
        const auto y = input<Cost::target>(p, N::input_count + i);
        losses.parts.push(Cost::Loss::loss(typename Cost::Self{}, z, y).variable);
        if (!count_right) return;
        if constexpr (requires { Cost::Loss::accuracy(typename Cost::Self{}, z, y); })
            losses.right.push(Cost::Loss::accuracy(typename Cost::Self{}, z, y).variable);
        else if constexpr (Cost::Loss::classifies) losses.right.push(mean(equal(argmax<-1>(z), y)).variable);
        else losses.right.push(constant(&p.tape, 0));
    });
    losses.total = total_of<N>(p, losses.parts);
    return losses;
}
/// The parts behind everything else, where the total is not the only one.
template <class N>
constexpr void add_parts(Program& p, const List<Variable>& parts) {
    if constexpr (N::cost_count > 1)
        for (const Variable& part : parts) add_output(p, part);
}

/// inputs → the prediction of each cost
template <class N>
struct PredictionProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, false);
        for_each_number<N::cost_count>([&](auto i) {
            using Cost = typename N::template Cost<i>;
            add_output(p, Cost::Loss::predict(typename Cost::Self{}, std::get<i>(trace.outputs)).variable);
        });
        for (const StatisticUpdate& u : trace.context.remembered) {
            const Shape s = p.tape[u.target].shape;
            p.assignments.push({&p.tape, p.tape.emit_unshared({Operation::assign, u.target, expand({&p.tape, u.value}, s).id, -1, s})});
        }
        return p;
    }
};

/// inputs and targets → for one cost its mean loss and the share of records classified right (0 for other losses);
/// for several the total, then both of each
template <class N>
struct EvaluationProgram {
    constexpr Program operator()() const {
        Program p;
        const Losses losses = trace_losses<N>(p, trace_network<N>(p, false), true);
        if (N::cost_count > 1) add_output(p, losses.total);
        for (int i = 0; i < N::cost_count; ++i) {
            add_output(p, N::cost_count > 1 ? losses.parts[i] : losses.total);
            add_output(p, losses.right[i]);
        }
        return p;
    }
};

/// inputs → the output of each layer. Several inputs come as one, each record's one after the other.
template <class N>
struct LayersProgram {
    constexpr Program operator()() const {
        Program p;
        Context context(p.tape, false);
        if constexpr (N::input_count == 1) {
            N::forward(context, input<N::input>(p, 0));
        } else {
            const Variable all = input<joined_inputs()>(p, 0).variable;
            const auto split = [&](auto... x) {
                int first = 0;
                return std::tuple{Tensor<x.shape>{part<x.shape>(all, first)}...};
            };
            std::apply([&](auto... x) { N::forward(context, x...); }, std::apply(split, typename N::InputTensors{}));
        }
        for (const LayerRecord& layer : context.layers) add_output(p, {&p.tape, layer.variable});
        return p;
    }

private:
    static constexpr Shape joined_inputs() {
        return std::apply([](auto... x) { return Shape{batch, (x.shape.count() + ...)}; }, typename N::InputTensors{});
    }
    template <Shape S>
    static constexpr Variable part(Variable all, int& first) {
        const int columns = static_cast<int>(S.count());
        const Variable flat = slice(all, 1, first, columns);
        first += columns;
        return reshape(flat, S);
    }
};

/// inputs and targets → total loss, the output of each layer, the gradient of each parameter, the parts of the loss
template <class N>
struct InspectionProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, false);
        const Losses losses = trace_losses<N>(p, trace);
        add_output(p, losses.total);
        for (const LayerRecord& layer : trace.context.layers) add_output(p, {&p.tape, layer.variable});
        List<Variable> parameters;
        for (const ParameterRecord& r : trace.context.parameters) parameters.push({&p.tape, r.variable});
        for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), parameters)) add_output(p, g);
        add_parts<N>(p, losses.parts);
        return p;
    }
};

}  // namespace sigma::detail
