// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The blocks that operations of your own get: BlockView. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/shape.hpp>

#include <cstdint>
#include <string_view>

namespace sigma {

/// The numbers of a row or a matrix that an operation of your own reads or writes.
///
/// A row has the extent `columns`, and `rows` is 1. Elements need not be next to each other in memory.
///
/// @par Example
/// @code
/// const auto total = []<class V>(BlockView<V> x) {
///     V sum = 0;
///     for (long long i = 0; i < x.columns; ++i) sum += x[i];
///     return sum;
/// };
/// @endcode
///
/// @see custom_operation
template <class V>
struct BlockView {
    V* data;            ///< First element.
    long long rows;     ///< Number of rows.
    long long columns;  ///< Number of columns.
    long long row;      ///< Elements in memory from one row to the next.
    long long column;   ///< Elements in memory from one column to the next.

    /// Returns an element of a matrix.
    /// @param in_row     the row, from 0 to below `rows`. It is not checked.
    /// @param in_column  the column, from 0 to below `columns`. It is not checked.
    V& operator()(long long in_row, long long in_column) const { return data[in_row * row + in_column * column]; }
    /// Returns an element of a row.
    /// @param in_column  the column, from 0 to below `columns`. It is not checked.
    V& operator[](long long in_column) const { return data[in_column * column]; }
};

namespace detail {

/// A custom operation, by which tapes, plans and files find its functions. A node has the number of one of its parts:
/// part 0 is the operation, and part 1 + k the gradient of operand k.
struct CustomFunctions {
    template <class V>
    using OnBlocks = void (*)(const BlockView<V>* blocks);  ///< the result's block, then those of the operands
    static constexpr int most_parts = 3;

    std::string_view name;
    std::string_view type;   ///< the struct that defines it
    std::uint64_t number{};  ///< number of part 0
    int axes = 1, operands = 1;
    Shape (*shape)(const Shape* operands) = nullptr;  ///< returns the shape of the result's block
    OnBlocks<float> in_float[most_parts]{};
    OnBlocks<double> in_double[most_parts]{};
    const char* source = nullptr;  ///< text of the functions for a GPU
    bool numbered = false;         ///< true if `gradient` has the number of the operand as template argument
    const CustomFunctions* next = nullptr;

    void call(std::uint64_t part, const BlockView<float>* blocks) const { in_float[part & 3](blocks); }
    void call(std::uint64_t part, const BlockView<double>* blocks) const { in_double[part & 3](blocks); }
};

inline constexpr std::uint64_t has_custom_gradient = 4;  ///< bit of a number

/// Returns the number of an operation: a hash of its name (FNV-1a), whose last three bits are free.
constexpr std::uint64_t custom_number(std::string_view name, bool has_gradient) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return (hash & ~std::uint64_t{7}) | (has_gradient ? has_custom_gradient : 0);
}

/// Throws MistakeError. It is not constexpr, so a compile-time network with a second derivative does not compile.
[[noreturn]] void error_custom_operation_has_first_derivatives_only(std::uint64_t part);
/// Makes an operation known. Returns true.
bool enter(CustomFunctions& functions);
/// Returns the operation of the number of a part. Throws ArgumentError if it is not known, or if two structs define
/// operations of this name.
const CustomFunctions& custom_functions(std::uint64_t part);
/// Returns the operation of this name, or null if no part of the program defines it. Throws ArgumentError as above.
const CustomFunctions* custom_functions(std::string_view name);

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/tape/impl/custom_functions.ipp>
#endif
