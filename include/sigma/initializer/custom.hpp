// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>

#include <type_traits>

namespace sigma {

/// An initializer whose function holds values of its own, for `Model::initialize`; a layer's declaration cannot store
/// it.
template <class F>
struct CustomInitializer {
    F function;
};

namespace detail {

template <class F>
double custom_value(const F& f, const ElementIndex& index, const Shape& shape, ElementRandom& random) {
    if constexpr (requires { f(index, shape, random); }) return f(index, shape, random);
    else if constexpr (requires { f(index, shape); }) return f(index, shape);
    else return f(index);
}
template <class F>
double custom_draw(const ElementIndex& index, const Shape& shape, ElementRandom& random) {
    return custom_value(F{}, index, shape, random);
}
template <class F>
inline constexpr Initializer::Custom custom_drawing{&custom_draw<F>};

}  // namespace detail

/// Each element from a function of its index, of the parameter's shape, and of random numbers of its own; the later
/// arguments may be left out: `custom([](auto index, auto shape, auto& random) { return random.normal() / shape[0];
/// })`.
template <class F>
    requires std::is_empty_v<F>
constexpr detail::Initializer custom(F) {
    return {detail::Initializer::Kind::custom, detail::Initializer::Fan::none, 0, 0, &detail::custom_drawing<F>};
}
template <class F>
    requires(std::is_class_v<F> && !std::is_empty_v<F>)
constexpr CustomInitializer<F> custom(F f) {
    return {f};
}

}  // namespace sigma
