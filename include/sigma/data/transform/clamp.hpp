// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

TransformPointer clamping(double low, double high);

}  // namespace detail

/// Numbers below `low` become low, those above `high` high. Throws ArgumentError where low is above high.
template <Text name, Role role>
auto clamp(SectionName<name, role>, double low, double high) {
    return Transforming<detail::KeepsExtents, name>{detail::clamping(low, high)};
}
/// All sections.
inline auto clamp(double low, double high) { return Transforming<detail::KeepsExtents>{detail::clamping(low, high)}; }

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/clamp.ipp>
#endif
