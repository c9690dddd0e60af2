// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

/// Whether numbers and the shape that somebody gives with them agree: the one check of all that takes both.
namespace sigma::detail {

/// Elements of an array of these extents; SIZE_MAX where there are more than a number can say.
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

/// Throws ShapeError, which begins with `where`.
[[noreturn, gnu::cold]] void refuse_array_count(const char* where, std::span<const std::size_t> shape,
                                                std::size_t elements);

/// Throws ShapeError unless there are as many elements as the shape says.
inline void check_array_count(std::span<const std::size_t> shape, std::size_t elements) {
    if (array_count(shape) != elements) refuse_array_count("array", shape, elements);
}

/// Throws ShapeError where a window on numbers that are not counted has more elements than there can be, or rows that
/// overlap.
void check_window(std::span<const std::size_t> shape, std::size_t row);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/array_count.ipp>
#endif
