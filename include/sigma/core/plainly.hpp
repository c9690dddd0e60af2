// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <type_traits>

namespace sigma::detail {

/// Of `auto f(…) -> decltype(plainly(std::type_identity<E>{}))` g++ says in its first line that E is incomplete. Of a
/// function that is declared to return an alias of E it says the alias first, with all that it is made of, then E.
template <class E>
E plainly(std::type_identity<E>);

}  // namespace sigma::detail
