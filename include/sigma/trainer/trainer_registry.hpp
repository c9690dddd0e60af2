// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/trainer/trainer_core.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Everything in a trainer by name. Numbers of the run are read at once from any thread. Large values, and values that
/// are not thread-safe, are read and set between two iterations: a reader on another thread waits for the next
/// iteration, and training waits for a copy (for outputs and gradients: for a pass through the network), never for the
/// reader. A value that does not exist yet, such as a gradient before the first step, is missing.
template <class T>
class TrainerRegistry final : public TrainerEntries {
public:
    using Outputs = AnyFunction<std::vector<std::vector<T>>()>;
    using Gradient = AnyFunction<std::span<const T>(int parameter)>;

    /// Constructs the registry. `outputs` and `gradient` compute those of the last step's records.
    TrainerRegistry(TrainerCore<T>& trainer, Outputs outputs, Gradient gradient);
    ~TrainerRegistry() override;

    Registry registry;

    /// Registers the values that the current hooks compute, under `shared`, and at the top if the name is free. Names
    /// of hooks that stay remain readable during the call.
    void link(const HookList& hooks) override;
    void set_iterator() override;
    void close() noexcept override;

private:
    struct Computed {
        std::string name;
        SharedOwner<const Slot> slot;
        friend bool operator==(const Computed&, const Computed&) = default;
    };
    struct Iterator {
        std::string data{};
        std::uint64_t records = 0, minibatch_size = 0, batches_per_epoch = 0, seed = 0;
        bool shuffling = false;
    };
    TrainerCore<T>& trainer_;
    Iterator iterator_{};  ///< guarded by iterator_mutex_, since set_data changes it while others read
    mutable Mutex iterator_mutex_;
    Outputs outputs_;
    Gradient gradient_;
    std::vector<Computed> shared_;

    template <class X>
    void number(const std::string& name, X (*get)(TrainerCore<T>&));
    void read_iterator();
    template <class X>
    void link_iterator(const char* name, X Iterator::* value);
    template <class F>
    auto between_steps(F f);
    template <class F>
    void set_between_steps(F f);
    template <class F>
    auto after_a_step(F f);
    void link_optimizer();
    void link_states();
    void link_layers();
    void link_costs();
    Array<T> outputs(int layer);
    Array<T> gradient(int parameter);
    Array<T> parameter(int p);
    std::optional<Array<T>> update(int p);
    static void check_shape(const std::string& what, const Shape& shape, const Array<T>& values);
    void set_parameter(int p, Array<T> values);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/trainer_registry.ipp>
#endif
