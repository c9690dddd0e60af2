// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/min_max.hpp>
#include <sigma/data/transform/normalize.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sigma::data::detail {

/// Least and largest of each feature, or of all. NaN are passed over; nothing but NaN counts as 0.
class MinMaxFit final : public TransformFit {
public:
    MinMaxFit(const SectionInfo& of, bool whole, double low, double high);

    void observe(const NumberList& values, std::size_t records) override;
    FittedPointer finish() override;

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> least_, largest_;
    bool whole_;
    double low_, high_;
};

SIGMA_IMPL MinMaxFit::MinMaxFit(const SectionInfo& of, bool whole, double low, double high)
    : least_(of.size(), infinity), largest_(of.size(), -infinity), whole_(whole), low_(low), high_(high) {}

SIGMA_IMPL void MinMaxFit::observe(const NumberList& values, std::size_t records) {
    const std::size_t size = least_.size();
    values.visit([&](const auto& numbers) {
        for (std::size_t r = 0; r < records; ++r)
            for (std::size_t i = 0; i < size; ++i) {
                const auto x = static_cast<double>(numbers[r * size + i]);
                least_[i] = x < least_[i] ? x : least_[i];
                largest_[i] = x > largest_[i] ? x : largest_[i];
            }
    });
}

SIGMA_IMPL FittedPointer MinMaxFit::finish() {
    if (whole_ && !least_.empty()) {
        least_ = {*std::ranges::min_element(least_)};
        largest_ = {*std::ranges::max_element(largest_)};
    }
    for (std::size_t i = 0; i < least_.size(); ++i)
        if (least_[i] > largest_[i]) least_[i] = largest_[i] = 0;
    return fitted_normalize(std::move(least_), std::move(largest_), low_, high_);
}

SIGMA_IMPL TransformPointer learning_range(const char* word, bool whole, double low, double high) {
    require_finite(word, {low, high});
    return learned_transform(sentence(word, "(", low, ", ", high, ")"), [=](const SectionInfo& of) {
        return sigma::detail::make_owned<MinMaxFit>(of, whole, low, high);
    });
}

}  // namespace sigma::data::detail
