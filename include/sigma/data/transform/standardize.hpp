// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/moments.hpp>
#include <sigma/data/transform/stored.hpp>

namespace sigma::data {

namespace detail {

/// (x - mean) / deviation in double, 0 where the deviation is 0. One mean and deviation for all, or one for each number.
class Standardize final : public InPlace {
public:
    Standardize(std::vector<double> mean, std::vector<double> deviation);
    std::string kind() const override { return "standardize"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override { return {{"mean", mean_}, {"deviation", deviation_}}; }
    static FittedPointer load(const StoredValues& s);

private:
    std::vector<double> mean_, deviation_;
};

class StandardizeFit final : public TransformFit {
public:
    StandardizeFit(const SectionInfo& of, bool together) : features_(of.size()), together_(together) {}

    void observe(std::span<const float> values, std::size_t records) override { add_records(features_, values, records); }
    FittedPointer finish() override;

private:
    std::vector<Moments> features_;
    bool together_;
};

template <Text... names>
auto standardize_sections(bool together) {
    return learned_transform<KeepsExtents, names...>(
        together ? "standardize(jointly)" : "standardize()",
        [together](const SectionInfo& of) { return std::make_unique<StandardizeFit>(of, together); });
}

struct StandardizeWord {};
enum class StandardizeOver { jointly };
using NamedStandardizeOver = StandardizeOver (*)(StandardizeWord);

}  // namespace detail

/// standardize(inputs, jointly): a function, so that the word may mean other things elsewhere.
constexpr detail::StandardizeOver jointly(detail::StandardizeWord) { return detail::StandardizeOver::jointly; }

/// (x - mean) / deviation for each feature, with the mean and deviation of the data that it is learned from; a feature that
/// never changes becomes 0.
template <Text name, Role role, Text... more, Role... roles>
auto standardize(SectionName<name, role>, SectionName<more, roles>...) {
    return detail::standardize_sections<name, more...>(false);
}
/// With one mean and deviation for all numbers of the section, pixels for instance.
template <Text name, Role role>
auto standardize(SectionName<name, role>, detail::NamedStandardizeOver) {
    return detail::standardize_sections<name>(true);
}
/// All sections.
inline auto standardize() { return detail::standardize_sections<>(false); }
inline auto standardize(detail::NamedStandardizeOver) { return detail::standardize_sections<>(true); }

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/standardize.ipp>
#endif
