// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/random.hpp>
#include <sigma/device/debug/offence.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/worker/step.hpp>

#include <cmath>
#include <span>

namespace sigma {

/// What the debug device throws: the first operation that left the finite numbers, where and from what.
/// "iteration 3, layer '2-exponential': exp of shape (4, 3) gave inf at record 2, element (1), from 710"
struct OperationError : NumericError {
    debugging::Offence offence;

    OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                   debugging::Offence offence_);
};

/// The programs of a network, one operation after the other in plain loops, each result checked. Slow, and within rounding
/// what other devices compute.
template <AnyNetwork N, class T = float>
class DebugRunner {
public:
    explicit DebugRunner(const Model<N, T>& model) : model_(model) {}

    /// Inputs by number, dense, as many as are given; `scalars` are the inputs after them. Returns all that was computed.
    /// Throws OperationError. `number` is that of the step, 0 outside of training.
    debugging::Interpretation<T> run(const Program& program, bool training, std::span<const T* const> inputs,
                                     std::span<const double> scalars, std::vector<std::vector<T>> states, std::ptrdiff_t records,
                                     std::uint64_t number) const {
        debugging::Bindings<T> bindings;
        bindings.states = std::move(states);
        for (int p = 0; p < Model<N, T>::parameter_count; ++p) bindings.parameters.push_back(detail::dense_elements(parameter_rows(model_, p)));
        bindings.inputs.resize(inputs.size());
        for (double s : scalars) bindings.inputs.push_back({static_cast<T>(s)});
        for (int i = 0; i < program.tape.size(); ++i) {
            const Node& n = program.tape[i];
            if (n.operation != Operation::input || n.attribute >= inputs.size()) continue;
            const T* from = inputs[static_cast<std::size_t>(n.attribute)];
            const auto count = debugging::Extents(n.shape, records).count();
            bindings.inputs[static_cast<std::size_t>(n.attribute)].assign(from, from + count);
        }
        bindings.uniform = Uniform{{model_.seed(), static_cast<std::uint32_t>(number)}};
        auto result = debugging::interpret(program, bindings, records, true);
        if (auto offence = debugging::Inspector<T>(program, result, records).first()) {
            const auto [layer, phase] = place_of(program, training, offence->node);
            throw OperationError(number, layer, phase + offence->text, *offence);
        }
        return result;
    }

private:
    const Model<N, T>& model_;

    /// The random numbers of the other devices. Asked row by row, it keeps the present row.
    struct Uniform {
        simd::RandomKey key;
        std::vector<T> present{};
        std::uint64_t stream = 0;
        long long row = -1;

        T operator()(std::uint64_t of_stream, long long of_row, long long column) {
            if (of_stream != stream || of_row != row) present.clear();
            if (column >= static_cast<long long>(present.size())) {
                present.resize(2 * static_cast<std::size_t>(column) + 32);
                simd::fill_uniform<T>(present.data(), of_row, 1, static_cast<std::ptrdiff_t>(present.size()), 0,
                                      static_cast<std::uint32_t>(of_stream), key);
                stream = of_stream;
                row = of_row;
            }
            return present[static_cast<std::size_t>(column)];
        }
    };

    struct Place {
        std::string layer, phase;
    };
    /// The layer that wrote a node, or the parameter whose gradient or update it belongs to.
    static Place place_of(const Program& program, bool training, int node) {
        const Node& n = program.tape[node];
        if (n.operation == Operation::parameter) {
            const std::string_view full = Model<N, T>::records.parameters[static_cast<int>(n.attribute)].name.view();
            return {std::string(full.substr(0, full.find('.'))), sentence("'", full, "': ")};
        }
        Program again;  // the network comes first in all its programs
        const auto trace = detail::trace_network<N>(again, training);
        for (const LayerRecord& layer : trace.context.layers)
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
            if (x.operation == Operation::advance && depends[static_cast<std::size_t>(x.b)]) depends[static_cast<std::size_t>(x.a)] = 1;
            for (int o : {x.operation == Operation::assign ? -1 : x.a, x.b, x.c})
                if (o >= 0 && depends[static_cast<std::size_t>(o)]) depends[static_cast<std::size_t>(i)] = 1;
            if (x.operation != Operation::assign || !depends[static_cast<std::size_t>(i)]) continue;
            const Node& target = program.tape[x.a];
            if (target.operation == Operation::parameter) nearest = std::max(nearest, static_cast<int>(target.attribute));
        }
        if (nearest < 0) return {"", "in the update, "};
        const std::string_view full = Model<N, T>::records.parameters[nearest].name.view();
        return {std::string(full.substr(0, full.find('.'))), sentence("in the gradient or update of '", full, "', ")};
    }
};

/// A training step on the debug device; parameters and the optimizer's states are those of the other devices, and stay as
/// they were when it throws.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class DebugStep {
public:
    DebugStep(Model<N, T>& model, Step<N, O, T>& step) : model_(model), step_(step), runner_(model) {}

    /// As Step; `data` are the inputs and then the targets.
    double operator()(const O& optimizer, std::uint64_t number, std::span<const T* const> data, std::ptrdiff_t records) {
        const auto scalars = optimizer.scalars(number);
        for (const double s : scalars)
            if (!std::isfinite(static_cast<T>(s)))
                throw NumericError(number, "", sentence("a hyper-parameter of the optimizer, ", s, ", is not finite as ",
                                                        sizeof(T) == 4 ? "float" : "double"));
        std::vector<std::vector<T>> states;
        for (int s = 0; s < step_.states.size(); ++s) states.push_back(detail::dense_elements(step_.state_rows(s)));
        const auto done = runner_.run(program_, true, data, scalars, std::move(states), records, number);
        for (int p = 0; p < Model<N, T>::parameter_count; ++p)
            detail::write_elements(done.parameters[static_cast<std::size_t>(p)], parameter_rows(model_, p));
        for (int s = 0; s < step_.states.size(); ++s) detail::write_elements(done.states[static_cast<std::size_t>(s)], step_.state_rows(s));
        for (int i = 0; i < N::cost_count; ++i)
            step_.set_loss(i, done.outputs[static_cast<std::size_t>(N::cost_count == 1 ? 0 : 1 + i)][0]);
        return static_cast<double>(done.outputs[0][0]);
    }

private:
    Model<N, T>& model_;
    Step<N, O, T>& step_;
    DebugRunner<N, T> runner_;
    Program program_ = detail::TrainingProgram<N, O>{}();
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/worker/impl/debug_step.ipp>
#endif
