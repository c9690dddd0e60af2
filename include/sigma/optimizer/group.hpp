// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// Other rates for some parameters, and frozen parameters: group, frozen. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/pattern.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/table.hpp>
#include <sigma/optimizer/update.hpp>

#include <cstdint>
#include <string_view>
#include <tuple>

namespace sigma {

namespace detail {

template <class O>
concept HasWeightDecay = requires(O& o) { o.weight_decay = 0.1; };

/// An optimizer without groups, for an optimizer with groups around it.
template <class O>
struct GroupsOf {
    using Plain = O;
    static constexpr int count = 0;
};
template <class O>
    requires requires { typename O::UngroupedOptimizer; }
struct GroupsOf<O> {
    using Plain = typename O::UngroupedOptimizer;
    static constexpr int count = O::group_number;
};
/// A penalty, an average or `accumulate` around groups. A group outside of it would leave it out.
template <class O>
concept WrapsGroups = requires { requires O::wraps_groups; };
template <class O>
concept AccumulatesGroups = WrapsGroups<O> && requires { O::accumulates; };
template <class O>
using Ungrouped = typename GroupsOf<O>::Plain;

/// Options of `group`: factors on numbers of the optimizer, so that a group follows their schedules.
template <class O>
struct GroupNumbers {
    double rate_factor = 1;  ///< Factor on `learning_rate`, at least 0.
};
template <class O>
    requires detail::HasWeightDecay<O>
struct GroupNumbers<O> {
    double rate_factor = 1;   ///< Factor on `learning_rate`, at least 0.
    double decay_factor = 1;  ///< Factor on `weight_decay`, at least 0.
};

/// The optimizer O, with other numbers for the parameters with matching names. Its members, rule and states are those
/// of O.
template <AnyOptimizer O, Text pattern>
struct Grouped : O {
    double rate_factor = 1;
    double decay_factor = 1;  ///< unused by optimizers without weight_decay

    using UngroupedOptimizer = detail::Ungrouped<O>;
    static constexpr int group_number = detail::GroupsOf<O>::count + 1;

    /// Returns the fields, named "group1_rate_factor" and so on. Groups are numbered from the innermost.
    static constexpr auto fields() {
        using Number = Field<Grouped>;
        const auto rate = std::tuple{Number{field_name("_rate_factor"), &Grouped::rate_factor, from_0()}};
        if constexpr (detail::HasWeightDecay<UngroupedOptimizer>)
            return std::tuple_cat(fields_of<O>(), rate,
                                  std::tuple{Number{field_name("_decay_factor"), &Grouped::decay_factor, from_0()}});
        else return std::tuple_cat(fields_of<O>(), rate);
    }
    /// Returns the numbers of O, then those of the optimizer without groups with the numbers of this group.
    constexpr auto scalars(std::uint64_t step) const {
        UngroupedOptimizer changed = *this;
        changed.learning_rate *= rate_factor;
        if constexpr (detail::HasWeightDecay<UngroupedOptimizer>) changed.weight_decay *= decay_factor;
        return detail::joined<scalar_count<O>, scalar_count<UngroupedOptimizer>>(O::scalars(step),
                                                                                 changed.scalars(step));
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        if (!matches(pattern.view(), u.parameter_name.view())) return O::update(u, w, g);
        u.first_scalar += scalar_count<O>;
        UngroupedOptimizer::update(u, w, g);
        u.first_scalar -= scalar_count<O>;
    }
    static void check_patterns(detail::PatternCheck& examine) {
        if constexpr (requires { O::check_patterns(examine); }) O::check_patterns(examine);
        examine.group(pattern.view());
    }

private:
    static constexpr NumberRange from_0() { return NumberRange::finite_from_0(); }
    static constexpr Text field_name(std::string_view number) {
        Text name = "group";
        return name.append(group_number).append(number);
    }
};

}  // namespace detail

/// Makes an optimizer use another learning rate, or another weight decay, for parameters with matching names.
///
/// The new numbers are factors, so schedules of the learning rate apply to the group, too. Groups nest. Set one with
/// hooks by "group1_rate_factor" and "group1_decay_factor", numbered from the innermost.
/// @tparam pattern  pattern of names of parameters, such as "*biases"
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param numbers  factors of at least 0: `{.rate_factor = …}` on `learning_rate`, and for optimizers with a
///                 `weight_decay` also `{.decay_factor = …}`. Each defaults to 1.
/// @return the optimizer with the group
/// @throws ArgumentError  in the constructor of a Trainer if no trained parameter matches, or if one is in another
///                        group; and in a run if a factor is negative or not finite
///
/// @par Example
/// @code
/// Trainer grouped("digits", Digits{}, group<"*biases">(AdamW{}, {.decay_factor = 0}), minibatches(training, 100));
/// @endcode
///
/// @see frozen, docs/optimizers.md
template <Text pattern, AnyOptimizer O>
    requires detail::HasLearningRate<O>
constexpr detail::Grouped<O, pattern> group(O optimizer, detail::GroupNumbers<detail::Ungrouped<O>> numbers) {
    detail::Grouped<O, pattern> grouped{optimizer};
    grouped.rate_factor = numbers.rate_factor;
    if constexpr (detail::HasWeightDecay<O>) grouped.decay_factor = numbers.decay_factor;
    return grouped;
}
template <Text pattern, AnyOptimizer O>
    requires(detail::HasLearningRate<O> && detail::WrapsGroups<O>)
error_groups_are_inside_and_outside_of_a_penalty_or_an_average<optimizer_is<O>> group(
    O, detail::GroupNumbers<detail::Ungrouped<O>>);
template <Text pattern, AnyOptimizer O>
    requires(detail::HasLearningRate<O> && detail::WrapsGroups<O> && detail::AccumulatesGroups<O>)
error_groups_are_inside_and_outside_of_accumulate<optimizer_is<O>> group(O, detail::GroupNumbers<detail::Ungrouped<O>>);

template <AnyOptimizer O>
error_pattern_belongs_between_the_angle_brackets<use_group_pattern_in_angle_brackets> group(
    std::string_view, O, detail::GroupNumbers<detail::Ungrouped<O>>);

namespace detail {

/// The optimizer O, which does not move the parameters with matching names.
template <AnyOptimizer O, Text pattern>
struct Unmoved : O {
    static constexpr bool trains(std::string_view name) { return !matches(pattern.view(), name) && moves<O>(name); }
    static void check_patterns(detail::PatternCheck& examine) {
        if constexpr (requires { O::check_patterns(examine); }) O::check_patterns(examine);
        examine.matches_some("frozen", pattern.view());
    }
};

}  // namespace detail

/// Makes an optimizer freeze parameters with matching names.
///
/// Frozen parameters stay bit-identical and have no states. Neither their gradients nor values that only these need are
/// computed. To freeze during a run, use `freeze`.
/// @tparam pattern  pattern of names of parameters, such as "1-*"
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @return the optimizer
/// @throws ArgumentError  in the constructor of a Trainer if no trained parameter matches
///
/// @par Example
/// @code
/// Trainer frozen_first("digits", Digits{}, frozen<"1-*">(Adam{}), minibatches(training, 100));
/// @endcode
///
/// @see group, freeze
template <Text pattern, AnyOptimizer O>
constexpr detail::Unmoved<O, pattern> frozen(O optimizer) {
    return {optimizer};
}
template <AnyOptimizer O>
error_pattern_belongs_between_the_angle_brackets<use_frozen_pattern_in_angle_brackets> frozen(std::string_view, O);

}  // namespace sigma
