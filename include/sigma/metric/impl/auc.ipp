// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/auc.hpp>

#include <algorithm>

namespace sigma {

SIGMA_IMPL double AUC::value() const {
    auto sorted = records_;
    std::sort(sorted.begin(), sorted.end());
    double positives = 0, negatives = 0, twice = 0;  // twice: 2 for each pair in order, 1 for each tie
    for (std::size_t i = 0; i < sorted.size();) {
        double p = 0, n = 0;
        const double score = sorted[i].first;
        for (; i < sorted.size() && sorted[i].first == score; ++i) (sorted[i].second ? p : n) += 1;
        twice += p * (2 * negatives + n);
        positives += p;
        negatives += n;
    }
    return detail::quotient(twice, 2 * positives * negatives);
}

SIGMA_IMPL void AUC::add(const detail::MetricPair& pair) {
    detail::MetricRows::check_range(pair.targets, "AUC", 2, {});
    for (std::size_t i = 0; i < pair.size(); ++i)
        records_.emplace_back(pair.predictions.values[i], pair.targets.values[i] != 0);
}

SIGMA_IMPL void AUC::reset() { records_.clear(); }

}  // namespace sigma
