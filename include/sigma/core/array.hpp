// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Arrays and views of arrays: Array, ArrayView. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_array.hpp>
#include <sigma/core/memory.hpp>
#include <sigma/core/shape.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

using ArrayShape = std::vector<std::size_t>;

/// Returns the offset of an element. Throws ArgumentError if the number of indices or an index is wrong.
std::size_t array_offset(const ArrayShape& shape, std::size_t row, std::initializer_list<std::size_t> indices);
/// Returns the extent of an axis. Throws ArgumentError if there is no such axis.
std::size_t array_extent(const ArrayShape& shape, std::size_t axis);
/// Throws ShapeError if the shapes differ.
void check_assigned_shape(const ArrayShape& wanted, const ArrayShape& found);
/// Returns the size of an array in bytes. Throws MemoryError if a size_t cannot hold the size.
std::size_t array_bytes(const ArrayShape& shape, std::size_t bytes_of_each);
/// Rethrows the current exception; a lack of memory becomes a MemoryError. See refuse_memory.
[[noreturn]] void refuse_array(const ArrayShape& shape, std::size_t bytes_of_each);
/// Throws ShapeError if an array has another number of axes than `wanted`.
void check_array_axes(std::size_t wanted, const ArrayShape& found);
/// Throws ShapeError if a row has another length than the first row.
void check_row_length(std::size_t wanted, std::size_t found);
/// Returns the extents of a tensor with the given number of records, beginning with axis `from`.
ArrayShape array_extents(const Shape& shape, std::ptrdiff_t records = 1, int from = 0);

template <class Integer>
concept ArrayIndex = std::is_integral_v<Integer>;

}  // namespace detail

/// @cond internal
struct use_to_xtensor_of_the_array_and_include_sigma_xtensor_hpp;
/// Reports arithmetic with arrays at compile time: `model.predict(x) + 1.0f`.
template <class Write>
struct error_arrays_have_no_arithmetic;
struct use_all_indices_in_parentheses;
/// Reports brackets at compile time: write `p(0, 1)` instead of `p[0][1]`.
template <class Write>
struct error_array_has_no_brackets;

/// Operators that reject arithmetic with arrays, because xtensor has it. The namespace of their own keeps
/// argument-dependent lookup from finding anything else in it.
namespace without_arithmetic {

struct Numbers {
    template <class Integer>
    error_array_has_no_brackets<use_all_indices_in_parentheses> operator[](const Integer&) const;
};
template <class A, class B>
concept Among = std::is_base_of_v<Numbers, A> || std::is_base_of_v<Numbers, B>;
using Mistake = error_arrays_have_no_arithmetic<use_to_xtensor_of_the_array_and_include_sigma_xtensor_hpp>;

template <class A, class B>
    requires Among<A, B>
Mistake operator+(const A&, const B&);
template <class A, class B>
    requires Among<A, B>
Mistake operator-(const A&, const B&);
template <class A, class B>
    requires Among<A, B>
Mistake operator*(const A&, const B&);
template <class A, class B>
    requires Among<A, B>
Mistake operator/(const A&, const B&);

}  // namespace without_arithmetic
/// @endcond

namespace detail {

/// A container of xtensor that owns its elements.
template <class E>
concept ContainerInLayouts = InLayouts<E> && requires(ArrayShape shape) { E::from_shape(shape); };
/// Copies an array into a container of xtensor. Throws ShapeError if the container has another number of axes.
template <class E, class A>
E container_of(const A& a) {
    if constexpr (requires { std::tuple_size<typename E::shape_type>::value; })
        check_array_axes(std::tuple_size<typename E::shape_type>::value, a.shape());
    E copy = E::from_shape(a.shape());
    constexpr auto order = std::remove_cvref_t<decltype(E::static_layout)>::row_major;
    auto to = copy.template begin<order>();
    for (const auto& x : a) *to++ = x;
    return copy;
}

}  // namespace detail

