// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/perplexity.hpp>

#include <cmath>

namespace sigma {

SIGMA_IMPL Perplexity::Perplexity(std::size_t classes, Ignored ignore) : classes_(classes), ignore_(ignore) {
    detail::check_classes("perplexity", classes);
}

SIGMA_IMPL void Perplexity::add_loss(double mean, std::size_t count) {
    if (std::isnan(mean)) throw ArgumentError("losses of perplexity", "a number", "nan");
    total_ += mean * static_cast<double>(count);
    count_ += count;
}

}  // namespace sigma
