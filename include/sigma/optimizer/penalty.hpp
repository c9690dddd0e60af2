// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/optimizer/check.hpp>
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
/// The optimizer O with a term added to what it minimizes, over the parameters whose names match. `Self` has the
/// strength of that term and what it adds to a gradient, and the name under which its mistakes are told.
template <class Self, AnyOptimizer O, Text pattern>
struct Penalized : O {
    static constexpr bool wraps_groups = has_groups<O>;

    constexpr auto scalars(std::uint64_t step) const {
        return joined<scalar_count<O>, 1>(O::scalars(step), std::array{static_cast<const Self&>(*this).strength()});
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        if (!matches(pattern.view(), u.parameter_name.view())) return O::update(u, w, g);
        const Variable pull = u.scalar(scalar_count<O>) * Self::slope(w);
        O::update(u, w, g + pull);
    }
    static void check_patterns(PatternCheck& examine) {
        if constexpr (requires { O::check_patterns(examine); }) O::check_patterns(examine);
        examine.matches_some(Self::word, pattern.view());
    }
};
}  // namespace detail

/// l1 · Σ|w|: the gradient is g + l1 · sign(w), and that of a weight of 0 is g.
template <AnyOptimizer O, Text pattern>
struct L1Penalty : detail::Penalized<L1Penalty<O, pattern>, O, pattern> {
    double l1 = 0;

    static constexpr const char* word = "l1_penalty";
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
    constexpr double strength() const { return l1; }
    static constexpr Variable slope(Variable w) { return sign(w); }
};
/// ½ · l2 · Σw²: the gradient is g + l2 · w.
template <AnyOptimizer O, Text pattern>
struct L2Penalty : detail::Penalized<L2Penalty<O, pattern>, O, pattern> {
    double l2 = 0;

    static constexpr const char* word = "l2_penalty";
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
    constexpr double strength() const { return l2; }
    static constexpr Variable slope(Variable w) { return w; }
};

/// `l1_penalty<"*.weights">(Adam{}, 1e-5)`. Losses that are reported are without penalties. A trainer of a network
/// where the pattern matches no trained parameter throws ArgumentError when it is made.
template <Text pattern, AnyOptimizer O>
constexpr L1Penalty<O, pattern> l1_penalty(O optimizer, double l1) {
    return {{optimizer}, l1};
}
/// `l2_penalty<"*.weights">(Momentum{}, 1e-4)`: with adaptive steps AdamW's decay is another thing, see there.
template <Text pattern, AnyOptimizer O>
constexpr L2Penalty<O, pattern> l2_penalty(O optimizer, double l2) {
    return {{optimizer}, l2};
}

}  // namespace sigma
