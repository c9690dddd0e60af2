// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/load.hpp>

#include <cmath>

namespace sigma::data::detail {

SIGMA_IMPL const std::vector<double>& StoredValues::list(std::string_view name) const {
    for (const TransformValue& v : all)
        if (v.name == name) return v.values;
    throw DataError(file, sentence("tensor '", prefix, name, "'"), "a list of F64 numbers", "no such tensor");
}

SIGMA_IMPL double StoredValues::number(std::string_view name) const {
    const auto& values = list(name);
    if (values.size() != 1) refuse(name, "one number", sentence(values.size()));
    return values[0];
}

SIGMA_IMPL std::vector<std::size_t> StoredValues::counts(std::string_view name) const {
    std::vector<std::size_t> all_counts;
    for (const double x : list(name)) {
        if (!(x >= 0 && x < 4294967296.0 && x == std::floor(x)))
            refuse(name, "whole numbers from 0 to 4294967295", sentence(x));
        all_counts.push_back(static_cast<std::size_t>(x));
    }
    return all_counts;
}

SIGMA_IMPL void StoredValues::refuse(std::string_view name, std::string expected, std::string found) const {
    throw DataError(file, sentence("tensor '", prefix, name, "'"), std::move(expected), std::move(found));
}

}  // namespace sigma::data::detail
