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

    const std::vector<double>& list(std::string_view name) const;
    double number(std::string_view name) const;
    /// Whole numbers from 0.
    std::vector<std::size_t> counts(std::string_view name) const;
    [[noreturn]] void refuse(std::string_view name, std::string expected, std::string found) const;
};

inline std::vector<double> as_numbers(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/stored.ipp>
#endif
