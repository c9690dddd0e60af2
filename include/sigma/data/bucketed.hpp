// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace sigma {

/// Padded sequences put together by their lengths: of each width, which grow, a dataset of the records whose length is
/// at most that and more than the width before, cut to it, so that there is less padding to compute. `lengths` are
/// those of the records, in their order. Sections whose records have as many positions along their first axis as the
/// first input are sequences and are cut; others, such as one label, stay. What a record went through before is kept.
/// The result is in memory.
///
///     const auto buckets = bucketed(spoken, lengths, {8, 16, 32});
///
/// Throws ShapeError where the first input has no axis, and ArgumentError where there is not one length for each
/// record, the widths do not grow or the last is above that of the records, a sequence is longer than the last width,
/// or a width has no records.
std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                              std::span<const std::size_t> widths);
inline std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                                     std::initializer_list<std::size_t> widths) {
    return bucketed(dataset, lengths, std::span<const std::size_t>(widths));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/bucketed.ipp>
#endif
