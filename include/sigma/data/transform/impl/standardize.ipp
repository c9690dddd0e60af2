// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/standardize.hpp>

namespace sigma::data::detail {

SIGMA_IMPL Standardize::Standardize(std::vector<double> mean, std::vector<double> deviation)
    : mean_(std::move(mean)), deviation_(std::move(deviation)) {
    if (mean_.empty()) throw ArgumentError("standardize", "at least one mean", "none");
    require_as_many("standardize", "deviations", deviation_, mean_.size());
    require_finite("standardize", mean_);
    require_finite("standardize", deviation_);
    for (const double d : deviation_)
        if (d < 0) throw ArgumentError("standardize", "deviations of at least 0", exact(d));
}

SIGMA_IMPL std::vector<std::size_t> Standardize::shape(const std::vector<std::size_t>& before) const {
    require_list(mean_.size(), before);
    return before;
}

SIGMA_IMPL void Standardize::apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const {
    change_each(values, mean_.size(), [&](float x, std::size_t i) {
        const double distance = static_cast<double>(x) - mean_[i];
        // By 0 times the distance and not 0, so that missing numbers stay missing.
        return static_cast<float>(deviation_[i] > 0 ? distance / deviation_[i] : 0.0 * distance + 0.0);
    });
}

SIGMA_IMPL FittedPointer Standardize::load(const StoredValues& s) {
    return std::make_shared<const Standardize>(s.list("mean"), s.list("deviation"));
}

SIGMA_IMPL FittedPointer StandardizeFit::finish() {
    if (together_) {
        Moments all;
        for (const Moments& m : features_) all.add(m);
        features_ = {all};
    }
    std::vector<double> mean, deviation;
    for (const Moments& m : features_) mean.push_back(m.mean), deviation.push_back(m.deviation());
    return std::make_shared<const Standardize>(std::move(mean), std::move(deviation));
}

}  // namespace sigma::data::detail
