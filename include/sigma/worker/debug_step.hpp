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

/// What a program's first output is in prediction, each result checked. Throws OperationError. `layers` are those that
/// the program's nodes belong to.
template <class T>
std::vector<T> debug_prediction(const ModelStore<T>& model, const Program& program, ListView<LayerRecord> layers,
                                Rows<T> inputs, std::ptrdiff_t records);
/// What a network computes in prediction, unchecked: the value of each node.
template <class T>
std::vector<std::vector<T>> debug_values(const ModelStore<T>& model, const NetworkTape& network, Rows<T> inputs,
                                         Rows<T> targets, std::ptrdiff_t records);

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

/// A training step on the debug device; parameters and the optimizer's states are those of the other devices, and stay
/// as they were when it throws.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class DebugStep : public detail::DebugStepCore<T> {
public:
    DebugStep(Model<N, T>& model, Step<N, O, T>& step)
        : detail::DebugStepCore<T>(model, step, detail::TrainingProgram<N, O>{}(),
                                   detail::layers_of_programs<N>(true)) {}

    /// As Step; `data` are the inputs and then the targets.
    double operator()(const O& optimizer, std::uint64_t number, std::span<const T* const> data,
                      std::ptrdiff_t records) {
        const auto scalars = detail::scalars_at(optimizer, number);
        return this->run({scalars.data, static_cast<std::size_t>(scalar_count<O>)}, number, data, records);
    }
};

}  // namespace sigma

#ifdef SIGMA_COMPILED
extern template class sigma::detail::DebugStepCore<float>;
extern template std::vector<float> sigma::detail::debug_prediction(const ModelStore<float>&, const Program&,
                                                                   ListView<LayerRecord>, Rows<float>, std::ptrdiff_t);
extern template std::vector<std::vector<float>> sigma::detail::debug_values(const ModelStore<float>&,
                                                                            const NetworkTape&, Rows<float>,
                                                                            Rows<float>, std::ptrdiff_t);
extern template class sigma::detail::DebugStepCore<double>;
extern template std::vector<double> sigma::detail::debug_prediction(const ModelStore<double>&, const Program&,
                                                                    ListView<LayerRecord>, Rows<double>,
                                                                    std::ptrdiff_t);
extern template std::vector<std::vector<double>> sigma::detail::debug_values(const ModelStore<double>&,
                                                                             const NetworkTape&, Rows<double>,
                                                                             Rows<double>, std::ptrdiff_t);
#else
#include <sigma/worker/impl/debug_step.ipp>
#endif
