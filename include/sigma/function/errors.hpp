// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/arguments.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/scan.hpp>

#include <tuple>
#include <type_traits>

/// What is wrong with a function or its arguments, as names of types that are never defined; see `tape/errors.hpp`.
namespace sigma {

struct give_it_as_shaped_extents;
template <int>
struct arguments_given;
template <int>
struct arguments_taken;
template <int>
struct argument_number;

template <class, class>
struct error_extents_of_this_array_are_not_known_to_the_compiler;
template <class>
struct error_gradient_needs_a_scalar_function_it_returns;
template <class, class>
struct error_gradient_with_respect_to_an_argument_that_is_not_there;
template <class>
struct error_function_does_not_take;
template <class>
struct error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns;

namespace detail {

template <class F, bool with_value, class Which>
struct Derivative;

template <class E>
struct ArgumentShape {
    static constexpr bool known = Argument_<E>::known;
    static constexpr Shape shape = Argument_<E>::shape;
};
template <Shape S>
struct ArgumentShape<Tensor<S>> {
    static constexpr bool known = true;
    static constexpr Shape shape = S;
};

/// What is wrong with a function of tensors of types T.
template <class F, class... T>
struct CheckFunction {
    static consteval auto check() {
        if constexpr (!std::is_invocable_v<F, T...>) {
            return Mistake<error_function_does_not_take<arguments_given<static_cast<int>(sizeof...(T))>>>{};
        } else {
            using R = std::invoke_result_t<F, T...>;
            return MistakeIf<!are_tensors<R>,
                             error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns<R>>{};
        }
    }
    using mistake = MistakeOf<decltype(check())>;
};
template <class F, bool with_value, int... which, class... T>
struct CheckFunction<Derivative<F, with_value, Wrt<which...>>, T...> {
    static constexpr int taken = static_cast<int>(sizeof...(T));
    template <int number>
    using Absent =
        MistakeIf<(number < 0 || number >= taken), error_gradient_with_respect_to_an_argument_that_is_not_there<
                                                       argument_number<number>, arguments_taken<taken>>>;

    static consteval auto check() {
        using Inner = FirstMistake<CheckFunction<F, T...>, Absent<which>...>;
        if constexpr (!is_fine<Inner>) {
            return Inner{};
        } else {
            using R = std::invoke_result_t<F, T...>;
            if constexpr (!is_tensor<R>) return Mistake<error_gradient_needs_a_scalar_function_it_returns<R>>{};
            else
                return MistakeIf<!R::shape.scalar(), error_gradient_needs_a_scalar_function_it_returns<
                                                         typename Spelled<R::shape, R::shape.rank>::type>>{};
        }
    }
    using mistake = MistakeOf<decltype(check())>;
};

/// What is wrong with calling F with arguments A.
template <class F, class... A>
struct CheckCall {
    static consteval auto check() {
        using Unknown = FirstMistake<
            MistakeIf<!ArgumentShape<A>::known,
                      error_extents_of_this_array_are_not_known_to_the_compiler<A, give_it_as_shaped_extents>>...>;
        if constexpr (!is_fine<Unknown>) return Unknown{};
        else return CheckFunction<F, Tensor<ArgumentShape<A>::shape>...>{};
    }
    using mistake = MistakeOf<decltype(check())>;
};

}  // namespace detail
}  // namespace sigma
