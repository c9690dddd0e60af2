// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/digits.hpp>
#include <sigma/data/transform/making.hpp>

#include <cmath>
#include <numeric>

namespace sigma::data::detail {

SIGMA_IMPL std::string exact(double x) {
    return sigma::detail::number_text(x);
}

SIGMA_IMPL std::string exact(const std::vector<double>& all) {
    std::string text = "{";
    for (const double x : all) text += sentence(text.size() > 1 ? ", " : "", exact(x));
    return text + "}";
}

SIGMA_IMPL std::size_t size_of(const std::vector<std::size_t>& record) {
    return std::accumulate(record.begin(), record.end(), std::size_t{1}, std::multiplies<>());
}

SIGMA_IMPL void require_finite(const char* where, const std::vector<double>& values) {
    for (const double x : values)
        if (!std::isfinite(x)) throw ArgumentError(where, "finite numbers", exact(x));
}

SIGMA_IMPL void require_as_many(const char* where, const char* what, const std::vector<double>& values,
                                std::size_t count) {
    if (values.size() != count) throw ArgumentError(where, sentence(count, " ", what), sentence(values.size()));
}

SIGMA_IMPL void InPlace::require_list(std::size_t count, const std::vector<std::size_t>& before) const {
    if (count != 1 && count != size_of(before))
        throw ShapeError(kind(), sentence("records of ", count, " numbers"), shape_text(before));
}

}  // namespace sigma::data::detail
