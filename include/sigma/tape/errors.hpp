// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shape.hpp>

/// What an ill-shaped call returns: types that are declared and never defined. The first error of g++ and clang is then
/// at the user's line and spells the mistake with its numbers, for instance
/// `error_dot_extents_differ<columns_of_x<64>, rows_of_w<100>>`. In a shape, -1 is the batch.
namespace sigma {

// clang-format off: a table
template <int> struct columns_of_x;
template <int> struct rows_of_w;
template <long long> struct elements;
template <int> struct axis_given;
template <int> struct elements_before;
template <int> struct elements_after;
template <int> struct first_index;
template <int> struct end_index;
template <int> struct groups_given;
// clang-format on

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
template <Shape S>
using spelled = typename detail::Spelled<S, S.rank>::type;

// clang-format off: a table
template <class, class> struct error_shapes_do_not_broadcast;
template <class, class, class> struct error_where_shapes_do_not_broadcast;
template <class, class> struct error_axis_out_of_range;
template <class, class> struct error_dot_extents_differ;
template <class, class> struct error_dot_leading_axes_differ;
template <class, class> struct error_dot_result_would_have_two_batch_axes;
template <class, class> struct error_dot_needs_a_matrix_or_vector;
template <class, class, class, class> struct error_slice_out_of_range;
struct write_slice_axis_first_end;
/// x[0] in a formula
template <class> struct error_tensor_has_no_elements;
template <class, class, class, class> struct error_pad_does_not_fit;
template <class, class, class> struct error_concatenate_shapes_differ_outside_the_axis;
// clang-format on

}  // namespace sigma
