// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/perplexity.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL Perplexity::Perplexity(std::size_t classes, detail::Ignored ignore) : classes_(classes), ignore_(ignore) {
    detail::check_classes("perplexity", classes);
}

SIGMA_IMPL void Perplexity::add_loss(double mean, std::size_t count) {
    if (std::isnan(mean)) throw ArgumentError("losses of perplexity", "a number", "nan");
    total_ += mean * static_cast<double>(count);
    count_ += count;
}

SIGMA_IMPL void Perplexity::add(const detail::MetricRows& rows) {
    for (std::size_t i = 0; i < rows.predictions.values.size(); ++i) {
        const double p = rows.predictions.values[i];
        if (!(p >= 0 && p <= 1 + 1e-5))  // softmax in float rounds
            throw ArgumentError(sentence("predictions of perplexity, position ", i), "a probability from 0 to 1",
                                sentence(p));
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows.counts(i, ignore_)) add_loss(-std::log(rows.row(i)[rows.label(i)]), 1);
}

SIGMA_IMPL double Perplexity::value() const { return std::exp(detail::quotient(total_, static_cast<double>(count_))); }

}  // namespace sigma
