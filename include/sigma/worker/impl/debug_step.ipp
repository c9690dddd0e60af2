// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/device/debug/inspector.hpp>
#include <sigma/worker/debug_step.hpp>

#include <algorithm>
#include <cmath>

namespace sigma {

SIGMA_IMPL OperationError::OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                                          debugging::Offence offence_)
    : NumericError(iteration_, layer_, what), offence(std::move(offence_)) {}

namespace detail {

/// The programs of a network, one operation after the other in plain loops, each result checked. Slow, and within
/// rounding what other devices compute.
template <class T>
class DebugRunner {
public:
    explicit DebugRunner(const ModelStore<T>& model) : model_(model) {}

    /// Inputs by number, dense, as many as are given; `scalars` are the inputs after them. Returns all that was
    /// computed. Throws OperationError. `number` is that of the step, 0 outside of training; `layers` are those that
    /// the program's nodes belong to.
    debugging::Interpretation<T> run(const Program& program, ListView<LayerRecord> layers, Rows<T> inputs,
                                     std::span<const double> scalars, std::vector<std::vector<T>> states,
                                     std::ptrdiff_t records, std::uint64_t number) const;
    /// What a network computes in prediction, unchecked: the value of each node.
    std::vector<std::vector<T>> values(const NetworkTape& network, Rows<T> inputs, Rows<T> targets,
                                       std::ptrdiff_t records) const;

private:
    const ModelStore<T>& model_;

    debugging::Bindings<T> bindings(const Tape& tape, Rows<T> inputs, std::ptrdiff_t records,
                                    std::uint64_t number) const;