/// A view of elements that another object owns, for instance a model's parameters.
///
/// The extents are known at run time and the order is row-major. Rows may be padded: `row()` is the distance from the
/// beginning of one row to the next. A copy of a view refers to the same elements. If you assign an array to a view,
/// the elements of the array are written to the elements of the view. The view is valid as long as the owner keeps the
/// elements.
///
/// @tparam T  type of the elements; `const` for a view that only reads
///
/// @par Example
/// @code
/// std::vector<float> pixels(2 * 28 * 28);
/// const auto predicted = model.predict(ArrayView(pixels, {2, 28, 28}));  // shape (2, 10)
/// @endcode
///
/// @see Array, to_xtensor
template <class T>
class ArrayView : without_arithmetic::Numbers {
public:
    /// @cond internal
    using Numbers::operator[];
    /// @endcond
    using value_type = std::remove_const_t<T>;    ///< The type of an element, without `const`.
    using shape_type = std::vector<std::size_t>;  ///< The type of the extents, one number for each axis.
    class iterator;
    using const_iterator = iterator;  ///< The same as `iterator`: constness follows from `T`.

    /// Constructs a view of dense elements, without checking their number.
    /// @param data   first element. There must be at least as many elements as the shape has.
    /// @param shape  extents
    /// @throws ShapeError  if the number of elements does not fit into a size_t
    ArrayView(T* data, shape_type shape) : data_(data), shape_(std::move(shape)), row_(last()) {
        detail::check_window(shape_, row_);
    }
    /// Constructs a view of padded rows, without checking their number.
    /// @param data   first element. There must be memory for all rows.
    /// @param shape  extents
    /// @param row    elements from the beginning of one row to the next, at least the last extent. Ignored for fewer
    ///               than two axes.
    /// @throws ShapeError  if the number of elements does not fit into a size_t, or if rows overlap
    ArrayView(T* data, shape_type shape, std::size_t row)
        : data_(data), shape_(std::move(shape)), row_(dimension() > 1 ? row : last()) {
        detail::check_window(shape_, row_);
    }
    /// Constructs a view of a contiguous range, such as a std::vector, a std::array or a std::span.
    /// @param numbers  range of elements. It must outlive the view.
    /// @param shape    extents
    /// @throws ShapeError  if the range has another number of elements than the shape
    template <class R>
        requires std::is_same_v<detail::ElementInRow<R>, T>
    ArrayView(R&& numbers, shape_type shape) : ArrayView(std::span(numbers).data(), std::move(shape)) {
        detail::check_array_count(shape_, std::span(numbers).size());
    }
    /// Constructs a view of the same elements.
    ArrayView(const ArrayView&) = default;
    /// Converts to a view that only reads.
    operator ArrayView<const T>() const
        requires(!std::is_const_v<T>)
    {
        return {data_, shape_, row_};
    }
    /// Converts to a container of xtensor, with a copy of the elements.
    /// @throws ShapeError  if the container has a fixed number of axes and the view has another
    template <detail::ContainerInLayouts E>
    operator E() const {
        return detail::container_of<E>(*this);
    }

    /// Copies the elements of an array to the elements of this view.
    /// @param from  array of the same shape, of any element type that converts. It may refer to the same elements.
    /// @throws ShapeError  if the shapes differ
    template <AnyArray E>
        requires(!std::is_const_v<T>)
    ArrayView& operator=(const E& from) {
        detail::check_assigned_shape(shape_, detail::shape_of(from));
        std::vector<value_type> values;  // a copy, because `from` may view the same elements in another order
        values.reserve(static_cast<std::size_t>(from.size()));
        detail::for_each_element(from, [&](const auto& x) { values.push_back(static_cast<value_type>(x)); });
        auto to = begin();
        for (const value_type x : values) *to++ = x;
        return *this;
    }
    /// Copies the elements of another view to the elements of this view.
    /// @param from  view of the same shape
    /// @throws ShapeError  if the shapes differ
    ArrayView& operator=(const ArrayView& from)
        requires(!std::is_const_v<T>)
    {
        return this->template operator= <ArrayView>(from);
    }
    /// Sets every element to a value.
    /// @param value  new value of each element
    void fill(T value) const {
        for (T& x : *this) x = value;
    }

