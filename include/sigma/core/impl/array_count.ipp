// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array_count.hpp>
#include <sigma/core/error.hpp>

namespace sigma::detail {

SIGMA_IMPL void refuse_array_count(const char* where, std::span<const std::size_t> shape, std::size_t elements) {
    const std::size_t count = array_count(shape);
    if (count == SIZE_MAX)
        throw ShapeError(where, "a shape with fewer than 2^64 elements", sentence("shape ", shape_text(shape)));
    throw ShapeError(where, sentence(count, count == 1 ? " element" : " elements", " for shape ", shape_text(shape)),
                     sentence(elements));
}

SIGMA_IMPL void check_window(std::span<const std::size_t> shape, std::size_t row) {
    if (array_count(shape) == SIZE_MAX)
        throw ShapeError("array", "a shape with fewer than 2^64 elements", sentence("shape ", shape_text(shape)));
    if (shape.size() > 1 && row < shape.back())
        throw ShapeError("array",
                         sentence("rows at least ", shape.back(), " elements apart for shape ", shape_text(shape)),
                         sentence(row));
}

}  // namespace sigma::detail
