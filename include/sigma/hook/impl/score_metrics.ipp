// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/score_metrics.hpp>

namespace sigma {

namespace detail {

SIGMA_IMPL BinaryScore::BinaryScore(int classes, double lower, double upper, bool bounds, Ignored ignore)
    : step_(classes == 2 ? 2 : 1), lower_(lower), upper_(upper), bounds_(bounds), counts_(bounds ? 0.5 : upper, ignore),
      area_(ignore) {}

SIGMA_IMPL void BinaryScore::add(const std::vector<double>& predictions, const std::vector<double>& targets) {
    std::vector<double> yes;
    for (std::size_t i = step_ - 1; i < predictions.size(); i += step_) yes.push_back(predictions[i]);
    area_.add(yes, targets);
    if (bounds_)  // the prediction becomes 1 or 0 beyond a bound, and the wrong answer between the bounds
        for (std::size_t i = 0; i < yes.size(); ++i)
            yes[i] = yes[i] > upper_ ? 1 : yes[i] < lower_ ? 0 : targets[i] != 0 ? 0 : 1;
    counts_.add(yes, targets);
}

SIGMA_IMPL std::array<double, 5> BinaryScore::values() const {
    return {counts_.accuracy(), counts_.precision(), counts_.recall(), counts_.f1(), area_.value()};
}

}  // namespace detail

SIGMA_IMPL BinaryMetric BinaryMetric::operator()(double threshold) const {
    if (threshold != threshold) throw ArgumentError("threshold of a binary score", "a number", "nan");
    BinaryMetric m;
    m.lower_ = m.upper_ = threshold;
    return m;
}

SIGMA_IMPL BinaryMetric BinaryMetric::operator()(double lower, double upper) const {
    if (!(lower <= upper))
        throw ArgumentError("bounds of a binary score", "a lower bound up to the upper one",
                            sentence(lower, " and ", upper));
    BinaryMetric m;
    m.lower_ = lower, m.upper_ = upper, m.bounds_ = true;
    return m;
}

SIGMA_IMPL std::string BinaryMetric::options() const {
    return sentence(", ", lower_, bounds_ ? sentence(", ", upper_) : "");
}

}  // namespace sigma
