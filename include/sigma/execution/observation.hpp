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

/// A program of a network for one batch, and its results: losses, outputs of layers and gradients, as its purpose
/// requires. Nothing is trained.
template <class T>
class Observation {
public:
    Observation(const ModelStore<T>& model, const CompiledProgram<T>& program, Purpose purpose);
    ~Observation();

    /// Runs the program on `count` dense records. In training, random numbers are those of step `number`.
    /// Allocates memory only if the batch is larger than every earlier one.
    void run(Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, std::uint64_t number = 0);

    /// Returns the total loss, or the loss of one cost without its weight.
    double loss() const { return static_cast<double>(losses_[0]); }
    double loss(int cost) const;
    /// Returns dense elements in row-major order: outputs of layers, (records, …), and the gradient in a parameter.
    /// Empty if not computed.
    std::vector<std::vector<T>>& outputs() { return outputs_; }
    std::span<const T> values(int parameter) const;
    /// Returns the output of a layer as an array.
    /// @param layer  position of the layer, from 0
    /// @return the output, an array (records, …)
    ArrayView<T> output(int layer);
    /// Returns the gradient in a parameter as an array.
    /// @param parameter  position of the parameter, from 0
    /// @return the gradient, an array of the parameter's shape
    ArrayView<T> gradient(int parameter);
    /// Returns the output of a layer by name.
    /// @param layer  name of the layer
    /// @return the output, an array (records, …)
    /// @throws ArgumentError  if there is no layer of this name
    ArrayView<T> output(std::string_view layer);
    /// Returns the gradient in a parameter by name.
    /// @param parameter  name of the parameter
    /// @return the gradient, an array of the parameter's shape
    /// @throws ArgumentError  if there is no trained parameter of this name
    ArrayView<T> gradient(std::string_view parameter);

private:
    const NetworkTable& network_;
    ModelSession<T> session_;
    std::vector<T> losses_;                            ///< the total and, with several costs, each
    std::vector<std::vector<T>> outputs_, gradients_;  ///< one of each layer, if wanted, and of each parameter
    std::ptrdiff_t count_ = 0;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/observation.ipp>
#endif
