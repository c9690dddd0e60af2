// SPDX-License-Identifier: BSL-1.0
#pragma once

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

/// How an optimizer without groups looks to one with them.
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
/// Is it a penalty, an average or `accumulate` around groups, which a group outside would leave out?
template <class O>
concept WrapsGroups = requires { requires O::wraps_groups; };
template <class O>
concept AccumulatesGroups = WrapsGroups<O> && requires { O::accumulates; };
template <class O>
using Ungrouped = typename GroupsOf<O>::Plain;

/// What is different in a group: factors on numbers of the optimizer, so that a group follows a schedule of these.
template <class O>
struct GroupNumbers {
    double rate_factor = 1;  ///< on learning_rate; 0 or more
};
template <class O>
    requires detail::HasWeightDecay<O>
struct GroupNumbers<O> {
    double rate_factor = 1;
    double decay_factor = 1;  ///< on weight_decay; 0 or more
};

/// The optimizer O, with other numbers for the parameters whose names match the pattern. Its members, rule and states
/// are those of O.
template <AnyOptimizer O, Text pattern>
struct Grouped : O {
    double rate_factor = 1;
    double decay_factor = 1;  ///< of an optimizer with weight_decay

    using UngroupedOptimizer = detail::Ungrouped<O>;
    static constexpr int group_number = detail::GroupsOf<O>::count + 1;

    /// "group1_rate_factor": groups are numbered from the innermost on.
    static constexpr auto fields() {
        using Number = Field<Grouped>;
        const auto rate = std::tuple{Number{field_name("_rate_factor"), &Grouped::rate_factor, from_0()}};
        if constexpr (detail::HasWeightDecay<UngroupedOptimizer>)
            return std::tuple_cat(fields_of<O>(), rate,
                                  std::tuple{Number{field_name("_decay_factor"), &Grouped::decay_factor, from_0()}});
        else return std::tuple_cat(fields_of<O>(), rate);
    }
    /// Those of O, then those of the optimizer without groups with the numbers of this group.
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

/// Another rate, or another decay, for the parameters whose names match:
/// `group<"*biases">(AdamW{.learning_rate = 1e-3}, {.decay_factor = 0})`. A trainer of a network where the pattern
/// matches no trained parameter, or one that is in another group, throws ArgumentError when it is made.
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
error_pattern_belongs_between_the_angle_brackets<write_group_pattern_in_angle_brackets> group(
    std::string_view, O, detail::GroupNumbers<detail::Ungrouped<O>>);

namespace detail {

/// The optimizer O, which does not move the parameters whose names match the pattern.
template <AnyOptimizer O, Text pattern>
struct Unmoved : O {
    static constexpr bool trains(std::string_view name) { return !matches(pattern.view(), name) && moves<O>(name); }
    static void check_patterns(detail::PatternCheck& examine) {
        if constexpr (requires { O::check_patterns(examine); }) O::check_patterns(examine);
        examine.matches_some("frozen", pattern.view());
    }
};

}  // namespace detail

/// `frozen<"1-*">(Adam{})`: the matching parameters keep their bits and have no states, and neither their gradients nor
/// what only these need are computed. A trainer of a network where the pattern matches no trained parameter throws
/// ArgumentError when it is made.
template <Text pattern, AnyOptimizer O>
constexpr detail::Unmoved<O, pattern> frozen(O optimizer) {
    return {optimizer};
}
template <AnyOptimizer O>
error_pattern_belongs_between_the_angle_brackets<write_frozen_pattern_in_angle_brackets> frozen(std::string_view, O);

}  // namespace sigma
