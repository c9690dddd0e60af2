// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/debug/device.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/plan/planned_now.hpp>
#include <sigma/tape/interpreter.hpp>

#include <algorithm>
#include <utility>

namespace sigma {

SIGMA_IMPL OperationError::OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                                          debugging::NonFiniteOrigin origin_)
    : NumericError(iteration_, layer_, what), origin(std::move(origin_)) {}

namespace detail {

/// The layer of a node, or the parameter with the gradient or update that the node belongs to.
struct OperationPlace {
    std::string layer, phase;
};
SIGMA_IMPL OperationPlace place_of(const NetworkTable& network, const Program& program, ListView<LayerRecord> layers,
                                   int node) {
    const Node& n = program.tape[node];
    const auto name_of = [&](std::uint64_t parameter) {
        const int i = static_cast<int>(parameter), behind = i - network.parameters.size();
        return behind < 0 ? network.parameters[i].name.view() : network.hyperparameters[behind].name.view();
    };
    const auto layer_of = [](std::string_view parameter) {
        return std::string(parameter.substr(0, parameter.find('.')));
    };
    if (n.operation == Operation::parameter)
        return {layer_of(name_of(n.attribute)), sentence("'", name_of(n.attribute), "': ")};
    for (const LayerRecord& layer : layers)
        if (layer.first_node <= node && node < layer.end_node) return {std::string(layer.name.view()), ""};
    const Node& output = program.tape[program.outputs[0].id];  // there may be a copy after the gradients
    const int total = output.operation == Operation::copy ? output.a : program.outputs[0].id;
    if (program.assignments.empty() || node <= total) return {"", "after the last layer, "};
    // Gradients flow from the last layer to the first: the last parameter that depends on the node is the nearest.
    std::vector<char> depends(static_cast<std::size_t>(program.tape.size()), 0);
    depends[static_cast<std::size_t>(node)] = 1;
    int nearest = -1;
    for (int k = 0; k < 2 * program.tape.size(); ++k) {  // twice, for the states of loops
        const int i = k % program.tape.size();
        const Node& x = program.tape[i];
        if (x.operation == Operation::advance && depends[static_cast<std::size_t>(x.b)])
            depends[static_cast<std::size_t>(x.a)] = 1;
        for (int o : {x.operation == Operation::assign ? -1 : x.a, x.b, x.c})
            if (o >= 0 && depends[static_cast<std::size_t>(o)]) depends[static_cast<std::size_t>(i)] = 1;
        if (x.operation != Operation::assign || !depends[static_cast<std::size_t>(i)]) continue;
        const Node& target = program.tape[x.a];
        if (target.operation == Operation::parameter) nearest = std::max(nearest, static_cast<int>(target.attribute));
    }
    if (nearest < 0) return {"", "in the update, "};
    const std::string_view full = name_of(static_cast<std::uint64_t>(nearest));
    return {layer_of(full), sentence("in the gradient or update of '", full, "', ")};
}

SIGMA_IMPL debugging::Report operation_error(const NetworkTable& network, ListView<LayerRecord> layers) {
    return [&network, layers](const Program& program, std::uint64_t step, const debugging::NonFiniteOrigin& origin) {
        const auto [layer, phase] = place_of(network, program, layers, origin.node);
        throw OperationError(step, layer, phase + origin.text, origin);
    };
}

template <class T>
std::vector<T> debug_prediction(const ModelStore<T>& model, const Program& program, ListView<LayerRecord> layers,
                                Rows<T> inputs, std::ptrdiff_t records) {
    DebugDevice device(operation_error(model.network(), layers));
    PlanView alone;
    alone.lanes = model.lanes(), alone.element = element_type<T>;
    const auto run = device.make_program({alone, &program});
    for (std::size_t i = 0; i < inputs.size(); ++i)
        run->bind(Buffer::Where::input, static_cast<int>(i), const_cast<T*>(inputs[i]));
    const ListView<CarriedState> states = model.network().states;
    typename Streams<T>::Batch carried;  // the model's states do not change
    model.remembered().require(records);
    model.remembered().begin(states, records, carried);
    for (int i = 0; i < states.size(); ++i) {
        const auto number = static_cast<std::size_t>(i);
        run->bind(Buffer::Where::input, model.network().inputs.size() + i, carried.before[number].data());
        run->bind(Buffer::Where::output, model.network().costs.size() + i, carried.after[number].data());
    }
    std::vector<std::vector<T>> parameters;
    for (int p = 0; p < model.dual_buffer().count(); ++p) {
        const T* const from = model.parameter_data(p);
        parameters.emplace_back(from, from + model.dual_buffer().size(p));
        run->bind(Buffer::Where::parameter, p, parameters.back().data());
    }
    const Shape& shape = program.tape[program.outputs[0].id].shape;
    std::vector<T> result(static_cast<std::size_t>(debugging::Extents(shape, records).count()));
    run->bind(Buffer::Where::output, 0, result.data());
    const StepCounters counters{model.seed(), 0, 0};
    run->bind_counters(&counters);
    run->prepare(records);
    run->run();
    return result;
}

template <class T>
std::vector<std::vector<T>> debug_values(const ModelStore<T>& model, const NetworkTape& network, Rows<T> inputs,
                                         Rows<T> targets, std::ptrdiff_t records) {
    const Program program = program_of({network.nodes, network.loops, {}, {}});
    const Tape& tape = program.tape;
    debugging::Bindings<T> bound;
    for (int p = 0; p < model.network().parameters.size(); ++p)
        bound.parameters.push_back(dense_elements(parameter_rows(model, p)));
    for (int p = model.network().parameters.size(); p < model.dual_buffer().count(); ++p)
        bound.parameters.push_back({*model.parameter_data(p)});
    bound.inputs.resize(inputs.size() + targets.size());
    for (int i = 0; i < tape.size(); ++i) {
        const Node& n = tape[i];
        const auto number = static_cast<std::size_t>(n.attribute);
        if (n.operation != Operation::input || number >= bound.inputs.size()) continue;
        const T* const from = number < inputs.size() ? inputs[number] : targets[number - inputs.size()];
        bound.inputs[number].assign(from, from + debugging::Extents(n.shape, records).count());
    }
    bound.uniform = [seed = model.seed()](std::uint64_t stream, long long row, long long column) {
        return debugging::uniform_at<T>(seed, 0, stream, row, column);
    };
    return debugging::Interpreter<T>(tape, bound, records).run();
}

}  // namespace detail
}  // namespace sigma

#ifdef SIGMA_COMPILED
template std::vector<float> sigma::detail::debug_prediction(const ModelStore<float>&, const Program&,
                                                            ListView<LayerRecord>, Rows<float>, std::ptrdiff_t);
template std::vector<std::vector<float>> sigma::detail::debug_values(const ModelStore<float>&, const NetworkTape&,
                                                                     Rows<float>, Rows<float>, std::ptrdiff_t);
template std::vector<double> sigma::detail::debug_prediction(const ModelStore<double>&, const Program&,
                                                             ListView<LayerRecord>, Rows<double>, std::ptrdiff_t);
template std::vector<std::vector<double>> sigma::detail::debug_values(const ModelStore<double>&, const NetworkTape&,
                                                                      Rows<double>, Rows<double>, std::ptrdiff_t);
#endif
