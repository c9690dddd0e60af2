// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/accuracy.hpp>

namespace sigma {

SIGMA_IMPL Accuracy::Accuracy(std::size_t classes, AccuracyOptions options) : classes_(classes), options_(options) {
    detail::check_classes("accuracy", classes);
    if (options.top < 1 || options.top > classes)
        throw ArgumentError("top of accuracy", sentence("1 to ", classes), sentence(options.top));
}

SIGMA_IMPL void Accuracy::add(const detail::MetricRows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows.counts(i, options_.ignore)) continue;
        ++count_;
        right_ += rows.rank(i, rows.label(i)) < options_.top;
    }
}

}  // namespace sigma
