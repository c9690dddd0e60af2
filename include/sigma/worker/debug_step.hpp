// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/debug/offence.hpp>
#include <sigma/network/network_tape.hpp>
#include <sigma/worker/step.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sigma {

/// What the debug device throws: the first operation that left the finite numbers, where and from what.
/// "iteration 3, layer '2-exponential': exp of shape (4, 3) gave inf at record 2, element (1), from 710"
struct OperationError : NumericError {
    debugging::Offence offence;

    OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                   debugging::Offence offence_);
};

namespace detail {

/// The programs of a network, one operation after the other in plain loops, each result checked. Slow, and within rounding
/// what other devices compute.
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

/// A training step on the debug device where network and optimizer only matter as data.
template <class T>
class DebugStepCore {
public:
    DebugStepCore(ModelStore<T>& model, StepCore<T>& step, Program program, List<LayerRecord> layers)
        : model_(model), step_(step), program_(std::move(program)), layers_(std::move(layers)) {}

    /// As StepCore; `data` are the inputs and then the targets.
    double run(std::span<const double> scalars, std::uint64_t number, Rows<T> data, std::ptrdiff_t records);

private:
    ModelStore<T>& model_;
    StepCore<T>& step_;
    Program program_;
    List<LayerRecord> layers_;
};

/// The layers that the nodes of a network's programs belong to; the network comes first in all of them.
template <class N>
List<LayerRecord> layers_of_programs(bool training) {
    Program p;
    return trace_network<N>(p, training).context.layers;
}

}  // namespace detail

/// A training step on the debug device; parameters and the optimizer's states are those of the other devices, and stay as
/// they were when it throws.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class DebugStep : public detail::DebugStepCore<T> {
public:
    DebugStep(Model<N, T>& model, Step<N, O, T>& step)
        : detail::DebugStepCore<T>(model, step, detail::TrainingProgram<N, O>{}(),
                                   detail::layers_of_programs<N>(true)) {}

    /// As Step; `data` are the inputs and then the targets.
    double operator()(const O& optimizer, std::uint64_t number, std::span<const T* const> data, std::ptrdiff_t records) {
        const auto scalars = detail::scalars_at(optimizer, number);
        return this->run({scalars.data, static_cast<std::size_t>(scalar_count<O>)}, number, data, records);
    }
};

}  // namespace sigma

#ifdef SIGMA_COMPILED
extern template class sigma::detail::DebugRunner<float>;
extern template class sigma::detail::DebugRunner<double>;
extern template class sigma::detail::DebugStepCore<float>;
extern template class sigma::detail::DebugStepCore<double>;
#else
#include <sigma/worker/impl/debug_step.ipp>
#endif
