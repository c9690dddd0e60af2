// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/purpose.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sigma::detail {

/// A program of a network that looks at one batch, and what it found: losses, outputs of layers and gradients, as its
/// purpose says. Nothing is trained.
template <class T>
class Observation {
public:
    Observation(const ModelStore<T>& model, const CompiledProgram<T>& program, Purpose purpose);
    ~Observation();

    /// On `count` dense records, in training with the random numbers of the step of this number. Allocates only when
    /// the batch outgrows every earlier one.
    void run(Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, std::uint64_t number = 0,
             on_cpu::ThreadPool* pool = nullptr);

    /// The total, or the loss of one cost, without its weight.
    double loss() const { return static_cast<double>(losses_[0]); }
    double loss(int cost) const;
    /// Elements, dense, in row-major order: what layers gave, (records, …), and the gradient in a parameter; none where
    /// that is not computed.
    std::vector<std::vector<T>>& outputs() { return outputs_; }
    std::span<const T> values(int parameter) const;
    /// The same as arrays.
    ArrayView<T> output(int layer);
    ArrayView<T> gradient(int parameter);
    /// By name. Throws ArgumentError where there is none, or no gradient.
    ArrayView<T> output(std::string_view layer);
    ArrayView<T> gradient(std::string_view parameter);

private:
    const NetworkTable& network_;
    ModelSession<T> session_;
    std::vector<T> losses_;                            ///< the total and, of several costs, each
    std::vector<std::vector<T>> outputs_, gradients_;  ///< of each layer, where they are wanted, and of each parameter
    std::ptrdiff_t count_ = 0;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/observation.ipp>
#endif
