// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

TransformPointer standardizing(bool together);

struct StandardizeWord {};
enum class StandardizeOver { jointly };
using NamedStandardizeOver = StandardizeOver (*)(StandardizeWord);

}  // namespace detail

/// standardize(inputs, jointly): a function, so that the word may mean other things elsewhere.
constexpr detail::StandardizeOver jointly(detail::StandardizeWord) { return detail::StandardizeOver::jointly; }

/// (x - mean) / deviation for each feature, with the mean and deviation of the data that it is learned from; a feature
/// that never changes becomes 0.
template <Text name, Role role, Text... more, Role... roles>
auto standardize(SectionName<name, role>, SectionName<more, roles>...) {
    return Transforming<detail::KeepsExtents, name, more...>{detail::standardizing(false)};
}
/// With one mean and deviation for all numbers of the section, pixels for instance.
template <Text name, Role role>
auto standardize(SectionName<name, role>, detail::NamedStandardizeOver) {
    return Transforming<detail::KeepsExtents, name>{detail::standardizing(true)};
}
/// All sections.
inline auto standardize() { return Transforming<detail::KeepsExtents>{detail::standardizing(false)}; }
inline auto standardize(detail::NamedStandardizeOver) {
    return Transforming<detail::KeepsExtents>{detail::standardizing(true)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/standardize.ipp>
#endif
