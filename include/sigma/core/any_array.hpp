// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The requirements on arrays that you pass to functions: AnyArray. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/array_count.hpp>
#include <sigma/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// The requirements on an array that you pass to a function: extents, and elements in row-major order.
///
/// Array, ArrayView, and containers and expressions of xtensor meet them. Wrap numbers in a contiguous range in an
/// ArrayView.
///
/// @par Example
/// @code
/// std::vector<float> pixels(28 * 28);
/// auto predicted = model.predict(ArrayView(pixels, {1, 28, 28}));
/// @endcode
///
/// @see Array, ArrayView
template <class E>
concept AnyArray = requires(const E& e) {
    e.shape().begin();
    e.shape().end();
    { e.size() } -> std::convertible_to<std::size_t>;
    e.begin();
    e.end();
};
/// @cond internal
/// The remedy in mistakes about arguments that are not arrays.
struct use_an_array_or_ArrayView_of_numbers_and_their_shape;
/// @endcond

namespace detail {

/// The type of an element of a contiguous range.
template <class R>
using ElementInRow = typename decltype(std::span(std::declval<R&>()))::element_type;

/// A container or an expression of xtensor. Their layouts differ, so that iterators need the name of an order.
template <class E>
concept InLayouts = requires { std::remove_cvref_t<decltype(E::static_layout)>::row_major; };

/// Returns the extents of an array. Its shape() may return them by value.
template <AnyArray E>
std::vector<std::size_t> shape_of(const E& e) {
    const auto& shape = e.shape();
    return std::vector<std::size_t>(shape.begin(), shape.end());
}

/// Throws ShapeError unless an array has as many elements as its shape has.
template <AnyArray E>
void check_elements(const E& e, std::size_t elements) {
    const auto& shape = e.shape();
    if (array_count(shape) != elements) refuse_array_count("array", shape_of(e), elements);
}

/// Returns the extents of an array. Throws ShapeError, before any memory is allocated, unless the array has as many
/// elements as its shape has.
template <AnyArray E>
std::vector<std::size_t> counted_shape(const E& e) {
    check_elements(e, static_cast<std::size_t>(e.size()));
    return shape_of(e);
}

/// Calls f(element) for each element, in row-major order. Throws ShapeError, at the end, unless there were as many
/// elements as the shape has.
template <AnyArray E, class F>
void for_each_element(const E& e, F f) {
    std::size_t elements = 0;
    const auto counted = [&](const auto& x) {
        f(x);
        ++elements;
    };
    if constexpr (InLayouts<E>) {
        constexpr auto order = std::remove_cvref_t<decltype(E::static_layout)>::row_major;
        const auto end = e.template end<order>();
        for (auto at = e.template begin<order>(); at != end; ++at) counted(*at);
    } else {
        for (auto&& x : e) counted(x);
    }
    check_elements(e, elements);
}

/// Returns whether the elements are dense and in row-major order. Views may skip elements or reverse an axis.
template <class E>
bool follow_one_another(const E& e) {
    std::ptrdiff_t expected = 1;
    for (std::size_t i = e.dimension(); i-- > 0;) {
        const auto extent = static_cast<std::ptrdiff_t>(e.shape()[i]);
        if (extent != 1 && static_cast<std::ptrdiff_t>(e.strides()[i]) != expected) return false;
        expected *= extent;
    }
    return true;
}

/// The elements of an array as dense elements of type T in row-major order: those of the array if they are already,
/// otherwise a copy. Throws ShapeError unless there are as many elements as the shape has.
template <class T>
class DenseElements {
public:
    template <AnyArray E>
    explicit DenseElements(const E& e) {
        check_elements(e, static_cast<std::size_t>(e.size()));
        data_ = own(e);
        if (data_) return;
        copy_.reserve(static_cast<std::size_t>(e.size()));
        for_each_element(e, [this](const auto& x) { copy_.push_back(static_cast<T>(x)); });
        data_ = copy_.data();
    }
    DenseElements(const DenseElements&) = delete;
    DenseElements& operator=(const DenseElements&) = delete;

    const T* data() const { return data_; }

private:
    std::vector<T> copy_;
    const T* data_ = nullptr;

    /// Returns the elements of the array if they are dense, in row-major order and of type T, otherwise null.
    template <class E>
    static const T* own(const E& e) {
        if constexpr (InLayouts<E>) {
            if constexpr (requires {
                              { e.data() } -> std::convertible_to<const T*>;
                              e.data_offset();
                              e.strides();
                          } && std::is_same_v<typename E::value_type, T>)
                if (follow_one_another(e)) return e.data() + static_cast<std::ptrdiff_t>(e.data_offset());
        } else if constexpr (requires {
                                 { e.dense() } -> std::convertible_to<const T*>;
                             }) {
            return e.dense();
        } else if constexpr (requires { std::span(e); }) {
            if constexpr (std::is_same_v<decltype(std::span(e).data()), const T*>) {
                check_elements(e, std::span(e).size());
                return std::span(e).data();
            }
        }
        return nullptr;
    }
};

}  // namespace detail
}  // namespace sigma
