// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/derived.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/worker/gradients.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace sigma {

/// What hooks may ask of the step before them and that is gone after it: its gradients, and the parameters from which it
/// went. Kept only for the steps after which a hook can ask. The program for the gradients is compiled only where
/// something names them.
template <AnyNetwork N, class T>
class StepRecord {
    using M = Model<N, T>;

public:
    /// From now on, steps may be asked for this.
    template <Wants wanted>
    void enable(M& model) {
        if constexpr (wanted.gradients) keep_gradients(model);
        used_ = true;
    }
    bool used() const { return used_; }

    /// Before the step of this number on these records.
    void before(Wants wanted, M& model, std::uint64_t number, const typename M::InputPointers& inputs,
                const typename M::TargetPointers& targets, std::ptrdiff_t count, simd::Pool* pool) {
        forget(number);
        if (wanted.before) {
            const auto memory = std::as_const(model).parameter_memory();
            parameters_.assign(memory.begin(), memory.end());
            parameters_of_ = number;
        }
        if (wanted.gradients && compute_) {
            compute_(gradients_.get(), number, inputs, targets, count, pool);
            gradients_of_ = number;
            ++computed_;
        }
    }

    /// For use at any time, apart from what is kept; made at first use.
    Gradients<N, T>& present(M& model) {
        if (!present_) present_ = std::make_shared<Gradients<N, T>>(model);
        return *static_cast<Gradients<N, T>*>(present_.get());
    }

    /// The gradient in a parameter in the step of this number, dense; nothing where it was not kept.
    std::optional<std::span<const T>> gradient(int parameter, std::uint64_t number) const {
        if (number == 0 || gradients_of_ != number) return {};
        return values_(gradients_.get(), parameter);
    }
    /// A parameter before the step of this number, its rows as far apart as in the model.
    std::optional<std::span<const T>> before(int parameter, const M& model, std::uint64_t number) const {
        if (number == 0 || parameters_of_ != number) return {};
        return std::span<const T>(parameters_).subspan(model.parameter_offset(parameter));
    }
    /// For how many steps gradients have been computed.
    std::uint64_t computed() const { return computed_; }

private:
    bool used_ = false;
    std::vector<T> parameters_;
    std::uint64_t parameters_of_ = 0, gradients_of_ = 0, computed_ = 0;
    // Without their type, so that nothing of it is compiled unless it is asked for.
    std::shared_ptr<void> gradients_, present_;
    void (*compute_)(void*, std::uint64_t, const typename M::InputPointers&, const typename M::TargetPointers&, std::ptrdiff_t,
                     simd::Pool*) = nullptr;
    std::span<const T> (*values_)(void*, int) = nullptr;

    /// A step may be taken again, after the trainer has gone back.
    void forget(std::uint64_t number) {
        if (parameters_of_ == number) parameters_of_ = 0;
        if (gradients_of_ == number) gradients_of_ = 0;
    }
    void keep_gradients(M& model) {
        using G = Gradients<N, T>;
        if (gradients_) return;
        gradients_ = std::make_shared<G>(model);
        compute_ = [](void* g, std::uint64_t number, const auto& inputs, const auto& targets, std::ptrdiff_t count, simd::Pool* pool) {
            static_cast<G*>(g)->run(number, inputs, targets, count, pool);
        };
        values_ = [](void* g, int parameter) { return static_cast<G*>(g)->values(parameter); };
    }
};

}  // namespace sigma