    /// Returns the extents, one for each axis.
    /// @return the extents, one for each axis
    const shape_type& shape() const& { return shape_; }
    /// Moves the extents out of a temporary object.
    /// @return the extents, one for each axis
    shape_type shape() && { return std::move(shape_); }
    /// Returns the extent of one axis.
    /// @param axis  number of the axis, from 0
    /// @return the extent of one axis
    /// @throws ArgumentError  if there is no such axis
    std::size_t shape(std::size_t axis) const { return detail::array_extent(shape_, axis); }
    /// Returns the number of axes.
    /// @return the number of axes
    std::size_t dimension() const { return shape_.size(); }
    /// Returns the number of elements.
    std::size_t size() const { return detail::array_count(shape_); }
    /// Returns the address of the first element. The others follow row by row, `row()` elements apart.
    T* data() const { return data_; }
    /// Returns the distance from the beginning of one row to the next, in elements.
    /// @return the distance from the beginning of one row to the next, in elements
    std::size_t row() const { return row_; }
    /// Returns the address of the first element if all elements follow one another without gaps, otherwise null.
    /// @return an address, or null
    T* dense() const { return row_ == last() || size() <= last() ? data_ : nullptr; }

    /// Returns an element.
    /// @param indices  one index for each axis, from 0
    /// @return the element
    /// @throws ArgumentError  if there are more or fewer indices than axes, or if an index is out of range
    template <detail::ArrayIndex... Integer>
    T& operator()(Integer... indices) const {
        return data_[detail::array_offset(shape_, row_, {static_cast<std::size_t>(indices)...})];
    }
    /// Returns an iterator to the first element, in row-major order. It skips the padding of rows.
    iterator begin() const { return {data_, last(), row_}; }
    /// Returns the iterator past the last element.
    iterator end() const { return {data_ + (last() > 0 ? size() / last() * row_ : 0), last(), row_}; }

private:
    T* data_;
    shape_type shape_;
    std::size_t row_;

    std::size_t last() const { return shape_.empty() ? 1 : shape_.back(); }
};
/// @cond internal
template <class R, class S>
ArrayView(R&&, S) -> ArrayView<detail::ElementInRow<R>>;
template <class R>
ArrayView(R&&, std::initializer_list<std::size_t>) -> ArrayView<detail::ElementInRow<R>>;
/// @endcond

/// A forward iterator over the elements of a view, in row-major order.
/// @see ArrayView::begin
template <class T>
class ArrayView<T>::iterator {
public:
    using value_type = std::remove_const_t<T>;  ///< The type of an element, without `const`.
    using difference_type = std::ptrdiff_t;     ///< The type of a distance between iterators.

    /// Constructs an iterator that refers to no element.
    iterator() = default;
    /// Constructs an iterator. ArrayView::begin calls this constructor.
    /// @param at       element it refers to, the first of a row
    /// @param columns  elements of a row
    /// @param row      elements from the beginning of one row to the next
    iterator(T* at, std::size_t columns, std::size_t row) : at_(at), columns_(columns), gap_(row - columns) {}

    /// Returns the element.
    T& operator*() const { return *at_; }
    /// Returns the address of the element.
    T* operator->() const { return at_; }
    /// Advances to the next element.
    iterator& operator++() {
        ++at_;
        if (++column_ == columns_) {
            column_ = 0;
            at_ += gap_;
        }
        return *this;
    }
    /// Advances to the next element and returns the previous position.
    iterator operator++(int) {
        const iterator before = *this;
        ++*this;
        return before;
    }
    /// Returns whether two iterators refer to the same element.
    friend bool operator==(const iterator& left, const iterator& right) { return left.at_ == right.at_; }

private:
    T* at_ = nullptr;
    std::size_t columns_ = 0, gap_ = 0, column_ = 0;
};

