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

/// What surrounds the optimizer's step: frozen parameters and their states keep their bits, and modifiers change values
/// afterwards. Rules know the steps in which they hold, so that repeated steps are the same steps. All of it happens on
/// the calling thread, or where an accelerator works on the parameters there; modifiers are functions of the host, so
/// that each step brings what they modify over and back.
template <class T>
class Modifiers {
public:
    using Modifier = detail::AnyFunction<void(ParameterRows<T>)>;

    /// Rows of parameters and states are padded to vectors of `lanes` elements.
    Modifiers(const NetworkTable& network, ListView<StateRecord> states, int lanes)
        : network_(network), states_(states), lanes_(lanes) {}
    ~Modifiers();

    /// Each returns how many parameters match the pattern. `step` is the last step taken.
    int modify(std::string_view pattern, Modifier modifier, std::uint64_t step);
    int unmodify(std::string_view pattern, std::uint64_t step);
    int freeze(std::string_view pattern, std::uint64_t step);
    int unfreeze(std::string_view pattern, std::uint64_t step);
    /// Has it functions of the program's, which may throw?
    bool modifies() const { return !modifiers_.empty(); }
    bool frozen(int parameter) const;

    /// The frozen parameters, one a line, and as they were written by this.
    std::string frozen_names() const;
    void set_frozen(std::string_view names, std::uint64_t step);

    /// Around the step of this number.
    void before(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number);
    void after(detail::ModelStore<T>& model, DualBuffer<T>& states, std::uint64_t number);

    /// The rules of another, for what is trained beside it.
    void follow(const Modifiers& other);
    /// The same in another process, whose program has added the same modifiers, as numbers. `set_rules` throws
    /// ArgumentError where one of these is not known here.
    std::uint64_t version() const { return version_; }
    std::vector<std::uint64_t> rules() const;
    void set_rules(const std::vector<std::uint64_t>& rules);

    /// No step before the next one will be repeated: rules that have ended go, and the others hold from now on.
    void prune();

private:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    struct Rule {
        int parameter;
        std::uint64_t after, until;  ///< holds in steps after … until
        detail::SharedOwner<const Modifier> modifier{};
        std::uint64_t number = 0;  ///< of those that were ever added
        bool holds(std::uint64_t step) const { return after < step && step <= until; }
    };
    const NetworkTable& network_;
    ListView<StateRecord> states_;
    int lanes_;
    std::vector<Rule> modifiers_, freezes_;
    std::vector<T> saved_;
    std::vector<DeviceMemory> saved_there_;  ///< of each accelerator that works on the parameters
    std::size_t most_saved_ = 0;             ///< elements
    std::uint64_t version_ = 0;              ///< of the rules
    std::uint64_t added_ = 0;                ///< modifiers, ever

    /// What is frozen takes so much.
    void make_room();
    void save_there(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number);
    template <class F>
    int for_each(std::string_view pattern, F f) const;
    void end(std::vector<Rule>& rules, int parameter, std::uint64_t step);
    bool frozen_in(int parameter, std::uint64_t step) const;
    /// With padding.
    std::size_t elements(const Shape& shape) const;
    /// f(memory, tensor, elements, from, tensor of these) for each frozen parameter and its states, which keep what is
    /// there: they stay as they are, but an average is that of a constant.
    template <class F>
    void visit_frozen(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number, F f) const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/modifiers.ipp>
#endif
