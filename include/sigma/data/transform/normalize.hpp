// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

TransformPointer normalizing(double min, double max, double low, double high);

}  // namespace detail

/// x becomes (x - min_in) * ((max_out - min_out) / (max_in - min_in)) + min_out, computed in double: normalize(inputs,
/// 0, 255) gives the bits of x / 255.0f for all bytes. Numbers out of the range stay out of the other. Throws
/// ArgumentError where min_in is max_in or a number is not finite.
template <Text name, Role role>
auto normalize(SectionName<name, role>, double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::normalizing(min_in, max_in, min_out, max_out)};
}
/// All sections.
inline auto normalize(double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::normalizing(min_in, max_in, min_out, max_out)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/normalize.ipp>
#endif
