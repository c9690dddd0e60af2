// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

/// Words of headers that sigma.hpp does not include name their header, which says before anything else that it is
/// there: SIGMA_INCLUDED(sigma, include_sigma_gpu_hpp). See execution/words_of_other_headers.hpp.
namespace sigma {

template <class Header>
struct error_word_is_not_included;

namespace detail {

/// Complete where the header is included. W is any type, so that the question is put when the word is used.
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
/// Until its header is included, a word is a function that says so; of any arguments, it is worse than every other.
#define SIGMA_WORD_OF(header, word)                        \
    struct header;                                         \
    template <sigma::detail::NotIncluded<header> W = void> \
    sigma::error_word_is_not_included<header> word(...)

/// A public word that has another name now, and another form: what it returned is the name of what is to be written.
/// One of the same form is `[[deprecated("write …")]]`. Those of data are in data/names.hpp.
template <class Write>
struct error_word_is_written_otherwise;

}  // namespace sigma

namespace sigma::detail {

/// Of `auto f(…) -> decltype(plainly(std::type_identity<E>{}))` g++ says in its first line that E is incomplete. Of a
/// function that is declared to return an alias of E it says the alias first, with all that it is made of, then E.
template <class E>
E plainly(std::type_identity<E>);

}  // namespace sigma::detail
