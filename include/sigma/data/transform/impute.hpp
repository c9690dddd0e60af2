// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/median.hpp>
#include <sigma/data/transform/moments.hpp>
#include <sigma/data/transform/stored.hpp>

#include <limits>

namespace sigma::data {

namespace detail {

/// NaN becomes the value of its feature, or the one value for all.
class Impute final : public InPlace {
public:
    explicit Impute(std::vector<double> values);
    std::string kind() const override { return "impute"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const override;
    std::vector<TransformValue> state() const override { return {{"values", values_}}; }
    static FittedPointer load(const StoredValues& s) { return std::make_shared<const Impute>(s.list("values")); }

private:
    std::vector<double> values_;
};

enum class ImputeBy { mean, median, constant };

class ImputeFit final : public TransformFit {
public:
    ImputeFit(const SectionInfo& of, ImputeBy by);

    void observe(std::span<const float> values, std::size_t records) override;
    bool again() override { return medians_.again(); }
    FittedPointer finish() override;

private:
    static constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    SectionInfo section_;
    std::vector<Moments> moments_;
    Medians medians_;
};

template <Text... names>
auto impute_learned(ImputeBy by) {
    if (by == ImputeBy::constant) throw ArgumentError("impute", "a value, impute(inputs, constant, 0)", "none");
    return learned_transform<KeepsExtents, names...>(
        by == ImputeBy::mean ? "impute(mean)" : "impute(median)",
        [by](const SectionInfo& of) { return std::make_unique<ImputeFit>(of, by); });
}
template <Text... names>
auto impute_by(ImputeBy by, double value) {
    if (by != ImputeBy::constant) throw ArgumentError("impute", "a value with 'constant' only", exact(value));
    return same_transform<KeepsExtents, names...>(sentence("impute(constant, ", exact(value), ")"), Impute({value}));
}

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
    return detail::impute_learned<name>(by({}));
}
/// Missing numbers become this one: impute(inputs, constant, 0).
template <Text name, Role role>
auto impute(SectionName<name, role>, detail::NamedImputeBy by, double value) {
    return detail::impute_by<name>(by({}), value);
}
/// All sections.
inline auto impute(detail::NamedImputeBy by) { return detail::impute_learned<>(by({})); }
inline auto impute(detail::NamedImputeBy by, double value) { return detail::impute_by<>(by({}), value); }

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/impute.ipp>
#endif
