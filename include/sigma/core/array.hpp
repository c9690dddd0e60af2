// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// The arrays that users get: as small as that. To compute with them, `to_xtensor(array)` of <sigma/xtensor.hpp> is an
/// array of xtensor over the same elements.
namespace sigma {

namespace detail {

using ArrayShape = std::vector<std::size_t>;

/// Where an element is, by its indices; ArgumentError where there is none.
std::size_t array_offset(const ArrayShape& shape, std::size_t row, std::initializer_list<std::size_t> indices);
std::size_t array_extent(const ArrayShape& shape, std::size_t axis);
/// Throws a ShapeError where they differ.
void check_assigned_shape(const ArrayShape& wanted, const ArrayShape& found);
/// Throws MemoryError where there are more than addresses.
std::size_t array_bytes(const ArrayShape& shape, std::size_t bytes_of_each);
/// See refuse_memory.
[[noreturn]] void refuse_array(const ArrayShape& shape, std::size_t bytes_of_each);
void check_array_axes(std::size_t wanted, const ArrayShape& found);
/// The same for the rows of one array.
void check_row_length(std::size_t wanted, std::size_t found);
/// Extents of a tensor of so many records, from an axis on.
ArrayShape array_extents(const Shape& shape, std::ptrdiff_t records = 1, int from = 0);

template <class Integer>
concept ArrayIndex = std::is_integral_v<Integer>;

}  // namespace detail

struct write_to_xtensor_of_the_array_and_include_sigma_xtensor_hpp;
/// model.predict(x) + 1.0f
template <class Write>
struct error_arrays_have_no_arithmetic;
struct write_all_indices_in_parentheses;
/// p[0][1], which is p(0, 1)
template <class Write>
struct error_array_has_no_brackets;

/// What arrays have not, since xtensor has it. Apart from the rest, so that nothing else is found beside it.
namespace without_arithmetic {

struct Numbers {
    template <class Integer>
    error_array_has_no_brackets<write_all_indices_in_parentheses> operator[](const Integer&) const;
};
template <class A, class B>
concept Among = std::is_base_of_v<Numbers, A> || std::is_base_of_v<Numbers, B>;
using Mistake = error_arrays_have_no_arithmetic<write_to_xtensor_of_the_array_and_include_sigma_xtensor_hpp>;

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

namespace detail {

/// An array of xtensor that owns its elements.
template <class E>
concept ContainerInLayouts = InLayouts<E> && requires(ArrayShape shape) { E::from_shape(shape); };
/// A copy of an array as one of these. Throws ShapeError where it has another number of axes.
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

/// A window on elements that another owns, for instance a model's parameters: extents known at run time, row-major,
/// with `row` elements from the begin of one row to that of the next. A copy of it is a window on the same elements; an
/// array that is assigned to it is written to them.
template <class T>
class ArrayView : without_arithmetic::Numbers {
public:
    using Numbers::operator[];
    using value_type = std::remove_const_t<T>;
    using shape_type = std::vector<std::size_t>;
    class iterator;
    using const_iterator = iterator;

    /// On numbers that are not counted: there must be as many as the shape says. Throws ShapeError where its elements
    /// cannot be counted or rows overlap.
    ArrayView(T* data, shape_type shape) : data_(data), shape_(std::move(shape)), row_(last()) {
        detail::check_window(shape_, row_);
    }
    ArrayView(T* data, shape_type shape, std::size_t row)
        : data_(data), shape_(std::move(shape)), row_(dimension() > 1 ? row : last()) {
        detail::check_window(shape_, row_);
    }
    /// On numbers in a row. Throws ShapeError where the shape is not of so many.
    template <class R>
        requires std::is_same_v<detail::ElementInRow<R>, T>
    ArrayView(R&& numbers, shape_type shape) : ArrayView(std::span(numbers).data(), std::move(shape)) {
        detail::check_array_count(shape_, std::span(numbers).size());
    }
    ArrayView(const ArrayView&) = default;
    operator ArrayView<const T>() const
        requires(!std::is_const_v<T>)
    {
        return {data_, shape_, row_};
    }
    template <detail::ContainerInLayouts E>
    operator E() const {
        return detail::container_of<E>(*this);
    }

    /// Writes the elements of an array of the same shape to these. Throws ShapeError where it has another.
    template <AnyArray E>
        requires(!std::is_const_v<T>)
    ArrayView& operator=(const E& from) {
        detail::check_assigned_shape(shape_, detail::shape_of(from));
        std::vector<value_type> values;  // of `from`, which may be on these elements in another order
        values.reserve(static_cast<std::size_t>(from.size()));
        detail::for_each_element(from, [&](const auto& x) { values.push_back(static_cast<value_type>(x)); });
        auto to = begin();
        for (const value_type x : values) *to++ = x;
        return *this;
    }
    ArrayView& operator=(const ArrayView& from)
        requires(!std::is_const_v<T>)
    {
        return this->template operator= <ArrayView>(from);
    }
    void fill(T value) const {
        for (T& x : *this) x = value;
    }

    const shape_type& shape() const& { return shape_; }
    shape_type shape() && { return std::move(shape_); }
    /// Throws ArgumentError where there is no such axis.
    std::size_t shape(std::size_t axis) const { return detail::array_extent(shape_, axis); }
    std::size_t dimension() const { return shape_.size(); }
    std::size_t size() const { return detail::array_count(shape_); }
    /// The first element; the others follow it row by row.
    T* data() const { return data_; }
    /// Elements from one row to the next.
    std::size_t row() const { return row_; }
    /// The elements, where they follow one another without gaps; else null.
    T* dense() const { return row_ == last() || size() <= last() ? data_ : nullptr; }

