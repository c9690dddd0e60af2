// SPDX-License-Identifier: BSL-1.0
// Shapes of results are what the same shape written down is: a template argument, of which nothing may be left behind.
#include <sigma/tape/linear_algebra.hpp>

#include <type_traits>
#include <utility>

using namespace sigma;

template <Shape A>
using DeterminantOf = decltype(determinant(std::declval<Tensor<A>>()));
template <Shape A, Shape B>
using SolutionOf = decltype(solve(std::declval<Tensor<A>>(), std::declval<Tensor<B>>()));

static_assert(std::is_same_v<DeterminantOf<Shape(batch, 3, 3)>, Tensor<Shape(batch)>>);
static_assert(std::is_same_v<DeterminantOf<Shape(3, 3)>, Tensor<Shape{}>>);
static_assert(std::is_same_v<SolutionOf<Shape(batch, 3, 3), Shape(batch, 3)>, Tensor<Shape(batch, 3)>>);
static_assert(std::is_same_v<SolutionOf<Shape(5, 3, 3), Shape(5, 3)>, Tensor<Shape(5, 3)>>);
static_assert(std::is_same_v<SolutionOf<Shape(3, 3), Shape(batch, 3, 2)>, Tensor<Shape(batch, 3, 2)>>);
