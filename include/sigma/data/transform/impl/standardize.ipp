// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/moments.hpp>
#include <sigma/data/transform/standardize.hpp>

namespace sigma::data::detail {

/// (x - mean) / deviation in double, 0 where the deviation is 0. One mean and deviation for all, or one for each
/// number.
class Standardize final : public InPlace {
public:
    Standardize(std::vector<double> mean, std::vector<double> deviation);
    std::string kind() const override { return "standardize"; }
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    void apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const override;
    bool undo(NumberList& values, const std::vector<std::size_t>& shape) const override;
    std::vector<TransformValue> state() const override { return {{"mean", mean_}, {"deviation", deviation_}}; }

private:
    std::vector<double> mean_, deviation_;
};

class StandardizeFit final : public TransformFit {
public:
    StandardizeFit(const SectionInfo& of, bool together) : features_(of.size()), together_(together) {}

    void observe(const NumberList& values, std::size_t records) override { add_records(features_, values, records); }
    FittedPointer finish() override;

private:
    std::vector<Moments> features_;
    bool together_;
};

SIGMA_IMPL Standardize::Standardize(std::vector<double> mean, std::vector<double> deviation)
    : mean_(std::move(mean)), deviation_(std::move(deviation)) {
    if (mean_.empty()) throw ArgumentError("standardize", "at least one mean", "none");
    require_as_many("standardize", "deviations", deviation_, mean_.size());
    require_finite("standardize", mean_);
    require_finite("standardize", deviation_);
    for (const double d : deviation_)
        if (d < 0) throw ArgumentError("standardize", "deviations of at least 0", sentence(d));
}

SIGMA_IMPL std::vector<std::size_t> Standardize::shape(const std::vector<std::size_t>& before) const {
    require_list(mean_.size(), before);
    return before;
}

SIGMA_IMPL void Standardize::apply(NumberList& values, std::size_t, const std::vector<std::size_t>&) const {
    change_each(values, mean_.size(), [&](double x, std::size_t i) {
        const double distance = x - mean_[i];
        // By 0 times the distance and not 0, so that missing numbers stay missing.
        return deviation_[i] > 0 ? distance / deviation_[i] : 0.0 * distance + 0.0;
    });
}

SIGMA_IMPL bool Standardize::undo(NumberList& values, const std::vector<std::size_t>& shape) const {
    require_list(mean_.size(), shape);
    change_each(values, mean_.size(), [&](double x, std::size_t i) { return x * deviation_[i] + mean_[i]; });
    return true;
}

SIGMA_IMPL FittedPointer load_standardize(const StoredValues& s) {
    return sigma::detail::SharedOwner<const Standardize>::make(s.list("mean"), s.list("deviation"));
}

SIGMA_IMPL FittedPointer StandardizeFit::finish() {
    if (together_) {
        Moments all;
        for (const Moments& m : features_) all.add(m);
        features_ = {all};
    }
    std::vector<double> mean, deviation;
    for (const Moments& m : features_) mean.push_back(m.mean), deviation.push_back(m.deviation());
    return sigma::detail::SharedOwner<const Standardize>::make(std::move(mean), std::move(deviation));
}

SIGMA_IMPL TransformPointer standardizing(bool together) {
    return learned_transform(together ? "standardize(jointly)" : "standardize()", [together](const SectionInfo& of) {
        return sigma::detail::make_owned<StandardizeFit>(of, together);
    });
}

}  // namespace sigma::data::detail
