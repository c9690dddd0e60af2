// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

/// The range of one number of a record, by its position in row-major order.
struct IndexRange {
    std::size_t index;
    double min, max;
};

namespace detail {

TransformPointer normalizing_each(const std::vector<IndexRange>& ranges, double low, double high);

}  // namespace detail

/// As normalize(), with a range for each number of a record that is listed, normalize_each(inputs, {{0, 4.3, 7.9}, {2,
/// 1, 6.9}}); the others stay as they are. Throws ArgumentError for an index twice and for an empty range.
template <Text name, Role role>
auto normalize_each(SectionName<name, role>, const std::vector<IndexRange>& ranges, double min_out = 0,
                    double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::normalizing_each(ranges, min_out, max_out)};
}
/// All sections.
inline auto normalize_each(const std::vector<IndexRange>& ranges, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::normalizing_each(ranges, min_out, max_out)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/normalize_each.ipp>
#endif
