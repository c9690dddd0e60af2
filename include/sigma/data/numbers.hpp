// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_array.hpp>
#include <sigma/core/memory.hpp>
#include <sigma/data/number_list.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// An array of floats or doubles in row-major order. The loaders fill it and datasets keep it.
struct Numbers {
    std::vector<std::size_t> shape;
    std::vector<float> values;
    std::vector<double> doubles{};  ///< in place of `values`, where the numbers are double

    std::size_t rank() const { return shape.size(); }
    std::size_t size() const { return doubles.empty() ? values.size() : doubles.size(); }
    /// Moves the numbers out.
    NumberList list() && {
        if (doubles.empty()) return std::move(values);
        return std::move(doubles);
    }
};

/// An array with the name of the input or target that it is for; the name may be empty.
struct NamedNumbers {
    std::string name;
    Numbers numbers;
    std::vector<std::string> columns{};  ///< names of the numbers of a record, where a table has them

    NamedNumbers() = default;
    NamedNumbers(std::string of, Numbers given, std::vector<std::string> names = {})
        : name(std::move(of)), numbers(std::move(given)), columns(std::move(names)) {}
    /// {"image", images}, of any array.
    template <AnyArray A>
    NamedNumbers(std::string of, const A& array);
};

namespace detail {

/// What the elements of an array are kept as: double where they are double (or long double), else float.
template <class Element>
using KeptNumber =
    std::conditional_t<std::is_floating_point_v<Element> && (sizeof(Element) > sizeof(float)), double, float>;
template <AnyArray A>
using KeptNumberOf = KeptNumber<std::remove_cvref_t<decltype(*std::declval<const A&>().begin())>>;

template <AnyArray A>
std::vector<KeptNumberOf<A>> kept_numbers(const A& array) {
    std::vector<KeptNumberOf<A>> numbers;
    const auto count = static_cast<std::size_t>(array.size());
    in_memory([&] { refuse_memory("numbers of data", count, sizeof(numbers[0])); }, [&] { numbers.reserve(count); });
    for_each_element(array, [&](const auto& x) { numbers.push_back(static_cast<KeptNumberOf<A>>(x)); });
    return numbers;
}

/// The numbers of any array, doubles where it has such.
template <AnyArray A>
Numbers numbers_of(const A& array) {
    if constexpr (std::is_same_v<detail::KeptNumberOf<A>, double>)
        return {detail::shape_of(array), {}, detail::kept_numbers(array)};
    else return {detail::shape_of(array), detail::kept_numbers(array)};
}

}  // namespace detail

template <AnyArray A>
NamedNumbers::NamedNumbers(std::string of, const A& array) : NamedNumbers(std::move(of), detail::numbers_of(array)) {}

}  // namespace sigma
