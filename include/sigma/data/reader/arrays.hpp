// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `array`: records from the numbers of a program. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/any_array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/number_list.hpp>
#include <sigma/data/pipeline/pipeline.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

/// Reads `values` as records of these extents, one after the other; errors name them `name`. Throws ShapeError if they
/// are no whole records, or none.
std::shared_ptr<RecordReader> array_reader(NumberList values, std::vector<std::size_t> record,
                                           std::string name = "array");

template <class X>
using ElementOf = std::remove_cvref_t<decltype(*std::begin(std::declval<const X&>()))>;
template <class X>
concept Iterable = requires(const X& x) {
    *std::begin(x);
    std::begin(x) != std::end(x);
};
template <class X>
concept Numeric = std::is_arithmetic_v<X>;
template <class X>
concept NumberRange = Iterable<X> && Numeric<ElementOf<X>> && !AnyArray<X>;
template <class X>
concept RangeOfRanges = Iterable<X> && Iterable<ElementOf<X>> && !AnyArray<X>;

/// Appends the numbers of nested ranges, and determines the extents that all of them must have.
template <class X, class T>
void flatten(const X& x, std::size_t depth, std::vector<std::size_t>& shape, std::vector<T>& to) {
    if constexpr (Numeric<X>) {
        to.push_back(static_cast<T>(x));
    } else {
        std::size_t count = 0;
        const bool first = shape.size() == depth;
        if (first) shape.push_back(0);
        for (const auto& part : x) {
            ++count;
            if (first) shape[depth] = count;
            flatten(part, depth + 1, shape, to);
        }
        if (count != shape[depth])
            throw ShapeError("array",
                             sentence(shape[depth], " elements in each part of axis ", depth + 1, ", as in the first"),
                             sentence(count));
    }
}

/// The extents of records as far as the compiler knows them.
template <class X>
struct RecordsOf {
    using type = UnknownExtents;
};
template <NumberRange X>
struct RecordsOf<X> {
    using type = Extents<>;
};
template <RangeOfRanges X>
    requires requires { std::tuple_size<ElementOf<X>>::value; } && Numeric<ElementOf<ElementOf<X>>>
struct RecordsOf<X> {
    using type = Extents<static_cast<int>(std::tuple_size<ElementOf<X>>::value)>;
};
/// An array with one axis, which the compiler knows.
template <AnyArray X>
    requires(std::tuple_size<typename X::shape_type>::value == 1)
struct RecordsOf<X> {
    using type = Extents<>;
};

/// The type of the numbers in nested ranges.
template <class X>
struct NestedNumber : NestedNumber<ElementOf<X>> {};
template <Numeric X>
struct NestedNumber<X> {
    using type = X;
};

struct ShapedNumbers {
    std::vector<std::size_t> shape{};
    NumberList values{};
};
/// Copies the numbers in row-major order, whatever their layout is: doubles if they are doubles.
template <class X>
ShapedNumbers shaped_numbers(const X& x) {
    if constexpr (AnyArray<X>) {
        return {sigma::detail::shape_of(x), sigma::detail::kept_numbers(x)};
    } else {
        ShapedNumbers all;
        std::vector<sigma::detail::KeptNumber<typename NestedNumber<X>::type>> values;
        if constexpr (requires { values.reserve(x.size()); }) values.reserve(x.size());
        flatten(x, 0, all.shape, values);
        all.values = std::move(values);
        return all;
    }
}

}  // namespace detail

