// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/optimizer/errors.hpp>
#include <sigma/optimizer/pattern_check.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstdint>
#include <tuple>

namespace sigma {

namespace detail {
constexpr Text penalty_name(Text kind, int number) {
    if (number > 1) kind.append("_").append(number);
    return kind;
}
}  // namespace detail

/// The optimizer O with l1 · Σ|w|, over the parameters whose names match, added to what it minimizes: its gradient is
/// g + l1 · sign(w), and that of a weight of 0 is g.
template <AnyOptimizer O, Text pattern>
struct L1Penalty : O {
    double l1 = 0;

    static constexpr bool wraps_groups = detail::has_groups<O>;
    static constexpr int l1_number = [] {
        if constexpr (requires { O::l1_number; }) return O::l1_number + 1;
        else return 1;
    }();
    /// "l1", of further ones around it "l1_2" and so on.
    static constexpr auto fields() {
        return std::tuple_cat(detail::fields_of<O>(),
                              std::tuple{Field<L1Penalty>{detail::penalty_name("l1", l1_number), &L1Penalty::l1,
                                                          NumberRange::finite_from_0()}});
    }
    constexpr auto scalars(std::uint64_t step) const {
        return detail::joined<detail::scalar_count<O>, 1>(O::scalars(step), std::array{l1});
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        if (!detail::matches(pattern.view(), u.parameter_name.view())) return O::update(u, w, g);
        const Variable pull = u.scalar(detail::scalar_count<O>) * sign(w);
        O::update(u, w, g + pull);
    }
    static void check_patterns(detail::PatternCheck& check) {
        if constexpr (requires { O::check_patterns(check); }) O::check_patterns(check);
        check.matches_some("l1_penalty", pattern.view());
    }
};
/// The optimizer O with ½ · l2 · Σw² added in the same way: its gradient is g + l2 · w.
template <AnyOptimizer O, Text pattern>
struct L2Penalty : O {
    double l2 = 0;

    static constexpr bool wraps_groups = detail::has_groups<O>;
    static constexpr int l2_number = [] {
        if constexpr (requires { O::l2_number; }) return O::l2_number + 1;
        else return 1;
    }();
    /// "l2", of further ones around it "l2_2" and so on.
    static constexpr auto fields() {
        return std::tuple_cat(detail::fields_of<O>(),
                              std::tuple{Field<L2Penalty>{detail::penalty_name("l2", l2_number), &L2Penalty::l2,
                                                          NumberRange::finite_from_0()}});
    }
    constexpr auto scalars(std::uint64_t step) const {
        return detail::joined<detail::scalar_count<O>, 1>(O::scalars(step), std::array{l2});
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        if (!detail::matches(pattern.view(), u.parameter_name.view())) return O::update(u, w, g);
        const Variable pull = u.scalar(detail::scalar_count<O>) * w;
        O::update(u, w, g + pull);
    }
    static void check_patterns(detail::PatternCheck& check) {
        if constexpr (requires { O::check_patterns(check); }) O::check_patterns(check);
        check.matches_some("l2_penalty", pattern.view());
    }
};

/// `l1_penalty<"*.weights">(Adam{}, 1e-5)`. Losses that are reported are without penalties. A trainer of a network
/// where the pattern matches no trained parameter throws ArgumentError when it is made.
template <Text pattern, AnyOptimizer O>
constexpr L1Penalty<O, pattern> l1_penalty(O optimizer, double l1) {
    return {optimizer, l1};
}
/// `l2_penalty<"*.weights">(Momentum{}, 1e-4)`: with adaptive steps AdamW's decay is another thing, see there.
template <Text pattern, AnyOptimizer O>
constexpr L2Penalty<O, pattern> l2_penalty(O optimizer, double l2) {
    return {optimizer, l2};
}

}  // namespace sigma
