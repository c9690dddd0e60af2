// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/purpose.hpp>
#include <sigma/plan/static_plan.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/program.hpp>

/// The programs of a network that need no optimizer. Each has a plan of its own: prediction keeps nothing for
/// gradients.
namespace sigma::detail {

template <class N>
struct NetworkTrace {
    Context context;
    typename N::OutputTensors outputs;
};
/// `first_carried` as in a Context.
template <class N>
constexpr NetworkTrace<N> trace_network(Program& p, bool training, int first_carried = -1) {
    Context context(p.tape, training);
    context.first_carried = first_carried;
    const auto z = [&]<int... i>(std::integer_sequence<int, i...>) {
        const std::tuple x{input<N::template input_shape<i>>(p, i)...};
        return std::apply([&](auto... each) { return N::forward(context, each...); }, x);
    }(std::make_integer_sequence<int, N::input_count>{});
    return {std::move(context), z};
}

/// What is minimized, Σ weight · loss, and the losses it consists of.
struct Losses {
    Variable total{};
    List<Variable> parts{};
    List<Variable> right{};  ///< where wanted: share of records classified right, of each cost
};
/// Σ weight · loss, of one loss each cost.
constexpr Variable total_of(Program& p, const List<LossRecord>& costs, const List<Variable>& parts) {
    Variable total{};
    for (int i = 0; i < parts.size(); ++i) {
        const double loss_weight = costs[i].loss_weight;
        const Variable weighted = loss_weight == 1 ? parts[i] : constant(&p.tape, loss_weight) * parts[i];
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
    losses.total = total_of(p, trace.context.losses, losses.parts);
    return losses;
}
/// The total and, of several costs, each part.
template <class N>
constexpr void add_losses(Program& p, const Losses& losses) {
    add_output(p, losses.total);
    if (N::cost_count > 1)
        for (const Variable& part : losses.parts) add_output(p, part);
}
/// How many outputs these are.
template <class N>
inline constexpr int loss_outputs = N::cost_count == 1 ? 1 : 1 + N::cost_count;

/// Is this cost a sum over the batch, to which parts of the batch contribute as they are, and not a mean?
template <class Cost>
constexpr bool is_total() {
    using Self = typename Cost::Self;
    if constexpr (requires { Self{}().options.reduction; }) return Self{}().options.reduction == Reduction::total;
    else return false;
}

/// Two more inputs weigh the losses: the share of the batch's records that these are, for means, and another for sums
/// (1 where the parts make up the batch). Returns the share.
template <class N>
constexpr Variable weigh_losses(Program& p, const NetworkTrace<N>& trace, Losses& losses) {
    const Variable share = input<Shape{}>(p, N::input_count + N::cost_count).variable;
    const Variable weight_of_sums = input<Shape{}>(p, N::input_count + N::cost_count + 1).variable;
    for_each_number<N::cost_count>([&](auto i) {
        losses.parts[i] = (is_total<typename N::template Cost<i>>() ? weight_of_sums : share) * losses.parts[i];
    });
    losses.total = total_of(p, trace.context.losses, losses.parts);
    return share;
}

/// Parameters, and where they stand among all.
struct ChosenParameters {
    List<Variable> variables{};
    List<int> numbers{};
};
constexpr ChosenParameters choose_parameters(Program& p, const Context& context, GradientsIn which) {
    ChosenParameters chosen;
    for (int i = 0; i < context.parameters.size(); ++i) {
        const ParameterRecord& r = context.parameters[i];
        if (which != GradientsIn::all && !r.trained) continue;
        chosen.variables.push({&p.tape, r.variable});
        chosen.numbers.push(i);
    }
    return chosen;
}

/// Its inputs and outputs are as the purpose says.
template <class N, Purpose purpose>
struct NetworkProgram {
    /// Training a network with a prediction of this length takes about most_fused_nodes: both are fused or neither.
    static constexpr int most_fused_nodes =
        sigma::detail::most_fused_nodes / (purpose.gradients == GradientsIn::nothing ? 3 : 1);

    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, purpose.training, purpose.predictions ? N::input_count : -1);
        Losses losses;
        if constexpr (purpose.judges()) losses = trace_losses<N>(p, trace, purpose.right);
        Variable share{};
        if constexpr (purpose.local) share = weigh_losses<N>(p, trace, losses);
        if (purpose.losses) add_losses<N>(p, losses);
        for (const Variable& right : losses.right) add_output(p, right);
        if constexpr (purpose.predictions) add_predictions(p, trace);
        if (purpose.layers)
            for (const LayerRecord& layer : trace.context.layers) add_output(p, {&p.tape, layer.variable});
        if constexpr (purpose.gradients != GradientsIn::nothing) {
            const List<Variable> of = choose_parameters(p, trace.context, purpose.gradients).variables;
            for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), of)) add_output(p, g);
        }
        if constexpr (purpose.local)
            for (const StatisticUpdate& u : trace.context.updates)
                add_output(p, share * expand({&p.tape, u.value}, p.tape[u.target].shape));
        return p;
    }

private:
    static constexpr void add_predictions(Program& p, const NetworkTrace<N>& trace) {
        for_each_number<N::cost_count>([&](auto i) {
            using Cost = typename N::template Cost<i>;
            add_output(p, Cost::Loss::predict(typename Cost::Self{}, std::get<i>(trace.outputs)).variable);
        });
        for (const CarriedState& s : trace.context.carried) add_output(p, {&p.tape, s.last});
    }
};

}  // namespace sigma::detail
