// SPDX-License-Identifier: BSL-1.0
#pragma once

// Where this library meets xtensor. Arrays of xtensor go in everywhere without it; it is for what comes out, and for functions
// on arrays: gradient(f)(x, w).
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

/// The elements of an Array or ArrayView as an array of xtensor, without a copy: what is written to it, as in
/// `to_xtensor(model.parameter<"1-dense.biases">()) += 1.0f`, is written there. Valid as long as those elements; of a temporary
/// it is the new owner, so that `auto p = to_xtensor(model.predict(x))` is right. What xtensor has computed becomes an
/// array by Array<float>(expression).
template <class T>
auto to_xtensor(const Array<T>& a) {
    return xt::adapt(a.data(), a.size(), xt::no_ownership(), xt::dynamic_shape<std::size_t>(a.shape().begin(), a.shape().end()));
}
template <class T>
auto to_xtensor(Array<T>& a) {
    return xt::adapt(a.data(), a.size(), xt::no_ownership(), xt::dynamic_shape<std::size_t>(a.shape().begin(), a.shape().end()));
}
template <class T>
auto to_xtensor(Array<T>&& a) {
    xt::dynamic_shape<std::size_t> shape(a.shape().begin(), a.shape().end());
    return xt::adapt(std::move(a).take(), std::move(shape));
}
template <class T>
auto to_xtensor(const ArrayView<T>& a) {
    std::vector<std::ptrdiff_t> strides(a.dimension());
    std::size_t step = 1;
    for (std::size_t i = a.dimension(); i-- > 0;) {
        strides[i] = a.shape(i) == 1 ? 0 : static_cast<std::ptrdiff_t>(step);
        step *= i + 1 == a.dimension() ? a.row() : a.shape(i);
    }
    return xt::strided_view(xt::adapt(a.data(), step, xt::no_ownership(), std::array<std::size_t, 1>{step}),
                            std::vector<std::size_t>(a.shape()), std::move(strides), 0, xt::layout_type::dynamic);
}

}  // namespace sigma