/// An array that owns its elements.
///
/// The extents are known at run time. The elements are dense and in row-major order. `Array` has no arithmetic: to
/// compute with the elements, include `<sigma/xtensor.hpp>` and call `to_xtensor`.
///
/// @tparam T  type of the elements, such as `float`, `double` or `int`. Neither `const` nor `bool`.
///
/// @par Example
/// @code
/// Array<float> table{{1, 2, 3}, {4, 5, 6}};             // shape (2, 3)
/// auto zeros_of_images = Array<float>::from_shape({100, 28, 28});
/// float corner = table(1, 2);                           // 6
/// for (float& x : table) x *= 2;
/// @endcode
///
/// @see ArrayView, to_xtensor, DeviceArray
template <class T>
class Array : without_arithmetic::Numbers {
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>> && !std::is_same_v<T, bool>);

public:
    /// @cond internal
    using Numbers::operator[];
    /// @endcond
    using value_type = T;                         ///< The type of an element.
    using shape_type = std::vector<std::size_t>;  ///< The type of the extents, one number for each axis.

    /// Constructs an array of shape (0), which has no elements.
    Array() : shape_{0} {}
    /// Constructs an array of one axis: `Array<float>{1, 2, 3}`.
    /// @param elements  the elements
    // A template, so that {{1}, {2}}, which matches two constructors, becomes an array of two axes.
    template <class = void>
    Array(std::initializer_list<T> elements) : shape_{elements.size()}, elements_(elements) {}
    /// Constructs an array of two axes: `Array<float>{{1, 2, 3}, {4, 5, 6}}`.
    /// @param rows  the elements of each row
    /// @throws ShapeError  if rows differ in length
    Array(std::initializer_list<std::initializer_list<T>> rows)
        : shape_{rows.size(), rows.size() ? rows.begin()->size() : 0} {
        for (const auto& row : rows) {
            detail::check_row_length(shape_[1], row.size());
            elements_.insert(elements_.end(), row.begin(), row.end());
        }
    }
    /// Constructs an array from its shape and its elements, without a copy if you move the vector.
    /// @param shape     extents
    /// @param elements  elements in row-major order
    /// @throws ShapeError  if the vector has another number of elements than the shape
    Array(shape_type shape, std::vector<T> elements) : shape_(std::move(shape)), elements_(std::move(elements)) {
        detail::check_array_count(shape_, elements_.size());
    }
    /// Copies any array: a view, a container or an expression of xtensor, or an Array of another type.
    /// @param from  array to copy. Each element is converted with `static_cast<T>`.
    /// @throws ShapeError   if `from` has another number of elements than its shape
    /// @throws MemoryError  if there is not enough memory
    template <class E>
        requires(!std::is_same_v<E, Array> && AnyArray<E>)
    explicit Array(const E& from) : shape_(detail::counted_shape(from)) {
        with_room_for(shape_, [this](std::size_t count) { elements_.reserve(count); });
        detail::for_each_element(from, [this](const auto& x) { elements_.push_back(static_cast<T>(x)); });
    }
    /// Returns an array of zeros.
    /// @param shape  extents
    /// @return an array of this shape
    /// @throws MemoryError  if there is not enough memory
    static Array from_shape(shape_type shape) {
        auto elements = with_room_for(shape, [](std::size_t count) { return std::vector<T>(count); });
        return Array(std::move(shape), std::move(elements));
    }
    /// Converts to a view of the elements.
    operator ArrayView<T>() { return {data(), shape_}; }
    /// Converts to a view that only reads the elements.
    operator ArrayView<const T>() const { return {data(), shape_}; }
    /// Converts to a container of xtensor with a copy of the elements: `xt::xarray<float> p = model.predict(x)`.
    /// `to_xtensor(p)` avoids the copy.
    /// @throws ShapeError  if the container has a fixed number of axes and the array has another
    template <detail::ContainerInLayouts E>
    operator E() const {
        return detail::container_of<E>(*this);
    }

    /// Returns the extents, one for each axis.
    /// @return the extents, one for each axis
    const shape_type& shape() const& { return shape_; }
    /// Moves the extents out of a temporary object.
    /// @return the extents, one for each axis
    shape_type shape() && { return std::move(shape_); }
    /// Returns the extent of one axis.
    /// @param axis  number of the axis, from 0
    /// @return the extent of one axis
    /// @throws ArgumentError  if there is no such axis
    std::size_t shape(std::size_t axis) const { return detail::array_extent(shape_, axis); }
    /// Returns the number of axes.
    /// @return the number of axes
    std::size_t dimension() const { return shape_.size(); }
    /// Returns the number of elements.
    std::size_t size() const { return elements_.size(); }
    /// Returns the address of the first element. The others follow in row-major order without gaps.
    T* data() { return elements_.data(); }
    /// Returns the address of the first element, for reading.
    const T* data() const { return elements_.data(); }
    /// Returns an element.
    /// @param indices  one index for each axis, from 0
    /// @return the element
    /// @throws ArgumentError  if there are more or fewer indices than axes, or if an index is out of range
    template <detail::ArrayIndex... Integer>
    T& operator()(Integer... indices) & {
        return elements_[offset(indices...)];
    }
    /// Returns an element, for reading.
    /// @param indices  one index for each axis, from 0
    /// @return the element
    /// @throws ArgumentError  if there are more or fewer indices than axes, or if an index is out of range
    template <detail::ArrayIndex... Integer>
    const T& operator()(Integer... indices) const& {
        return elements_[offset(indices...)];
    }
    /// Returns a copy of an element of a temporary array.
    /// @param indices  one index for each axis, from 0
    /// @return a copy of the element
    /// @throws ArgumentError  if there are more or fewer indices than axes, or if an index is out of range
    template <detail::ArrayIndex... Integer>
    T operator()(Integer... indices) && {
        return elements_[offset(indices...)];
    }
    /// Returns an iterator to the first element.
    T* begin() { return data(); }
    /// Returns the iterator past the last element.
    T* end() { return data() + size(); }
    /// Returns an iterator to the first element, for reading.
    const T* begin() const { return data(); }
    /// Returns the iterator past the last element, for reading.
    const T* end() const { return data() + size(); }

    /// Sets every element to a value.
    /// @param value  new value of each element
    void fill(T value) {
        for (T& x : *this) x = value;
    }
    /// Changes the extents and keeps the elements and their order.
    /// @param shape  new extents
    /// @return this array
    /// @throws ShapeError  if the new shape has another number of elements
    Array& reshape(shape_type shape) & {
        detail::check_array_count(shape, size());
        shape_ = std::move(shape);
        return *this;
    }
    /// Moves the elements out of the array, which then has the shape (0): `std::move(array).take()`.
    /// @return the elements in row-major order
    std::vector<T> take() && {
        shape_ = {0};
        return std::exchange(elements_, {});
    }

