// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/r2.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL R2::R2(std::size_t outputs) : outputs_(outputs) {
    if (outputs < 1) throw ArgumentError("R2", "1 output or more", sentence(outputs));
}

SIGMA_IMPL double R2::value(std::size_t output) const {
    if (output >= outputs_.size())
        throw ArgumentError("R2", sentence("an output from 0 to ", outputs_.size() - 1), sentence(output));
    const Output& o = outputs_[output];
    return 1 - (o.spread == 0 ? NAN : o.residual / o.spread);
}

SIGMA_IMPL double R2::value() const {
    double total = 0;
    for (std::size_t o = 0; o < outputs_.size(); ++o) total += value(o);
    return total / static_cast<double>(outputs_.size());
}

SIGMA_IMPL void R2::Output::add(double prediction, double y) {
    const double d = y - mean;
    mean += d / ++count;
    spread += d * (y - mean);
    residual += (y - prediction) * (y - prediction);
}

SIGMA_IMPL void R2::add(const detail::MetricPair& pair) {
    const auto other_rows = [&](const detail::MetricArray& a) {
        return outputs_.size() > 1 && a.shaped && (a.shape.empty() || a.shape.back() != outputs_.size());
    };
    if (pair.size() % outputs_.size() != 0 || other_rows(pair.targets) || other_rows(pair.predictions))
        throw ShapeError("targets of R2", sentence("rows of ", outputs_.size(), " outputs"),
                         sentence("shape ", detail::shape_text(pair.targets.shape)));
    for (std::size_t i = 0; i < pair.size(); ++i)
        outputs_[i % outputs_.size()].add(pair.predictions.values[i], pair.targets.values[i]);
}

SIGMA_IMPL void R2::reset() { outputs_.assign(outputs_.size(), {}); }

}  // namespace sigma
