// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

#include <cmath>

namespace sigma {

/// The mean of |prediction - target| over all numbers; NaN before the first.
class MeanAbsoluteError {
public:
    /// Predictions and targets of one shape.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        const detail::MetricPair pair("mean absolute error", predictions, targets);
        for (std::size_t i = 0; i < pair.size(); ++i)
            total_ += std::abs(pair.predictions.values[i] - pair.targets.values[i]);
        count_ += pair.size();
    }
    double value() const { return detail::quotient(total_, static_cast<double>(count_)); }
    std::size_t count() const { return count_; }
    void reset() { total_ = 0, count_ = 0; }

private:
    double total_ = 0;
    std::size_t count_ = 0;
};

}  // namespace sigma
