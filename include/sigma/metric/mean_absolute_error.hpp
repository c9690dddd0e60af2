// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

/// The mean of |prediction - target| over all numbers; NaN before the first.
class MeanAbsoluteError {
public:
    /// Predictions and targets of one shape.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"mean absolute error", predictions, targets});
    }
    double value() const { return detail::quotient(total_, static_cast<double>(count_)); }
    std::size_t count() const { return count_; }
    void reset() { total_ = 0, count_ = 0; }

private:
    void add(const detail::MetricPair& pair);
    double total_ = 0;
    std::size_t count_ = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/mean_absolute_error.ipp>
#endif
