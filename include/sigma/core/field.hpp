// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Named numbers of your own optimizers, modifiers and functions: Field, NumberRange. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/text.hpp>

#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sigma {

/// A range of valid numbers. By default it contains all numbers except NaN.
///
/// @par Example
/// @code
/// static_assert(NumberRange::from_0_to_below_1().contains(0.9));
/// constexpr NumberRange percent{.from = 0, .to = 100, .text = "a percentage from 0 to 100"};
/// @endcode
///
/// @see Field
struct NumberRange {
    double from = -std::numeric_limits<double>::infinity();  ///< The lower end.
    double to = std::numeric_limits<double>::infinity();     ///< The upper end.
    bool with_from = true;                                   ///< True if the lower end is valid.
    bool with_to = true;                                     ///< True if the upper end is valid.
    std::string_view text = "a number";                      ///< The range in words, for error texts.

    /// Returns whether a number is in the range. NaN never is.
    /// @param x  number to check
    /// @return true if the number is valid
    constexpr bool contains(double x) const {
        return (with_from ? x >= from : x > from) && (with_to ? x <= to : x < to);
    }
    /// Returns the range of finite numbers of 0 or more.
    /// @return the range
    static constexpr NumberRange finite_from_0() { return {0, infinite, true, false, "a finite number of 0 or more"}; }
    /// Returns the range of finite numbers of 1 or more.
    /// @return the range
    static constexpr NumberRange finite_from_1() { return {1, infinite, true, false, "a finite number of 1 or more"}; }
    /// Returns the range of finite numbers above 0.
    /// @return the range
    static constexpr NumberRange finite_above_0() { return {0, infinite, false, false, "a finite number above 0"}; }
    /// Returns the range of numbers of 0 or more, including infinity.
    /// @return the range
    static constexpr NumberRange from_0() { return {0, infinite, true, true, "0 or more"}; }
    /// Returns the range of numbers from 0 to below 1.
    /// @return the range
    static constexpr NumberRange from_0_to_below_1() { return {0, 1, true, false, "a number from 0 to below 1"}; }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
};

/// A named number of a class: its name, the member and the valid range.
///
/// Your own optimizer, modifier or schedule returns its fields from a static function `fields()`. Hooks, schedules,
/// checkpoints and the registry then use the names.
///
/// @tparam O  class that has the member
///
/// @par Example
/// @code
/// struct Decay {
///     double rate = 0.1;
///     static constexpr auto fields() {
///         return std::array{Field<Decay>{"rate", &Decay::rate, NumberRange::finite_from_0()}};
///     }
/// };
/// @endcode
///
/// @see NumberRange, for_each_field
template <class O>
struct Field {
    Text name;            ///< The name.
    double O::* member;   ///< The member that holds the number.
    NumberRange range{};  ///< The valid numbers.
};

namespace detail {

/// Returns the named numbers of a class as an array or a tuple of Fields: the result of its `fields()`; without that
/// function its `learning_rate`, if it has such a member; otherwise none.
template <class O>
constexpr auto fields_of() {
    if constexpr (requires { O::fields(); }) return O::fields();
    else if constexpr (requires(O& o) { requires std::is_same_v<decltype((o.learning_rate)), double&>; })
        return std::tuple{Field<O>{"learning_rate", &O::learning_rate}};
    else return std::tuple<>{};
}
template <class O>
inline constexpr int field_count = static_cast<int>(std::tuple_size_v<decltype(fields_of<O>())>);

}  // namespace detail

/// Calls a function for each named number of an object, in the order of its fields.
/// @param object    object, such as an optimizer
/// @param function  function to call: `function(std::string_view name, double& value)`, with a `const double&` if the
///                  object is const
///
/// @par Example
/// @code
/// const Adam adam;
/// for_each_field(adam, [](std::string_view name, double value) { std::puts(sentence(name, " = ", value).c_str()); });
/// @endcode
///
/// @see Field
template <class O, class F>
constexpr void for_each_field(O& object, F function) {
    std::apply([&](const auto&... field) { (function(field.name.view(), object.*field.member), ...); },
               detail::fields_of<std::remove_const_t<O>>());
}

}  // namespace sigma
