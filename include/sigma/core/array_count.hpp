// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// The check that a number of elements and a shape agree, for all functions that take both.
namespace sigma::detail {

/// Returns the number of elements of an array; SIZE_MAX if a size_t cannot hold the number.
template <class Extents>
constexpr std::size_t array_count(const Extents& extents) {
    std::size_t count = 1;
    bool beyond = false, empty = false;
    for (const auto extent : extents) {
        empty = empty || extent == 0;
        beyond = __builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count) || beyond;
    }
    return empty ? 0 : beyond ? SIZE_MAX : count;
}

/// Throws the ShapeError of a wrong number of elements. Its text begins with `where`.
[[noreturn, gnu::cold]] void refuse_array_count(const char* where, std::span<const std::size_t> shape,
                                                std::size_t elements);

/// Throws ShapeError unless there are as many elements as the shape has.
inline void check_array_count(std::span<const std::size_t> shape, std::size_t elements) {
    if (array_count(shape) != elements) refuse_array_count("array", shape, elements);
}

/// Throws ShapeError if a view has more elements than a size_t can hold, or if its rows overlap.
void check_window(std::span<const std::size_t> shape, std::size_t row);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/array_count.ipp>
#endif
