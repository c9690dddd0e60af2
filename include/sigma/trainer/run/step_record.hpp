// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/observation.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/value.hpp>
#include <sigma/network/model.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sigma::detail {

/// Data of a step that hooks read after it: its gradients, and the parameters and outputs of layers before it. Kept
/// only for steps after which a hook reads them. A program for them is compiled only if a hook names them.
template <class T>
class StepRecord {
    using Store = detail::ModelStore<T>;

public:
    ~StepRecord();
    /// Enables the record for further steps.
    template <Wants wanted, AnyNetwork N>
    void enable(const Model<N, T>& model) {
        if constexpr (wanted.gradients)
            if (!gradients_)
                gradients_ = detail::make_owned<detail::Observation<T>>(
                    model, model.template program<detail::to_find_gradients>(), detail::to_find_gradients);
        if constexpr (wanted.outputs)
            if (!outputs_)
                outputs_ = detail::make_owned<detail::Observation<T>>(
                    model, model.template program<detail::to_see_layers>(), detail::to_see_layers);
        used_ = true;
    }
    bool used() const { return used_ || keeps_before_; }
    /// Sets whether each further step keeps the parameters before it, even if no hook reads them.
    void keep_before(bool yes) { keeps_before_ = yes; }
    bool keeps_before() const { return keeps_before_; }

    /// Records the wanted data before the step of this number on these records.
    void before(Wants wanted, const Store& model, std::uint64_t number, detail::Rows<T> inputs, detail::Rows<T> targets,
                std::ptrdiff_t count);

    /// Returns the gradient of a parameter in the step of this number, without padding, or nothing if it was not kept.
    std::optional<std::span<const T>> gradient(int parameter, std::uint64_t number) const;
    /// Returns a parameter before the step of this number, with the padding of the model, or nothing if it was not
    /// kept.
    std::optional<std::span<const T>> before(int parameter, const Store& model, std::uint64_t number) const;
    /// Returns the output of a layer for the records of the step of this number, if it was kept.
    KeptTensor output(int layer, std::uint64_t number) const;
    /// Returns for how many steps gradients were computed.
    std::uint64_t computed() const { return computed_; }

private:
    bool used_ = false, keeps_before_ = false;
    std::vector<T> parameters_;
    std::uint64_t parameters_of_ = 0, gradients_of_ = 0, outputs_of_ = 0, computed_ = 0;
    detail::Owned<detail::Observation<T>> gradients_, outputs_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/run/impl/step_record.ipp>
#endif
