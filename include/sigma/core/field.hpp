// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>

#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sigma {

/// Which numbers make sense; by default all but NaN.
struct NumberRange {
    double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
    bool with_from = true, with_to = true;  ///< do the ends belong to it?
    std::string_view text = "a number";

    constexpr bool contains(double x) const {
        return (with_from ? x >= from : x > from) && (with_to ? x <= to : x < to);
    }
    static constexpr NumberRange finite_from_0() { return {0, infinite, true, false, "a finite number of 0 or more"}; }
    static constexpr NumberRange finite_from_1() { return {1, infinite, true, false, "a finite number of 1 or more"}; }
    static constexpr NumberRange finite_above_0() { return {0, infinite, false, false, "a finite number above 0"}; }
    static constexpr NumberRange from_0() { return {0, infinite, true, true, "0 or more"}; }
    static constexpr NumberRange from_0_to_below_1() { return {0, 1, true, false, "a number from 0 to below 1"}; }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
};

/// A number in an aggregate, with its name: Field<Adam>{"learning_rate", &Adam::learning_rate}; and which it may be.
template <class O>
struct Field {
    Text name;
    double O::* member;
    NumberRange range{};
};

namespace detail {

/// The named numbers of an aggregate, an array or a tuple of Fields: what its `fields()` returns; without one its
/// `learning_rate`, if it has such a member; else none.
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

/// f(std::string_view name, double& value) for each named number, in the order of declaration; `const double&` where
/// the object is const.
template <class O, class F>
constexpr void for_each_field(O& object, F f) {
    std::apply([&](const auto&... field) { (f(field.name.view(), object.*field.member), ...); },
               detail::fields_of<std::remove_const_t<O>>());
}

}  // namespace sigma
