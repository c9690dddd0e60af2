// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

/// map_values(targets, {{1, 0}, {2, 1}})
struct ValueChange {
    double from, to;
};

namespace detail {

TransformPointer mapping_values(std::vector<ValueChange> changes);

}  // namespace detail

/// Values that are listed become others, NaN stands for missing ones; all others stay as they are. Throws ArgumentError
/// for a value twice. Values are compared as float.
template <Text name, Role role>
auto map_values(SectionName<name, role>, std::vector<ValueChange> changes) {
    return Transforming<detail::KeepsExtents, name>{detail::mapping_values(std::move(changes))};
}
/// All sections.
inline auto map_values(std::vector<ValueChange> changes) {
    return Transforming<detail::KeepsExtents>{detail::mapping_values(std::move(changes))};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/map_values.ipp>
#endif
