// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/min_max.hpp>
#include <sigma/data/transform/normalize.hpp>

#include <algorithm>
#include <limits>

namespace sigma::data::detail {

/// Least and largest of each feature, or of all. NaN are passed over; nothing but NaN counts as 0.
class MinMaxFit final : public TransformFit {
public:
    MinMaxFit(const SectionInfo& of, bool whole, double low, double high);

    void observe(std::span<const float> values, std::size_t records) override;
    FittedPointer finish() override;

private:
    static constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> least_, largest_;
    bool whole_;
    double low_, high_;
};

SIGMA_IMPL MinMaxFit::MinMaxFit(const SectionInfo& of, bool whole, double low, double high)
    : least_(of.size(), infinity), largest_(of.size(), -infinity), whole_(whole), low_(low), high_(high) {}

SIGMA_IMPL void MinMaxFit::observe(std::span<const float> values, std::size_t records) {
    const std::size_t size = least_.size();
    for (std::size_t r = 0; r < records; ++r) {
        const float* record = values.data() + r * size;
        for (std::size_t i = 0; i < size; ++i) {
            least_[i] = record[i] < least_[i] ? record[i] : least_[i];
            largest_[i] = record[i] > largest_[i] ? record[i] : largest_[i];
        }
    }
}

SIGMA_IMPL FittedPointer MinMaxFit::finish() {
    if (whole_ && !least_.empty()) {
        least_ = {*std::ranges::min_element(least_)};
        largest_ = {*std::ranges::max_element(largest_)};
    }
    for (std::size_t i = 0; i < least_.size(); ++i)
        if (least_[i] > largest_[i]) least_[i] = largest_[i] = 0;
    return fitted_normalize(std::vector<double>(least_.begin(), least_.end()),
                            std::vector<double>(largest_.begin(), largest_.end()), low_, high_);
}

SIGMA_IMPL TransformPointer learning_range(const char* word, bool whole, double low, double high) {
    require_finite(word, {low, high});
    return learned_transform(sentence(word, "(", low, ", ", high, ")"), [=](const SectionInfo& of) {
        return sigma::detail::make_owned<MinMaxFit>(of, whole, low, high);
    });
}

}  // namespace sigma::data::detail
