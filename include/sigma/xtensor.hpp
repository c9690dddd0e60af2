// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// Results as arrays of xtensor (to_xtensor), and functions on arrays (evaluate, gradient). Include it yourself; it
/// needs xtensor. Functions of `<sigma/sigma.hpp>` accept arrays of xtensor without it.
#include <sigma/core/array.hpp>
#include <sigma/core/xtensor.hpp>
#include <sigma/function/function.hpp>

#include <xtensor/xadapt.hpp>
#include <xtensor/xstrided_view.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace sigma {

/// Returns the elements of an array as an array of xtensor, without a copy.
///
/// Writing to the result writes to the elements. It is valid as long as they are. Of a temporary array the result owns
/// the elements. To make an Array of an expression of xtensor, write `Array<float>(expression)`.
/// @tparam T  element type
/// @param array  the array
/// @return an array of xtensor of the same shape
/// @par Example
/// @code
/// to_xtensor(model.parameter<"1-dense.biases">()) += 1.0f;
/// const auto predictions = to_xtensor(model.predict(images));
/// @endcode
///
/// @see Array, ArrayView, evaluate
template <class T>
auto to_xtensor(const Array<T>& array) {
    return xt::adapt(array.data(), array.size(), xt::no_ownership(),
                     xt::dynamic_shape<std::size_t>(array.shape().begin(), array.shape().end()));
}
/// @copydoc to_xtensor(const Array<T>&)
template <class T>
auto to_xtensor(Array<T>& array) {
    return xt::adapt(array.data(), array.size(), xt::no_ownership(),
                     xt::dynamic_shape<std::size_t>(array.shape().begin(), array.shape().end()));
}
/// Moves the elements of a temporary array into an array of xtensor.
/// @tparam T  element type
/// @param array  the array
/// @return an array of xtensor that owns the elements
///
/// @see Array
template <class T>
auto to_xtensor(Array<T>&& array) {
    xt::dynamic_shape<std::size_t> shape(array.shape().begin(), array.shape().end());
    return xt::adapt(std::move(array).take(), std::move(shape));
}
/// Returns the elements of a view as a strided view of xtensor, without a copy. It is valid as long as the elements
/// are.
/// @tparam T  element type
/// @param view  the view
/// @return a view of xtensor of the same shape
///
/// @see ArrayView
template <class T>
auto to_xtensor(const ArrayView<T>& view) {
    std::vector<std::ptrdiff_t> strides(view.dimension());
    std::size_t step = 1;
    for (std::size_t i = view.dimension(); i-- > 0;) {
        strides[i] = view.shape(i) == 1 ? 0 : static_cast<std::ptrdiff_t>(step);
        step *= i + 1 == view.dimension() ? view.row() : view.shape(i);
    }
    return xt::strided_view(xt::adapt(view.data(), step, xt::no_ownership(), std::array<std::size_t, 1>{step}),
                            std::vector<std::size_t>(view.shape()), std::move(strides), 0, xt::layout_type::dynamic);
}

}  // namespace sigma
