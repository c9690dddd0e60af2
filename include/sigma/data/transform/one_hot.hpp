// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/record_refused.hpp>
#include <sigma/data/transform/stored.hpp>

#include <initializer_list>

namespace sigma::data {

namespace detail {

/// Each number x becomes as many as there are values: 1 at the position of x, else 0.
class OneHot final : public FittedTransform {
public:
    /// `section` is what errors call it.
    OneHot(std::vector<double> values, std::string section);
    std::string kind() const override { return "one_hot"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {{"values", values_}}; }
    static FittedPointer load(const StoredValues& s);

private:
    using Place = std::pair<float, std::size_t>;

    std::string expected() const;

    std::vector<double> values_;
    std::string section_;
    std::vector<Place> sorted_;
};

std::vector<double> whole_numbers(long long first, long long last);

template <class Effect, Text... names>
auto one_hot_of(std::vector<double> values) {
    const OneHot checked(values, "");
    return fixed_transform<Effect, names...>(
        sentence("one_hot(", exact(values), ")"),
        [values](const SectionInfo& of) { return std::make_shared<const OneHot>(values, of.name); });
}

}  // namespace detail

/// Records (…) of whole numbers become (…, count): 1 where the number is, else 0. A number that is not from 0 to count - 1
/// throws a DataError that names it.
template <int count, Text name, Role role>
    requires(count > 0)
auto one_hot(SectionName<name, role>) {
    return detail::one_hot_of<detail::AppendsExtent<count>, name>(detail::whole_numbers(0, count - 1));
}
template <int count, Text name, Role role>
    requires(count <= 0)
error_one_hot_needs_a_class<classes_given<count>, section<name>> one_hot(SectionName<name, role>);
/// The same, for numbers that only the program knows.
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::integral auto count) {
    return detail::one_hot_of<detail::LosesExtents, name>(detail::whole_numbers(0, static_cast<long long>(count) - 1));
}
/// Of the whole numbers from `first` to `last`.
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::integral auto first, std::integral auto last) {
    return detail::one_hot_of<detail::LosesExtents, name>(
        detail::whole_numbers(static_cast<long long>(first), static_cast<long long>(last)));
}
/// Of these numbers, in this order: one_hot(targets, {1, 2, 3.5}).
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::initializer_list<double> values) {
    return detail::one_hot_of<detail::LosesExtents, name>(values);
}
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::vector<double> values) {
    return detail::one_hot_of<detail::LosesExtents, name>(std::move(values));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/one_hot.ipp>
#endif
