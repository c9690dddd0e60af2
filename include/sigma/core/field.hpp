// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>

#include <string_view>
#include <tuple>
#include <type_traits>

namespace sigma {

/// A number in an aggregate, with its name: Field<Adam>{"learning_rate", &Adam::learning_rate}.
template <class O>
struct Field {
    Text name;
    double O::*member;
};

/// The named numbers of an aggregate as a tuple of Fields: what its `fields()` returns; without one its `learning_rate`,
/// if it has such a member; else none.
template <class O>
constexpr auto fields_of() {
    if constexpr (requires { O::fields(); }) return O::fields();
    else if constexpr (requires(O& o) { requires std::is_same_v<decltype((o.learning_rate)), double&>; })
        return std::tuple{Field<O>{"learning_rate", &O::learning_rate}};
    else return std::tuple<>{};
}
template <class O>
inline constexpr int field_count = static_cast<int>(std::tuple_size_v<decltype(fields_of<O>())>);

/// f(std::string_view name, double& value) for each named number, in the order of declaration; `const double&` where
/// the object is const.
template <class O, class F>
constexpr void for_each_field(O& object, F f) {
    std::apply([&](const auto&... field) { (f(field.name.view(), object.*field.member), ...); },
               fields_of<std::remove_const_t<O>>());
}

}  // namespace sigma
