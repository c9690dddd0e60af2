// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shape.hpp>

/// A shape in the name of a mistake that is found in types: declared and never defined. -1 is the batch.
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
