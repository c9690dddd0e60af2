// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

TransformPointer permuting(const std::vector<std::size_t>& axes);

}  // namespace detail

/// Axes of each record in another order, counted without that of records: axis i of the result is the i-th that is
/// named, so permute<1, 2, 0>(inputs) makes (height, width, channels) of (channels, height, width). Axes of another
/// number than records have are a compile error where the extents are known, else a ShapeError.
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && detail::each_once({axes...}))
auto permute(SectionName<name, role>) {
    return Transforming<detail::PermutesAxes<axes...>, name>{detail::permuting({static_cast<std::size_t>(axes)...})};
}
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && !detail::each_once({axes...}))
error_permute_needs_each_axis_once<axes_given<axes...>, section<name>> permute(SectionName<name, role>);
/// For axes that only the program knows. Throws ArgumentError where they are not each axis once.
template <Text name, Role role>
auto permute(SectionName<name, role>, const std::vector<std::size_t>& axes) {
    return Transforming<detail::LosesExtents, name>{detail::permuting(axes)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/permute.ipp>
#endif
