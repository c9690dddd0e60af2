// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/arguments.hpp>
#include <sigma/tape/mistake.hpp>

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

template <class F, class... T>
struct CallMistake {
    static constexpr auto find() {
        if constexpr (!std::is_invocable_v<F, T...>) {
            return std::type_identity<error_function_does_not_take<arguments_given<static_cast<int>(sizeof...(T))>>>{};
        } else {
            using R = std::invoke_result_t<F, T...>;
            if constexpr (are_tensors<R>) return std::type_identity<void>{};
            else return std::type_identity<error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns<R>>{};
        }
    }
    using type = typename decltype(find())::type;
};
template <class F, bool with_value, int... which, class... T>
struct CallMistake<Derivative<F, with_value, Wrt<which...>>, T...> {
    static constexpr int taken = static_cast<int>(sizeof...(T));
    template <int number>
    using Absent = std::conditional_t < number >= 0 &&
                   number<taken, void,
                          error_gradient_with_respect_to_an_argument_that_is_not_there<argument_number<number>,
                                                                                       arguments_taken<taken>>>;

    static constexpr auto find() {
        using Inner = typename FirstMistake<typename CallMistake<F, T...>::type, Absent<which>...>::type;
        if constexpr (!std::is_void_v<Inner>) {
            return std::type_identity<Inner>{};
        } else {
            using R = std::invoke_result_t<F, T...>;
            if constexpr (!is_tensor<R>)
                return std::type_identity<error_gradient_needs_a_scalar_function_it_returns<R>>{};
            else if constexpr (!R::shape.scalar())
                return std::type_identity<error_gradient_needs_a_scalar_function_it_returns<
                    typename Spelled<R::shape, R::shape.rank>::type>>{};
            else return std::type_identity<void>{};
        }
    }
    using type = typename decltype(find())::type;
};

template <class F, class... A>
struct FindMistake {
    static constexpr auto find() {
        using Unknown = typename FirstMistake<std::conditional_t<
            ArgumentShape<A>::known, void,
            error_extents_of_this_array_are_not_known_to_the_compiler<A, give_it_as_shaped_extents>>...>::type;
        if constexpr (!std::is_void_v<Unknown>) return std::type_identity<Unknown>{};
        else return CallMistake<F, Tensor<ArgumentShape<A>::shape>...>{};
    }
    using type = typename decltype(find())::type;
};
/// What is wrong with calling F with arguments A; void where nothing is.
template <class F, class... A>
using Mistake = typename FindMistake<F, A...>::type;

}  // namespace detail
}  // namespace sigma
