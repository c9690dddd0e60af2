// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/impute.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/median.hpp>
#include <sigma/data/transform/moments.hpp>

#include <cmath>
#include <limits>

namespace sigma::data::detail {

/// NaN becomes the value of its feature, or the one value for all.
class Impute final : public InPlace {
public:
    explicit Impute(std::vector<double> values);
    std::string kind() const override { return "impute"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override;
    bool undo(NumberList&, const std::vector<std::size_t>&) const override { return true; }
    std::vector<TransformValue> state() const override { return {{"values", values_}}; }

private:
    std::vector<double> values_;
};

class ImputeFit final : public TransformFit {
public:
    ImputeFit(const SectionInfo& of, ImputeBy by);

    void observe(const NumberList& values, std::size_t records) override;
    bool again() override { return medians_.again(); }
    FittedPointer finish() override;

private:
    static constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    SectionInfo section_;
    std::vector<Moments> moments_;
    Medians medians_;
};

SIGMA_IMPL Impute::Impute(std::vector<double> values) : values_(std::move(values)) {
    if (values_.empty()) throw ArgumentError("impute", "at least one value", "none");
    require_finite("impute", values_);
}

SIGMA_IMPL std::vector<std::size_t> Impute::shape(const std::vector<std::size_t>& before) const {
    require_list(values_.size(), before);
    return before;
}

SIGMA_IMPL void Impute::apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const {
    change_each(values, values_.size(), [&](double x, std::size_t i) { return std::isnan(x) ? values_[i] : x; });
}

SIGMA_IMPL ImputeFit::ImputeFit(const SectionInfo& of, ImputeBy by)
    : section_(of), moments_(by == ImputeBy::mean ? of.size() : 0), medians_(by == ImputeBy::median ? of.size() : 0) {}

SIGMA_IMPL void ImputeFit::observe(const NumberList& values, std::size_t records) {
    if (!moments_.empty()) add_records(moments_, values, records);
    else medians_.observe(values, records);
}

SIGMA_IMPL FittedPointer ImputeFit::finish() {
    std::vector<double> found;
    for (const Moments& m : moments_) found.push_back(m.count > 0 ? m.mean : missing);
    if (moments_.empty()) found = medians_.medians();
    for (std::size_t i = 0; i < found.size(); ++i)
        if (std::isnan(found[i]))
            throw DataError::in_section(section_.name, section_.called(i), "a number to learn from",
                                        "only missing ones");
    return sigma::detail::SharedOwner<const Impute>::make(std::move(found));
}

SIGMA_IMPL FittedPointer load_impute(const StoredValues& s) {
    return sigma::detail::SharedOwner<const Impute>::make(s.list("values"));
}

SIGMA_IMPL TransformPointer imputing(ImputeBy by) {
    if (by == ImputeBy::constant) throw ArgumentError("impute", "a value, impute(inputs, constant, 0)", "none");
    return learned_transform(by == ImputeBy::mean ? "impute(mean)" : "impute(median)",
                             [by](const SectionInfo& of) { return sigma::detail::make_owned<ImputeFit>(of, by); });
}

SIGMA_IMPL TransformPointer imputing(ImputeBy by, double value) {
    if (by != ImputeBy::constant) throw ArgumentError("impute", "a value with 'constant' only", sentence(value));
    return same_transform(sentence("impute(constant, ", value, ")"),
                          sigma::detail::SharedOwner<const Impute>::make(std::vector<double>{value}));
}

}  // namespace sigma::data::detail
