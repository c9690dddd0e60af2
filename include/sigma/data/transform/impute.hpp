// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

enum class ImputeBy { mean, median, constant };

TransformPointer imputing(ImputeBy by);
TransformPointer imputing(ImputeBy by, double value);

struct ImputeWord {};
using NamedImputeBy = ImputeBy (*)(ImputeWord);

}  // namespace detail

// What impute() fills in. Functions, because some of these words are functions of tensors, too.
constexpr detail::ImputeBy mean(detail::ImputeWord) { return detail::ImputeBy::mean; }
constexpr detail::ImputeBy median(detail::ImputeWord) { return detail::ImputeBy::median; }
constexpr detail::ImputeBy constant(detail::ImputeWord) { return detail::ImputeBy::constant; }

/// Missing numbers, NaN, become the mean or the median of their feature in the data that it is learned from:
/// impute(inputs, mean). Throws DataError for a feature that is missing in all records.
template <Text name, Role role>
auto impute(SectionName<name, role>, detail::NamedImputeBy by) {
    return Transforming<detail::KeepsExtents, name>{detail::imputing(by({}))};
}
/// Missing numbers become this one: impute(inputs, constant, 0).
template <Text name, Role role>
auto impute(SectionName<name, role>, detail::NamedImputeBy by, double value) {
    return Transforming<detail::KeepsExtents, name>{detail::imputing(by({}), value)};
}
/// All sections.
inline auto impute(detail::NamedImputeBy by) { return Transforming<detail::KeepsExtents>{detail::imputing(by({}))}; }
inline auto impute(detail::NamedImputeBy by, double value) {
    return Transforming<detail::KeepsExtents>{detail::imputing(by({}), value)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/impute.ipp>
#endif
