// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/clamp.hpp>

namespace sigma::data::detail {

SIGMA_IMPL Clamp::Clamp(double low, double high) : low_(low), high_(high) {
    require_finite("clamp", {low, high});
    if (!(low <= high)) throw ArgumentError("clamp", sentence("a high of at least ", exact(low)), exact(high));
}

SIGMA_IMPL void Clamp::apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const {
    const auto low = static_cast<float>(low_), high = static_cast<float>(high_);
    for (float& x : values) x = x < low ? low : x > high ? high : x;  // NaN stays
}

SIGMA_IMPL FittedPointer Clamp::load(const StoredValues& s) {
    return std::make_shared<const Clamp>(s.number("low"), s.number("high"));
}

}  // namespace sigma::data::detail
