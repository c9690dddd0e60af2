// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

// Functions of headers that sigma.hpp does not include are declared there as mistakes that name the header. The header
// itself begins with SIGMA_INCLUDED(sigma, include_sigma_gpu_hpp). See execution/words_of_other_headers.hpp.
/// @cond internal
namespace sigma {

/// Reports at compile time that the header of a function is not included; the argument names the header.
template <class Header>
struct error_word_is_not_included;

namespace detail {

/// A type that is complete if the header is included. W is any type, so that the check happens when the function is
/// used.
template <class Header, class W>
struct Included;
template <class W, class Header>
concept NotIncluded = !requires { sizeof(Included<Header, W>); };

}  // namespace detail

#define SIGMA_INCLUDED(space, header) \
    namespace space {                 \
    struct header;                    \
    }                                 \
    template <class W>                \
    struct sigma::detail::Included<space::header, W> {}
/// Declares a function that reports the missing header. It takes any arguments, and every other overload is a better
/// match.
#define SIGMA_WORD_OF(header, word)                        \
    struct header;                                         \
    template <sigma::detail::NotIncluded<header> W = void> \
    sigma::error_word_is_not_included<header> word(...)

/// Reports a former name at compile time; the argument names what to write instead. Former names with the same use are
/// `[[deprecated("write …")]]`.
template <class Write>
struct error_word_is_written_otherwise;

}  // namespace sigma

namespace sigma::detail {

/// Returns E, which is incomplete. For `auto f(…) -> decltype(plainly(std::type_identity<E>{}))` the first line of g++
/// names E. For a function that returns an alias of E it names the alias first, with all its arguments.
template <class E>
E plainly(std::type_identity<E>);

}  // namespace sigma::detail
/// @endcond