private:
    shape_type shape_;
    std::vector<T> elements_;

    template <class F>
    static decltype(auto) with_room_for(const shape_type& shape, F f) {
        const std::size_t count = detail::array_count(shape);
        return detail::in_memory([&] { detail::refuse_array(shape, sizeof(T)); }, [&] { return f(count); });
    }
    template <class... Integer>
    std::size_t offset(Integer... indices) const {
        return detail::array_offset(shape_, shape_.empty() ? 1 : shape_.back(), {static_cast<std::size_t>(indices)...});
    }
};

namespace detail {
template <class>
inline constexpr bool is_own_array = false;
template <class T>
inline constexpr bool is_own_array<Array<T>> = true;
template <class T>
inline constexpr bool is_own_array<ArrayView<T>> = true;
}  // namespace detail

/// Returns whether two arrays or views have the same shape and equal elements.
/// @param left   Array or ArrayView
/// @param right  Array or ArrayView
/// @return true if shape and elements are equal
/// @see Array, ArrayView
template <class A, class B>
    requires(detail::is_own_array<A> && detail::is_own_array<B>)
bool operator==(const A& left, const B& right) {
    if (left.shape() != right.shape()) return false;
    auto other = right.begin();
    for (const auto& x : left)
        if (!(x == *other++)) return false;
    return true;
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/array.ipp>
#endif
