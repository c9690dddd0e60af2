// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

namespace sigma::detail {

SIGMA_IMPL std::size_t array_extent(const ArrayShape& shape, std::size_t axis) {
    if (axis < shape.size()) return shape[axis];
    throw ArgumentError(sentence("extent of an array of shape ", shape_text(shape)),
                        sentence("an axis below ", shape.size()), sentence(static_cast<std::ptrdiff_t>(axis)));
}

SIGMA_IMPL std::size_t array_offset(const ArrayShape& shape, std::size_t row,
                                    std::initializer_list<std::size_t> indices) {
    if (indices.size() != shape.size())
        throw ArgumentError(sentence("element of an array of shape ", shape_text(shape)),
                            sentence(shape.size(), shape.size() == 1 ? " index" : " indices"),
                            sentence(indices.size()));
    std::size_t rows = 0, at = 0;  // by Horner's rule; the last axis is not part of the rows
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::size_t index = indices.begin()[axis];
        if (index >= shape[axis])
            throw ArgumentError(sentence("element of an array of shape ", shape_text(shape), ", axis ", axis),
                                sentence("an index below ", shape[axis]), sentence(static_cast<std::ptrdiff_t>(index)));
        if (axis + 1 < shape.size()) rows = rows * shape[axis] + index;
        else at = rows * row + index;
    }
    return at;
}

SIGMA_IMPL void check_assigned_shape(const ArrayShape& wanted, const ArrayShape& found) {
    if (found != wanted)
        throw ShapeError("assignment to an array", sentence("shape ", shape_text(wanted)),
                         sentence("shape ", shape_text(found)));
}

SIGMA_IMPL std::size_t array_bytes(const ArrayShape& shape, std::size_t bytes_of_each) {
    std::size_t bytes = 0;
    if (!__builtin_mul_overflow(array_count(shape), bytes_of_each, &bytes)) return bytes;
    throw MemoryError("array of shape " + shape_text(shape), "its elements");
}

SIGMA_IMPL void refuse_array(const ArrayShape& shape, std::size_t bytes_of_each) {
    refuse_memory(("array of shape " + shape_text(shape)).c_str(), array_count(shape), bytes_of_each);
}

SIGMA_IMPL void check_array_axes(std::size_t wanted, const ArrayShape& found) {
    if (found.size() != wanted)
        throw ShapeError("conversion to a container of xtensor", sentence(wanted, wanted == 1 ? " axis" : " axes"),
                         sentence("shape ", shape_text(found)));
}

SIGMA_IMPL void check_row_length(std::size_t wanted, std::size_t found) {
    if (found != wanted)
        throw ShapeError("array", sentence("rows of ", wanted, " elements"), sentence("a row of ", found));
}

SIGMA_IMPL ArrayShape array_extents(const Shape& shape, std::ptrdiff_t records, int from) {
    ArrayShape extents;
    for (int i = from; i < shape.rank; ++i)
        extents.push_back(static_cast<std::size_t>(shape[i] < 0 ? -shape[i] * records : shape[i]));
    return extents;
}

}  // namespace sigma::detail
