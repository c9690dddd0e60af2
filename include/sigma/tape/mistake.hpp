// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tensor.hpp>

#include <tuple>

/// What finding mistakes takes, and a mistake that functions and networks have in common; see `tape/errors.hpp`.
namespace sigma {

template <class>
struct error_function_must_not_capture;

namespace detail {

template <class R>
inline constexpr bool are_tensors = is_tensor<R>;
template <class... R>
inline constexpr bool are_tensors<std::tuple<R...>> = (is_tensor<R> && ...);

/// The first of these types that is not void.
template <class... E>
struct FirstMistake {
    using type = void;
};
template <class E, class... More>
struct FirstMistake<E, More...> {
    using type = E;
};
template <class... More>
struct FirstMistake<void, More...> : FirstMistake<More...> {};

}  // namespace detail
}  // namespace sigma
