// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/arguments.hpp>
#include <sigma/tape/traced_function.hpp>

#include <concepts>
#include <type_traits>

// Mistakes in a function or its arguments. Mistakes in types are names of types without a definition, see
// `tape/mistake.hpp`; mistakes in shapes are values, see `tape/refusal.hpp`.
namespace sigma {

template <int>
struct arguments_given;
/// The number of arguments of a function, in a compiler's message.
///
/// @see docs/errors.md
template <int>
struct arguments_taken;
/// The number of an argument from 0, in a compiler's message.
///
/// @see docs/errors.md
template <int>
struct argument_number;

template <class, class>
struct error_gradient_with_respect_to_an_argument_that_is_not_there;
template <class>
struct error_function_does_not_take;
template <class>
struct error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns;
inline constexpr Fault error_gradient_needs_a_scalar_function_it_returns{
    "a gradient needs a function that returns one number"};

namespace detail {

template <class F, bool with_value, class Which>
struct Derivative;

/// The mistake in the number of an argument of a function that takes so many.
template <int number, int taken>
using AbsentArgument =
    MistakeIf<(number < 0 || number >= taken), error_gradient_with_respect_to_an_argument_that_is_not_there<
                                                   argument_number<number>, arguments_taken<taken>>>;

/// The mistakes in a function of tensors T, of any shapes.
template <class F, class... T>
struct CheckFunction {
    static consteval auto examine() {
        if constexpr (!std::is_invocable_v<F, T...>) {
            return Mistake<error_function_does_not_take<arguments_given<static_cast<int>(sizeof...(T))>>>{};
        } else {
            using R = std::invoke_result_t<F, T...>;
            return MistakeIf<tensors_in<R> == 0,
                             error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns<R>>{};
        }
    }
    using mistake = MistakeOf<decltype(examine())>;
};
template <class F, bool with_value, int... which, class... T>
struct CheckFunction<Derivative<F, with_value, Wrt<which...>>, T...> {
    static constexpr int taken = static_cast<int>(sizeof...(T));
    static consteval auto examine() {
        using Inner = FirstMistake<CheckFunction<F, T...>, AbsentArgument<which, taken>...>;
        if constexpr (!is_fine<Inner>) {
            return Inner{};
        } else {
            using R = std::invoke_result_t<F, T...>;
            return MistakeIf<!std::is_same_v<R, Tensor>,
                             sigma::mistake<error_gradient_needs_a_scalar_function_it_returns, R>>{};
        }
    }
    using mistake = MistakeOf<decltype(examine())>;
};

/// True for arrays whose type has the batch as an extent although nobody declared it: vectors.
template <class A>
inline constexpr bool has_open_extent = Argument_<A>::known && Argument_<A>::shape.batched();
template <Shape S, class E>
inline constexpr bool has_open_extent<Shaped<S, E>> = false;
/// True for a function that needs all extents, called with a vector. They are known when it runs.
template <class F, class... A>
inline constexpr bool needs_extents_when_run = requires { F::needs_extents; } && (has_open_extent<A> || ...);
/// True for a function that is traced at run time: one that captures, or gets extents unknown to the compiler.
template <class F, class... A>
inline constexpr bool traced_when_run =
    !std::is_empty_v<F> || !(Argument_<A>::known && ...) || needs_extents_when_run<F, A...>;

/// The mistakes in a call of F with arguments A: arrays and numbers.
template <class F, class... A>
struct CheckCall {
    static consteval auto examine() {
        using Found = CheckFunction<F, typename InPlaceOf<A>::type...>;
        if constexpr (!is_fine<Found>) return Found{};
        else if constexpr (traced_when_run<F, A...>) return Mistake<>{};  // found when run
        else return named_refusal<OnShapes<F, Argument_<A>::shape...>>();
    }
    using mistake = MistakeOf<decltype(examine())>;
};
/// The mistakes in a call with tensors. Mistakes in shapes are noted by their trace.
template <class F, std::same_as<Tensor>... A>
struct CheckCall<F, A...> : CheckFunction<F, A...> {};

}  // namespace detail
}  // namespace sigma
