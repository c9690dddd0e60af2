// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

/// The square root of the mean of (prediction - target)² over all numbers; NaN before the first.
class RootMeanSquaredError {
public:
    /// Predictions and targets of one shape.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"root mean squared error", predictions, targets});
    }
    double value() const;
    std::size_t count() const { return count_; }
    void reset() { total_ = 0, count_ = 0; }

private:
    void add(const detail::MetricPair& pair);
    double total_ = 0;
    std::size_t count_ = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/root_mean_squared_error.ipp>
#endif
