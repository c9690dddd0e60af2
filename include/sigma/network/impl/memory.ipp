// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/memory.hpp>

#include <utility>
#include <vector>

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

/// Returns a shape as text: "(records, 28, 28)".
SIGMA_IMPL std::string batched_text(const Shape& s) {
    std::string text = "(records";
    for (int i = 1; i < s.rank; ++i) text += sentence(", ", s[i]);
    return text + ")";
}

SIGMA_IMPL void throw_shape(const std::string& what, const Shape& wanted, const std::vector<std::size_t>& found) {
    const bool none = static_cast<int>(found.size()) == wanted.rank && found[0] == 0;
    bool one = static_cast<int>(found.size()) + 1 == wanted.rank;  // the record itself, without an axis of records
    for (std::size_t i = 0; i < found.size() && one; ++i)
        one = std::cmp_equal(found[i], wanted[static_cast<int>(i) + 1]);
    std::vector<std::size_t> as_record{1};
    as_record.insert(as_record.end(), found.begin(), found.end());
    throw ShapeError(what, sentence("shape ", batched_text(wanted), none ? " with at least one record" : ""),
                     sentence(none ? "no records, " : "", "shape ", shape_text(found),
                              one ? sentence("; one record has shape ", shape_text(as_record)) : ""));
}

}  // namespace sigma::detail
