// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shape.hpp>

#include <type_traits>

// Shapes in names of mistakes in types: declared and never defined. -1 is the batch.
namespace sigma {

namespace detail {
template <Shape S, int rank>
struct Spelled;
// clang-format off: a table
template <Shape S> struct Spelled<S, 0> { using type = shape<>; };
template <Shape S> struct Spelled<S, 1> { using type = shape<S[0]>; };
template <Shape S> struct Spelled<S, 2> { using type = shape<S[0], S[1]>; };
template <Shape S> struct Spelled<S, 3> { using type = shape<S[0], S[1], S[2]>; };
template <Shape S> struct Spelled<S, 4> { using type = shape<S[0], S[1], S[2], S[3]>; };
template <Shape S> struct Spelled<S, 5> { using type = shape<S[0], S[1], S[2], S[3], S[4]>; };
template <Shape S> struct Spelled<S, 6> { using type = shape<S[0], S[1], S[2], S[3], S[4], S[5]>; };
// clang-format on
}  // namespace detail
}  // namespace sigma

// A mistake becomes the type that names it.
namespace sigma {

/// The result of a check: `Mistake<>` if nothing is wrong, or one of the type that names the mistake.
/// @tparam E  type that names the mistake, or void
///
/// @see docs/errors.md
template <class E = void>
struct Mistake {
    using mistake = E;
};
/// The result of a check with one condition: `MistakeIf<units < 1, error_…<units_given<units>>>`.
/// @tparam wrong  condition
/// @tparam E  type that names the mistake
///
/// @see docs/errors.md
template <bool wrong, class E>
using MistakeIf = Mistake<std::conditional_t<wrong, E, void>>;

template <class>
struct error_function_must_not_capture;

namespace detail {

/// The type that a result of a check names; void if nothing is wrong, and for other types.
template <class V>
struct MistakeIn {
    using type = void;
};
template <class V>
    requires requires { typename V::mistake; }
struct MistakeIn<V> {
    using type = typename V::mistake;
};
template <class V>
using MistakeOf = typename MistakeIn<V>::type;
template <class V>
inline constexpr bool is_fine = std::is_void_v<MistakeOf<V>>;

/// The first of several results that is a mistake.
template <class... V>
struct FirstMistake : Mistake<> {};
template <class V, class... More>
struct FirstMistake<V, More...> : std::conditional_t<is_fine<V>, FirstMistake<More...>, Mistake<MistakeOf<V>>> {};

/// T of std::type_identity<T>, or the type that names a mistake. It is `const`: g++ then prints its name as a base, and
/// not the whole expression.
template <class Found>
struct TypeOrMistake : Found {};
template <class Found>
    requires(!is_fine<Found>)
struct TypeOrMistake<Found> {
    using type = const MistakeOf<Found>;
};

}  // namespace detail
}  // namespace sigma