    struct Place {
        std::string layer, phase;
    };
    /// The layer that wrote a node, or the parameter whose gradient or update it belongs to.
    Place place_of(const Program& program, ListView<LayerRecord> layers, int node) const;
};

/// The random number that the other devices draw there: see simd::fill_uniform.
template <class T>
T uniform_at(std::uint64_t seed, std::uint32_t step, std::uint64_t stream, long long row, long long column) {
    constexpr auto use = static_cast<std::uint32_t>(RandomUse::dropout) << 24;
    const auto counter = static_cast<std::uint32_t>(column / 32 * 8 + column % 8);
    const Philox::Block block =
        Philox::philox4x32({counter, static_cast<std::uint32_t>(row), step, use | static_cast<std::uint32_t>(stream)},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return static_cast<T>(block[static_cast<std::size_t>(column % 32 / 8)] >> 8) * static_cast<T>(0x1p-24);
}

template <class T>
debugging::Bindings<T> DebugRunner<T>::bindings(const Tape& tape, Rows<T> inputs, std::ptrdiff_t records,
                                                std::uint64_t number) const {
    debugging::Bindings<T> all;
    for (int p = 0; p < model_.network().parameters.size(); ++p)
        all.parameters.push_back(dense_elements(parameter_rows(model_, p)));
    all.inputs.resize(inputs.size());
    for (int i = 0; i < tape.size(); ++i) {
        const Node& n = tape[i];
        if (n.operation != Operation::input || n.attribute >= inputs.size()) continue;
        const T* from = inputs[static_cast<std::size_t>(n.attribute)];
        all.inputs[static_cast<std::size_t>(n.attribute)].assign(from,
                                                                 from + debugging::Extents(n.shape, records).count());
    }
    all.uniform = [seed = model_.seed(), number](std::uint64_t stream, long long row, long long column) {
        return uniform_at<T>(seed, static_cast<std::uint32_t>(number), stream, row, column);
    };
    return all;
}

template <class T>
debugging::Interpretation<T> DebugRunner<T>::run(const Program& program, ListView<LayerRecord> layers, Rows<T> inputs,
                                                 std::span<const double> scalars, std::vector<std::vector<T>> states,
                                                 std::ptrdiff_t records, std::uint64_t number) const {
    auto bound = bindings(program.tape, inputs, records, number);
    for (double s : scalars) bound.inputs.push_back({static_cast<T>(s)});
    bound.states = std::move(states);
    auto result = debugging::interpret(program, bound, records, true);
    if (auto offence = debugging::Inspector<T>(program, result, records).first()) {
        const auto [layer, phase] = place_of(program, layers, offence->node);
        throw OperationError(number, layer, phase + offence->text, *offence);
    }
    return result;
}

template <class T>
std::vector<std::vector<T>> DebugRunner<T>::values(const NetworkTape& network, Rows<T> inputs, Rows<T> targets,
                                                   std::ptrdiff_t records) const {
    Tape tape;
    for (const Loop& loop : network.loops) tape.add_loop(loop);
    for (const Node& n : network.nodes) tape.emit_unshared(n);
    std::vector<const T*> data(inputs.begin(), inputs.end());
    data.insert(data.end(), targets.begin(), targets.end());
    const auto bound = bindings(tape, data, records, 0);
    return debugging::Interpreter<T>(tape, bound, records).run();
}

template <class T>
typename DebugRunner<T>::Place DebugRunner<T>::place_of(const Program& program, ListView<LayerRecord> layers,
                                                        int node) const {
    const Node& n = program.tape[node];
    const auto name_of = [&](std::uint64_t parameter) {
        return model_.network().parameters[static_cast<int>(parameter)].name.view();
    };
    const auto layer_of = [](std::string_view parameter) {
        return std::string(parameter.substr(0, parameter.find('.')));
    };
    if (n.operation == Operation::parameter)
        return {layer_of(name_of(n.attribute)), sentence("'", name_of(n.attribute), "': ")};
    for (const LayerRecord& layer : layers)
        if (layer.first_node <= node && node < layer.end_node) return {std::string(layer.name.view()), ""};
    const Node& output = program.tape[program.outputs[0].id];  // a copy stands behind the gradients
    const int total = output.operation == Operation::copy ? output.a : program.outputs[0].id;
    if (program.assignments.empty() || node <= total) return {"", "after the last layer, "};
    // Gradients flow from the last layer to the first: of all parameters that depend on the node the last is nearest.
    std::vector<char> depends(static_cast<std::size_t>(program.tape.size()), 0);
    depends[static_cast<std::size_t>(node)] = 1;
    int nearest = -1;
    for (int k = 0; k < 2 * program.tape.size(); ++k) {  // twice, for what loops carry
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

template <class T>
std::vector<T> debug_prediction(const ModelStore<T>& model, const Program& program, ListView<LayerRecord> layers,
                                Rows<T> inputs, std::ptrdiff_t records) {
    return DebugRunner<T>(model).run(program, layers, inputs, {}, {}, records, 0).outputs[0];
}

template <class T>
std::vector<std::vector<T>> debug_values(const ModelStore<T>& model, const NetworkTape& network, Rows<T> inputs,
                                         Rows<T> targets, std::ptrdiff_t records) {
    return DebugRunner<T>(model).values(network, inputs, targets, records);
}

template <class T>
double DebugStepCore<T>::run(std::span<const double> scalars, std::uint64_t number, Rows<T> data,
                             std::ptrdiff_t records) {
    for (const double s : scalars)
        if (!std::isfinite(static_cast<T>(s)))
            throw NumericError(number, "",
                               sentence("a hyper-parameter of the optimizer, ", s, ", is not finite as ",
                                        sizeof(T) == 4 ? "float" : "double"));
    std::vector<std::vector<T>> states;
    for (int s = 0; s < step_.state_table().size(); ++s) states.push_back(dense_elements(step_.state_rows(s)));
    const auto done = DebugRunner<T>(model_).run(program_, {layers_.begin(), layers_.size()}, data, scalars,
                                                 std::move(states), records, number);
    for (int p = 0; p < model_.network().parameters.size(); ++p)
        write_elements(done.parameters[static_cast<std::size_t>(p)], parameter_rows(model_, p));
    for (int s = 0; s < step_.state_table().size(); ++s)
        write_elements(done.states[static_cast<std::size_t>(s)], step_.state_rows(s));
    const int costs = model_.network().costs.size();
    for (int i = 0; i < costs; ++i)
        step_.set_loss(i, done.outputs[static_cast<std::size_t>(costs == 1 ? 0 : 1 + i)][0]);
    return static_cast<double>(done.outputs[0][0]);
}

}  // namespace detail
}  // namespace sigma

#ifdef SIGMA_COMPILED
template class sigma::detail::DebugStepCore<float>;
template std::vector<float> sigma::detail::debug_prediction(const ModelStore<float>&, const Program&,
                                                            ListView<LayerRecord>, Rows<float>, std::ptrdiff_t);
template std::vector<std::vector<float>> sigma::detail::debug_values(const ModelStore<float>&, const NetworkTape&,
                                                                     Rows<float>, Rows<float>, std::ptrdiff_t);
template class sigma::detail::DebugStepCore<double>;
template std::vector<double> sigma::detail::debug_prediction(const ModelStore<double>&, const Program&,
                                                             ListView<LayerRecord>, Rows<double>, std::ptrdiff_t);
template std::vector<std::vector<double>> sigma::detail::debug_values(const ModelStore<double>&, const NetworkTape&,
                                                                      Rows<double>, Rows<double>, std::ptrdiff_t);
#endif