    /// An element by its indices, one for each axis. Throws ArgumentError where there is none.
    template <detail::ArrayIndex... Integer>
    T& operator()(Integer... indices) const {
        return data_[detail::array_offset(shape_, row_, {static_cast<std::size_t>(indices)...})];
    }
    iterator begin() const { return {data_, last(), row_}; }
    iterator end() const { return {data_ + (last() > 0 ? size() / last() * row_ : 0), last(), row_}; }

private:
    T* data_;
    shape_type shape_;
    std::size_t row_;

    std::size_t last() const { return shape_.empty() ? 1 : shape_.back(); }
};
template <class R, class S>
ArrayView(R&&, S) -> ArrayView<detail::ElementInRow<R>>;
template <class R>
ArrayView(R&&, std::initializer_list<std::size_t>) -> ArrayView<detail::ElementInRow<R>>;

/// Goes through elements in row-major order.
template <class T>
class ArrayView<T>::iterator {
public:
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    iterator(T* at, std::size_t columns, std::size_t row) : at_(at), columns_(columns), gap_(row - columns) {}

    T& operator*() const { return *at_; }
    T* operator->() const { return at_; }
    iterator& operator++() {
        ++at_;
        if (++column_ == columns_) {
            column_ = 0;
            at_ += gap_;
        }
        return *this;
    }
    iterator operator++(int) {
        const iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

private:
    T* at_ = nullptr;
    std::size_t columns_ = 0, gap_ = 0, column_ = 0;
};

/// An array that owns its elements: extents known at run time, dense, row-major.
template <class T>
class Array : without_arithmetic::Numbers {
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>> && !std::is_same_v<T, bool>);

public:
    using Numbers::operator[];
    using value_type = T;
    using shape_type = std::vector<std::size_t>;

    /// Of no elements.
    Array() : shape_{0} {}
    /// Of one axis: Array<float>{1, 2, 3}. A template, so that {{1}, {2}}, which might be both, is of two.
    template <class = void>
    Array(std::initializer_list<T> elements) : shape_{elements.size()}, elements_(elements) {}
    /// Of two: Array<float>{{1, 2, 3}, {4, 5, 6}}. Throws ShapeError where rows differ in length.
    Array(std::initializer_list<std::initializer_list<T>> rows)
        : shape_{rows.size(), rows.size() ? rows.begin()->size() : 0} {
        for (const auto& row : rows) {
            detail::check_row_length(shape_[1], row.size());
            elements_.insert(elements_.end(), row.begin(), row.end());
        }
    }
    /// Throws ShapeError where the shape is not of so many elements.
    Array(shape_type shape, std::vector<T> elements) : shape_(std::move(shape)), elements_(std::move(elements)) {
        detail::check_array_count(shape_, elements_.size());
    }
    /// A copy of any array.
    template <class E>
        requires(!std::is_same_v<E, Array> && AnyArray<E>)
    explicit Array(const E& from) : shape_(detail::counted_shape(from)) {
        with_room_for(shape_, [this](std::size_t count) { elements_.reserve(count); });
        detail::for_each_element(from, [this](const auto& x) { elements_.push_back(static_cast<T>(x)); });
    }
    /// Of zeros. Throws MemoryError where there is no memory for them, as all that makes arrays does.
    static Array from_shape(shape_type shape) {
        auto elements = with_room_for(shape, [](std::size_t count) { return std::vector<T>(count); });
        return Array(std::move(shape), std::move(elements));
    }
    operator ArrayView<T>() { return {data(), shape_}; }
    operator ArrayView<const T>() const { return {data(), shape_}; }
    /// A copy: `xt::xarray<float> p = model.predict(x)`. Without one it is to_xtensor(p).
    template <detail::ContainerInLayouts E>
    operator E() const {
        return detail::container_of<E>(*this);
    }

    const shape_type& shape() const& { return shape_; }
    shape_type shape() && { return std::move(shape_); }
    /// Throws ArgumentError where there is no such axis.
    std::size_t shape(std::size_t axis) const { return detail::array_extent(shape_, axis); }
    std::size_t dimension() const { return shape_.size(); }
    std::size_t size() const { return elements_.size(); }
    T* data() { return elements_.data(); }
    const T* data() const { return elements_.data(); }
    /// An element by its indices, one for each axis. Throws ArgumentError where there is none.
    template <detail::ArrayIndex... Integer>
    T& operator()(Integer... indices) & {
        return elements_[offset(indices...)];
    }
    template <detail::ArrayIndex... Integer>
    const T& operator()(Integer... indices) const& {
        return elements_[offset(indices...)];
    }
    template <detail::ArrayIndex... Integer>
    T operator()(Integer... indices) && {
        return elements_[offset(indices...)];
    }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }

    void fill(T value) {
        for (T& x : *this) x = value;
    }
    /// The same elements with other extents. Throws ShapeError where these are not of so many.
    Array& reshape(shape_type shape) & {
        detail::check_array_count(shape, size());
        shape_ = std::move(shape);
        return *this;
    }
    /// Its elements, without a copy.
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

/// The same shape and elements?
template <class A, class B>
    requires(detail::is_own_array<A> && detail::is_own_array<B>)
bool operator==(const A& a, const B& b) {
    if (a.shape() != b.shape()) return false;
    auto other = b.begin();
    for (const auto& x : a)
        if (!(x == *other++)) return false;
    return true;
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/array.ipp>
#endif
