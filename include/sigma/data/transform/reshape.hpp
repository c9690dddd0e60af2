// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

TransformPointer reshaping(const std::vector<std::size_t>& extents);

}  // namespace detail

/// The same numbers of each record with other extents, reshape<784>(inputs). Another count is a compile error where the
/// extents are known, else a ShapeError.
template <int... extents, Text name, Role role>
    requires((extents > 0) && ...)
auto reshape(SectionName<name, role>) {
    return Transforming<detail::ReshapesTo<extents...>, name>{
        detail::reshaping({static_cast<std::size_t>(extents)...})};
}
template <int... extents, Text name, Role role>
    requires(!((extents > 0) && ...))
error_reshape_needs_extents_of_at_least_1<shape<extents...>, section<name>> reshape(SectionName<name, role>);
/// For extents that only the program knows. Throws ArgumentError for an extent of 0.
template <Text name, Role role>
auto reshape(SectionName<name, role>, const std::vector<std::size_t>& extents) {
    return Transforming<detail::LosesExtents, name>{detail::reshaping(extents)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/reshape.ipp>
#endif
