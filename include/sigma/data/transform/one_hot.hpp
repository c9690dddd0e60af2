// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/transforming.hpp>

#include <concepts>
#include <initializer_list>
#include <vector>

namespace sigma::data {

namespace detail {

TransformPointer making_one_hot(std::vector<double> values);
/// Of the whole numbers from `first` to `last`.
TransformPointer making_one_hot(long long first, long long last);

}  // namespace detail

/// Records (…) of whole numbers become (…, count): 1 where the number is, else 0. A number that is not from 0 to count
/// - 1 throws a DataError that names it.
template <int count, Text name, Role role>
    requires(count > 0)
auto one_hot(SectionName<name, role>) {
    return Transforming<detail::AppendsExtent<count>, name>{detail::making_one_hot(0, count - 1)};
}
template <int count, Text name, Role role>
    requires(count <= 0)
error_one_hot_needs_a_class<classes_given<count>, section<name>> one_hot(SectionName<name, role>);
/// The same, for numbers that only the program knows.
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::integral auto count) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(0, static_cast<long long>(count) - 1)};
}
/// Of the whole numbers from `first` to `last`.
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::integral auto first, std::integral auto last) {
    return Transforming<detail::LosesExtents, name>{
        detail::making_one_hot(static_cast<long long>(first), static_cast<long long>(last))};
}
/// Of these numbers, in this order: one_hot(targets, {1, 2, 3.5}).
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::initializer_list<double> values) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(std::vector<double>(values))};
}
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::vector<double> values) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(std::move(values))};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/one_hot.ipp>
#endif
