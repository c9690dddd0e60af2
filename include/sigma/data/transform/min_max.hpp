// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

/// Of each feature, or of all numbers of a section where `whole`.
TransformPointer learning_range(const char* word, bool whole, double low, double high);

}  // namespace detail

/// Each feature from its least and largest in the data that it is learned from to min_out and max_out; a feature that
/// never changes becomes min_out.
template <Text name, Role role>
auto min_max(SectionName<name, role>, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::learning_range("min_max", false, min_out, max_out)};
}
/// All sections.
inline auto min_max(double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::learning_range("min_max", false, min_out, max_out)};
}

/// All numbers of a section alike, from their least and largest in the data that it is learned from to min_out and
/// max_out.
template <Text name, Role role>
auto normalize_adaptive(SectionName<name, role>, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{
        detail::learning_range("normalize_adaptive", true, min_out, max_out)};
}
/// All sections, each with a range of its own.
inline auto normalize_adaptive(double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::learning_range("normalize_adaptive", true, min_out, max_out)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/min_max.ipp>
#endif
