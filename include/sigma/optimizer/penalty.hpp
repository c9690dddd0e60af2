// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Penalties on parameters: l1_penalty, l2_penalty. Included by `<sigma/sigma.hpp>`.
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
/// The optimizer O with a term added to the loss that it minimizes, over the parameters with matching names. `Self` has
/// the strength of the term, its gradient, and its name in errors.
template <class Self, AnyOptimizer O, Text pattern>
struct Penalized : O {
    /// @cond internal
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
    /// @endcond
};
}  // namespace detail

/// An optimizer that adds l1 · Σ|w| to the loss: the gradient is g + l1 · sign(w), and g for a weight of 0.
///
/// `l1_penalty` makes it.
/// @tparam O  type of the inner optimizer
/// @tparam pattern  pattern of names of parameters
///
/// @see l1_penalty
template <AnyOptimizer O, Text pattern>
struct L1Penalty : detail::Penalized<L1Penalty<O, pattern>, O, pattern> {
    double l1 = 0;  ///< Strength of the penalty, at least 0.

    /// @cond internal
    static constexpr const char* word = "l1_penalty";
    static constexpr int l1_number = [] {
        if constexpr (requires { O::l1_number; }) return O::l1_number + 1;
        else return 1;
    }();
    /// Returns the fields: "l1", and "l1_2" and so on for further penalties around it.
    static constexpr auto fields() {
        return std::tuple_cat(detail::fields_of<O>(),
                              std::tuple{Field<L1Penalty>{detail::penalty_name("l1", l1_number), &L1Penalty::l1,
                                                          NumberRange::finite_from_0()}});
    }
    constexpr double strength() const { return l1; }
    static constexpr Variable slope(Variable w) { return sign(w); }
    /// @endcond
};
/// An optimizer that adds ½ · l2 · Σw² to the loss: the gradient is g + l2 · w.
///
/// `l2_penalty` makes it.
/// @tparam O  type of the inner optimizer
/// @tparam pattern  pattern of names of parameters
///
/// @see l2_penalty
template <AnyOptimizer O, Text pattern>
struct L2Penalty : detail::Penalized<L2Penalty<O, pattern>, O, pattern> {
    double l2 = 0;  ///< Strength of the penalty, at least 0.

    /// @cond internal
    static constexpr const char* word = "l2_penalty";
    static constexpr int l2_number = [] {
        if constexpr (requires { O::l2_number; }) return O::l2_number + 1;
        else return 1;
    }();
    /// Returns the fields: "l2", and "l2_2" and so on for further penalties around it.
    static constexpr auto fields() {
        return std::tuple_cat(detail::fields_of<O>(),
                              std::tuple{Field<L2Penalty>{detail::penalty_name("l2", l2_number), &L2Penalty::l2,
                                                          NumberRange::finite_from_0()}});
    }
    constexpr double strength() const { return l2; }
    static constexpr Variable slope(Variable w) { return w; }
    /// @endcond
};

/// Adds the penalty l1 · Σ|w| over matching parameters to the loss that an optimizer minimizes.
///
/// Reported losses do not include penalties.
/// @tparam pattern  pattern of names of parameters, such as "*.weights"
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param l1  strength, at least 0
/// @return the optimizer with the penalty
/// @throws ArgumentError  in the constructor of a Trainer if no trained parameter matches, and in a run if `l1` is
///                        negative or not finite
///
/// @par Example
/// @code
/// Trainer sparse("digits", Digits{}, l1_penalty<"*.weights">(Adam{}, 1e-5), minibatches(training, 100));
/// @endcode
///
/// @see l2_penalty
template <Text pattern, AnyOptimizer O>
constexpr L1Penalty<O, pattern> l1_penalty(O optimizer, double l1) {
    return {{optimizer}, l1};
}
/// Adds the penalty ½ · l2 · Σw² over matching parameters to the loss that an optimizer minimizes.
///
/// Reported losses do not include penalties. For optimizers with adaptive steps, it differs from the weight decay of
/// `AdamW`.
/// @tparam pattern  pattern of names of parameters, such as "*.weights"
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param l2  strength, at least 0
/// @return the optimizer with the penalty
/// @throws ArgumentError  in the constructor of a Trainer if no trained parameter matches, and in a run if `l2` is
///                        negative or not finite
///
/// @par Example
/// @code
/// Trainer small("digits", Digits{}, l2_penalty<"*.weights">(Momentum{}, 1e-4), minibatches(training, 100));
/// @endcode
///
/// @see l1_penalty, AdamW
template <Text pattern, AnyOptimizer O>
constexpr L2Penalty<O, pattern> l2_penalty(O optimizer, double l2) {
    return {{optimizer}, l2};
}

}  // namespace sigma
