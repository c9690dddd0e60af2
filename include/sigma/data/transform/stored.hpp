// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/making.hpp>

namespace sigma::data::detail {

/// The numbers of one fitted transform as a file has them. What is not there throws DataError.
class StoredValues {
public:
    std::string file;
    std::string prefix;  ///< "preprocessing.0.standardize."
    std::string section;
    std::vector<TransformValue> all;

    const std::vector<double>& list(std::string_view name) const {
        for (const TransformValue& v : all)
            if (v.name == name) return v.values;
        throw DataError(file, sentence("tensor '", prefix, name, "'"), "a list of F64 numbers", "no such tensor");
    }
    double number(std::string_view name) const {
        const auto& values = list(name);
        if (values.size() != 1) refuse(name, "one number", sentence(values.size()));
        return values[0];
    }
    /// Whole numbers from 0.
    std::vector<std::size_t> counts(std::string_view name) const {
        std::vector<std::size_t> all_counts;
        for (const double x : list(name)) {
            if (!(x >= 0 && x < 4294967296.0 && x == std::floor(x))) refuse(name, "whole numbers from 0 to 4294967295", exact(x));
            all_counts.push_back(static_cast<std::size_t>(x));
        }
        return all_counts;
    }
    [[noreturn]] void refuse(std::string_view name, std::string expected, std::string found) const {
        throw DataError(file, sentence("tensor '", prefix, name, "'"), std::move(expected), std::move(found));
    }
};

using FittedPointer = std::shared_ptr<const FittedTransform>;

inline std::vector<double> as_numbers(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

}  // namespace sigma::data::detail
