// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/memory.hpp>

namespace sigma::detail {

SIGMA_IMPL std::vector<std::size_t> memory_offsets(const List<Shape>& shapes, int lanes) {
    std::vector<std::size_t> offsets{0};
    for (const Shape& s : shapes) {
        const int elements = round_up(footprint(s, row_pitch(s, lanes)), 16);
        offsets.push_back(offsets.back() + static_cast<std::size_t>(elements));
    }
    return offsets;
}

SIGMA_IMPL std::string extents_text(const Shape& s) {
    std::string text = "(";
    for (int i = 0; i < s.rank; ++i) text += (i ? ", " : "") + (s[i] == batch ? "batch" : sentence(s[i]));
    return text + ")";
}

SIGMA_IMPL std::string batched_text(const Shape& s) {
    std::string text = "(records";
    for (int i = 1; i < s.rank; ++i) text += sentence(", ", s[i]);
    return text + ")";
}

SIGMA_IMPL void throw_shape(const std::string& what, const Shape& wanted, const std::vector<std::size_t>& found) {
    const bool none = static_cast<int>(found.size()) == wanted.rank && found[0] == 0;
    throw ShapeError(what, sentence("shape ", batched_text(wanted), none ? " with at least one record" : ""),
                     sentence(none ? "no records, " : "", "shape ", shape_text(found)));
}

}  // namespace sigma::detail