/// Reads records from numbers of a program. Copies the numbers.
///
/// Accepts arrays (also of xtensor) with the records along their first axis; ranges of numbers, as records of one
/// number; and ranges of records, such as `std::vector<std::array<float, 4>>`, to any depth. Numbers of double stay
/// double, all others become float.
///
/// @param numbers  the numbers
/// @return an array without a name; assign it to a section: `inputs = array(numbers)`
/// @throws ShapeError  if parts differ in length or there are no records
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const std::vector<std::array<float, 2>> points{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
/// const std::vector<int> classes_of_points{0, 1, 1, 0};
/// const auto set = zip(inputs = array(points), targets = array(classes_of_points)) >> dataset("xor");
/// @endcode
///
/// @see make_dataset, zip, docs/sources.md
template <class X>
    requires AnyArray<X> || detail::NumberRange<X> || detail::RangeOfRanges<X>
ArrayOf<typename detail::RecordsOf<X>::type> array(const X& numbers) {
    detail::ShapedNumbers all = detail::shaped_numbers(numbers);
    if (all.shape.empty()) throw ShapeError("array", "records", "a single number");
    return {detail::array_reader(std::move(all.values), std::vector(all.shape.begin() + 1, all.shape.end()))};
}

/// Reads records of given extents: `array<28, 28>(pixels)`.
/// @tparam first    first extent of a record, at least 1
/// @tparam extents  further extents of a record, each at least 1
/// @param numbers         numbers in a row, or an array with these extents after its first axis
/// @return an array without a name; assign it to a section
/// @throws ShapeError  if the extents do not fit
template <int first, int... extents, class X>
    requires AboveZero<first, extents...> && (AnyArray<X> || detail::NumberRange<X> || detail::RangeOfRanges<X>)
ArrayOf<Extents<first, extents...>> array(const X& numbers) {
    detail::ShapedNumbers all = detail::shaped_numbers(numbers);
    std::vector<std::size_t> record = Extents<first, extents...>::list();
    if (all.shape.empty() || (all.shape.size() != 1 && std::vector(all.shape.begin() + 1, all.shape.end()) != record))
        throw ShapeError("array", sentence("records of ", sigma::detail::shape_text(record)),
                         sentence("an array of ", sigma::detail::shape_text(all.shape)));
    return {detail::array_reader(std::move(all.values), std::move(record))};
}
/// @cond internal
template <int first, int... extents, class X>
error_extents_of_a_record_are_above_zero<extents_are<first, extents...>> array(const X&);
/// @endcond

/// Reads numbers in a row as records of given extents, which need not be constants.
/// @param numbers        numbers in a row
/// @param extents  extents of a record, each at least 1
/// @return an array without a name; assign it to a section
/// @throws ShapeError  if the numbers are no whole records
template <detail::NumberRange X>
ArrayOf<UnknownExtents> array(const X& numbers, std::vector<std::size_t> extents) {
    return {detail::array_reader(detail::shaped_numbers(numbers).values, std::move(extents))};
}

/// Reads numbers from braces: `array({0, 1, 1, 0})`.
/// @param numbers  one number for each record
/// @return an array without a name; assign it to a section
template <detail::Numeric T, std::size_t records>
ArrayOf<Extents<>> array(const T (&numbers)[records]) {
    return {detail::array_reader(detail::shaped_numbers(std::span(numbers)).values, std::vector<std::size_t>{})};
}
/// Reads records from braces: `array({{0, 0}, {0, 1}, {1, 0}, {1, 1}})`.
/// @param numbers  the records
/// @return an array without a name; assign it to a section
template <detail::Numeric T, std::size_t records, std::size_t n>
ArrayOf<Extents<static_cast<int>(n)>> array(const T (&numbers)[records][n]) {
    return {detail::array_reader(detail::shaped_numbers(std::span(numbers)).values, std::vector<std::size_t>{n})};
}
/// Reads records from braces with numbers of several types.
/// @param numbers  the records
/// @return an array without a name; assign it to a section
template <std::size_t records, std::size_t n>
ArrayOf<Extents<static_cast<int>(n)>> array(const float (&numbers)[records][n]) {
    return {detail::array_reader(detail::shaped_numbers(std::span(numbers)).values, std::vector<std::size_t>{n})};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/arrays.ipp>
#endif
