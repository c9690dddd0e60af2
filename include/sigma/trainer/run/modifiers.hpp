// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/optimizer/update.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::detail {

/// Frozen parameters and modifiers, which act before and after the optimizer's step. Frozen parameters and their states
/// stay bit-identical. Each rule stores the steps in which it is active, so that repeated steps give the same results.
/// Freezing acts on the calling thread, or on the accelerator that holds the parameters. Modifiers are functions of the
/// host, so each step copies the parameters that they modify to the host and back.
template <class T>
class Modifiers {
public:
    using Modifier = detail::AnyFunction<void(ParameterRows<T>)>;

    /// Rows of parameters and states are padded to vectors of `lanes` elements.
    Modifiers(const NetworkTable& network, ListView<StateRecord> states, int lanes)
        : network_(network), states_(states), lanes_(lanes) {}
    ~Modifiers();

    // Each returns how many parameters match the pattern. `step` is the last step taken.
    int modify(std::string_view pattern, Modifier modifier, std::uint64_t step);
    int unmodify(std::string_view pattern, std::uint64_t step);
    int freeze(std::string_view pattern, std::uint64_t step);
    int unfreeze(std::string_view pattern, std::uint64_t step);
    /// Returns whether there are modifiers: functions of the program, which may throw.
    bool modifies() const { return !modifiers_.empty(); }
    bool frozen(int parameter) const;

    /// Returns the names of the frozen parameters, one a line. `set_frozen` accepts this text.
    std::string frozen_names() const;
    void set_frozen(std::string_view names, std::uint64_t step);

    /// Saves frozen parameters and states before the step of this number. `after` restores them and calls the
    /// modifiers.
    void before(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number);
    void after(detail::ModelStore<T>& model, DualBuffer<T>& states, std::uint64_t number);

    /// Copies the rules of another, for a worker of its trainer.
    void follow(const Modifiers& other);
    // Transfer of the rules, as numbers, to another process with the same modifiers. `set_rules` throws
    // ArgumentError if this process does not have one of the modifiers.
    std::uint64_t version() const { return version_; }
    std::vector<std::uint64_t> rules() const;
    void set_rules(const std::vector<std::uint64_t>& rules);

    /// Removes rules that have ended, and makes the others active from now on. Earlier steps are not repeated any more.
    void prune();

private:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    struct Rule {
        int parameter;
        std::uint64_t after, until;  ///< active in steps after + 1 … until
        detail::SharedOwner<const Modifier> modifier{};
        std::uint64_t number = 0;  ///< ordinal among all modifiers that were ever added
        bool holds(std::uint64_t step) const { return after < step && step <= until; }
    };
    const NetworkTable& network_;
    ListView<StateRecord> states_;
    int lanes_;
    std::vector<Rule> modifiers_, freezes_;
    std::vector<T> saved_;
    std::vector<DeviceMemory> saved_there_;  ///< saved values on each accelerator that holds the parameters
    std::size_t most_saved_ = 0;             ///< greatest number of saved elements
    std::uint64_t version_ = 0;              ///< changes with the rules
    std::uint64_t added_ = 0;                ///< number of modifiers that were ever added

    /// Allocates memory for the frozen parameters and states.
    void make_room();
    void save_there(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number);
    template <class F>
    int for_each(std::string_view pattern, F f) const;
    void end(std::vector<Rule>& rules, int parameter, std::uint64_t step);
    bool frozen_in(int parameter, std::uint64_t step) const;
    /// Returns the number of elements with padding.
    std::size_t elements(const Shape& shape) const;
    /// Calls f(memory, tensor, elements, from, tensor of `from`) for each frozen parameter and its states. `from` holds
    /// the values to keep: their own, but those of the parameter for an average.
    template <class F>
    void visit_frozen(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number, F f) const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/run/impl/modifiers.ipp>
#endif
