// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tensor.hpp>

#include <tuple>
#include <type_traits>

/// How a mistake that was found becomes the type that names it; see `tape/errors.hpp`.
namespace sigma {

/// What a check answers: `Verdict<>` where nothing is wrong, or the type that names the mistake.
template <class E = void>
struct Verdict {
    using mistake = E;
};

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

/// Of `Found` = std::type_identity<T> T, of a Verdict the mistake.
template <class Found>
struct TypeOrMistake : Found {};
template <class E>
struct TypeOrMistake<Verdict<E>> {
    using type = E;
};

template <class V>
struct MistakeIn {
    using type = void;
};
template <class V>
    requires requires { typename V::mistake; }
struct MistakeIn<V> {
    using type = typename V::mistake;
};
/// The mistake that an answer names; void where it is none.
template <class V>
using MistakeOf = typename MistakeIn<V>::type;
template <class V>
inline constexpr bool is_fine = std::is_void_v<MistakeOf<V>>;

}  // namespace detail
}  // namespace sigma
