// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Numbers in memory, as floats or doubles: `NumberList`, `Numbers`, `NamedNumbers`. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/any_array.hpp>
#include <sigma/core/memory.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// A list of floats, or of doubles if the arrays of a program are of double or a reader has the option `.doubles =
/// true`.
///
/// @see data::FittedTransform, data::Block
class NumberList {
public:
    /// Constructs an empty list of floats.
    NumberList() = default;
    /// Constructs a list of floats.
    /// @param numbers  the floats
    NumberList(std::vector<float> numbers) : floats_(std::move(numbers)) {}
    /// Constructs a list of doubles.
    /// @param numbers  the doubles
    NumberList(std::vector<double> numbers) : doubles_(std::move(numbers)), of_double_(true) {}
    /// @copydoc NumberList(std::vector<float>)
    NumberList(std::initializer_list<float> numbers) : floats_(numbers) {}

    /// Returns whether the numbers are doubles.
    bool of_double() const { return of_double_; }
    /// Returns how many numbers there are.
    std::size_t size() const { return of_double_ ? doubles_.size() : floats_.size(); }
    /// Returns whether there are none.
    bool empty() const { return size() == 0; }

    /// Returns the floats, or an empty vector if the numbers are doubles.
    const std::vector<float>& floats() const& { return floats_; }
    /// @copydoc floats
    std::vector<float> floats() && { return std::move(floats_); }
    /// Returns the doubles, or an empty vector if the numbers are floats.
    const std::vector<double>& doubles() const& { return doubles_; }
    /// @copydoc doubles
    std::vector<double> doubles() && { return std::move(doubles_); }
    /// Returns the floats for writing. A list of doubles first becomes an empty list of floats.
    std::vector<float>& floats() &;
    /// Returns the doubles for writing. A list of floats first becomes an empty list of doubles.
    std::vector<double>& doubles() &;

    /// Calls a function with the vector of floats or of doubles, and returns its result.
    /// @param function  a function of either vector
    /// @return the result of the function
    template <class F>
    decltype(auto) visit(F&& function) {
        return of_double_ ? function(doubles_) : function(floats_);
    }
    /// @copydoc visit(F&&)
    template <class F>
    decltype(auto) visit(F&& function) const {
        return of_double_ ? function(doubles_) : function(floats_);
    }

    /// Removes all numbers. Keeps the type.
    void clear() { resize(0); }
    /// Changes how many numbers there are.
    /// @param count  the new size; new numbers are 0
    void resize(std::size_t count);
    /// Reserves memory.
    /// @param count  how many numbers it shall hold without another allocation
    void reserve(std::size_t count);
    /// Removes the first numbers.
    /// @param count  how many
    void erase_front(std::size_t count);
    /// Appends a number several times.
    /// @param count   how many times
    /// @param number  the number
    void append(std::size_t count, float number);
    /// Appends numbers of another list. Appending doubles to floats makes all of them doubles. An empty list takes over
    /// the type of the other.
    /// @param from   the other list
    /// @param first  position of the first number in it
    /// @param count  how many numbers
    void append(const NumberList& from, std::size_t first, std::size_t count);
    /// Appends all numbers of another list.
    /// @param from  the other list
    void append(const NumberList& from) { append(from, 0, from.size()); }

    /// Copies numbers, rounded to the nearest float or double.
    /// @tparam T     float or double
    /// @param first  position of the first number
    /// @param count  how many numbers
    /// @param to     memory for the numbers
    template <class T>
    void copy(std::size_t first, std::size_t count, T* to) const;
    /// Returns the bytes of all numbers.
    std::span<const std::byte> bytes() const&;
    void bytes() && = delete;
    /// Returns the bytes of all numbers for writing.
    std::span<std::byte> bytes() &;

    /// Compares types and numbers.
    friend bool operator==(const NumberList&, const NumberList&) = default;

private:
    std::vector<float> floats_;
    std::vector<double> doubles_;
    bool of_double_ = false;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/number_list.ipp>
#endif

namespace sigma {

/// An array of floats or doubles in row-major order, for the constructors of `Dataset`.
///
/// @par Example
/// @code
/// const Dataset gate(Numbers{{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, Numbers{{4, 1}, {0, 1, 1, 0}}, "xor");
/// @endcode
///
/// @see make_dataset, Dataset
struct Numbers {
    std::vector<std::size_t> shape;  ///< extents, the first of which is the number of records
    std::vector<float> values;       ///< floats, row-major
    std::vector<double> doubles{};   ///< doubles, row-major, instead of `values`

    /// Returns the number of axes.
    std::size_t rank() const { return shape.size(); }
    /// Returns how many numbers there are.
    std::size_t size() const { return doubles.empty() ? values.size() : doubles.size(); }
    /// Moves the numbers out.
    /// @return the numbers
    NumberList list() && {
        if (doubles.empty()) return std::move(values);
        return std::move(doubles);
    }
};

/// An array with the name of the input or target that it is for. The name may be empty.
///
/// @par Example
/// @code
/// const std::vector<int> kinds(100, 0);
/// const Dataset pairs({{"left", images}, {"right", images}},
///                     {NamedNumbers("", Numbers{{100}, std::vector<float>(100)})}, "pairs");
/// @endcode
///
/// @see Dataset
struct NamedNumbers {
    std::string name;                    ///< name of the input or target; may be empty
    Numbers numbers;                     ///< the array
    std::vector<std::string> columns{};  ///< names of the numbers of a record, from a table; may be empty

    /// Constructs an empty array without a name.
    NamedNumbers() = default;
    /// Constructs from an array of numbers.
    /// @param name_     name of the input or target
    /// @param numbers_  the array
    /// @param columns_  names of the numbers of a record; default: none
    NamedNumbers(std::string name_, Numbers numbers_, std::vector<std::string> columns_ = {})
        : name(std::move(name_)), numbers(std::move(numbers_)), columns(std::move(columns_)) {}
    /// Constructs from any array: `{"image", images}`. Copies the numbers.
    /// @param name_  name of the input or target
    /// @param array  the array, of shape (records, …)
    template <AnyArray A>
    NamedNumbers(std::string name_, const A& array);
};

namespace detail {

/// The type in which elements of an array are kept: double for double and long double, else float.
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

/// Copies the numbers of any array, as doubles if it has doubles.
template <AnyArray A>
Numbers numbers_of(const A& array) {
    if constexpr (std::is_same_v<detail::KeptNumberOf<A>, double>)
        return {detail::shape_of(array), {}, detail::kept_numbers(array)};
    else return {detail::shape_of(array), detail::kept_numbers(array)};
}

}  // namespace detail

template <AnyArray A>
NamedNumbers::NamedNumbers(std::string name_, const A& array)
    : NamedNumbers(std::move(name_), detail::numbers_of(array)) {}

}  // namespace sigma
