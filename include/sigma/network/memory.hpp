// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/list.hpp>
#include <sigma/plan/plan_view.hpp>

#include <string>
#include <vector>

// The memory of a network's tensors, and texts about their shapes.
namespace sigma::detail {

/// Returns the offset of each tensor, and the end of the last one, in elements. Each tensor starts on a cache line, and
/// its rows are padded to whole vectors.
std::vector<std::size_t> memory_offsets(const List<Shape>& shapes, int lanes);
template <class Records>
std::vector<std::size_t> memory_offsets(const Records& records, int lanes) {
    List<Shape> shapes;
    for (const auto& r : records) shapes.push(r.shape);
    return memory_offsets(shapes, lanes);
}
/// Returns a shape as text: "(batch, 28, 28)".
std::string extents_text(const Shape& s);
[[noreturn, gnu::cold]] void throw_shape(const std::string& what, const Shape& wanted,
                                         const std::vector<std::size_t>& found);
/// Throws ShapeError unless the extents `found` are those of a batch of `wanted`, with at least one record. `what()`
/// returns the name of the array in the error. It is called only for an error, so that checks allocate nothing.
template <class What, class Extents>
void check_batch(const What& what, const Shape& wanted, const Extents& found) {
    bool fits = static_cast<int>(found.size()) == wanted.rank && found[0] > 0;
    for (int i = 1; i < wanted.rank && fits; ++i)
        fits = static_cast<long long>(found[static_cast<std::size_t>(i)]) == wanted[i];
    if (!fits) throw_shape(what(), wanted, {found.begin(), found.end()});
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/memory.ipp>
#endif
