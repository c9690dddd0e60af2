// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

#include <cmath>

namespace sigma {

/// The square root of the mean of (prediction - target)² over all numbers; NaN before the first.
class RootMeanSquaredError {
public:
    /// Predictions and targets of one shape.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        const detail::MetricPair pair("root mean squared error", predictions, targets);
        for (std::size_t i = 0; i < pair.size(); ++i) {
            const double d = pair.predictions.values[i] - pair.targets.values[i];
            total_ += d * d;
        }
        count_ += pair.size();
    }
    double value() const { return std::sqrt(detail::quotient(total_, static_cast<double>(count_))); }
    std::size_t count() const { return count_; }
    void reset() { total_ = 0, count_ = 0; }

private:
    double total_ = 0;
    std::size_t count_ = 0;
};

}  // namespace sigma
