// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/observation.hpp>
#include <sigma/hook/value.hpp>
#include <sigma/network/model.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sigma::detail {

/// What hooks may ask of the step before them and that is gone after it: its gradients, and the parameters from which
/// it went. Kept only for the steps after which a hook can ask. The program for the gradients is compiled only where
/// something names them.
template <class T>
class StepRecord {
    using Store = detail::ModelStore<T>;

public:
    ~StepRecord();
    /// From now on, steps may be asked for this.
    template <Wants wanted, AnyNetwork N>
    void enable(const Model<N, T>& model) {
        if constexpr (wanted.gradients)
            if (!gradients_)
                gradients_ = detail::make_owned<detail::Observation<T>>(
                    model, model.template program<detail::to_find_gradients>(), detail::to_find_gradients);
        used_ = true;
    }
    bool used() const { return used_; }

    /// Before the step of this number on these records.
    void before(Wants wanted, const Store& model, std::uint64_t number, detail::Rows<T> inputs, detail::Rows<T> targets,
                std::ptrdiff_t count, on_cpu::ThreadPool* pool);

    /// The gradient in a parameter in the step of this number, dense; nothing where it was not kept.
    std::optional<std::span<const T>> gradient(int parameter, std::uint64_t number) const;
    /// A parameter before the step of this number, its rows as far apart as in the model.
    std::optional<std::span<const T>> before(int parameter, const Store& model, std::uint64_t number) const;
    /// For how many steps gradients have been computed.
    std::uint64_t computed() const { return computed_; }

private:
    bool used_ = false;
    std::vector<T> parameters_;
    std::uint64_t parameters_of_ = 0, gradients_of_ = 0, computed_ = 0;
    detail::Owned<detail::Observation<T>> gradients_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/step_record.ipp>
#endif
