// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

#include <utility>

namespace sigma {

/// The area under the receiver operating characteristic: the probability that a record with target 1 is predicted above
/// one with target 0, equal predictions counting one half (Mann and Whitney 1947). Exact, from the ranks of all
/// predictions, which are kept. NaN unless there are records of both kinds.
class AUC {
public:
    /// Predictions and targets of one shape, or (n, 1) and (n); targets are 0 or 1. Infinite predictions are fine.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"AUC", predictions, targets});
    }
    double value() const;
    std::size_t count() const { return records_.size(); }
    void reset();

private:
    void add(const detail::MetricPair& pair);
    std::vector<std::pair<double, bool>> records_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/auc.ipp>
#endif
