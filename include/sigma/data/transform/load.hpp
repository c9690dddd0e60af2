// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/making.hpp>
#include <sigma/data/transform/named_function.hpp>

#include <string>
#include <string_view>
#include <vector>

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

// Transforms with nothing left to learn, made again of the numbers that a file has of them. Each is defined where its
// transform is.
FittedPointer load_clamp(const StoredValues& s);
FittedPointer load_impute(const StoredValues& s);
FittedPointer load_map_values(const StoredValues& s);
FittedPointer load_normalize(const StoredValues& s);
FittedPointer load_normalize_each(const StoredValues& s);
FittedPointer load_one_hot(const StoredValues& s);
FittedPointer load_permute(const StoredValues& s);
FittedPointer load_reshape(const StoredValues& s);
FittedPointer load_standardize(const StoredValues& s);

FittedPointer fitted_normalize(std::vector<double> min, std::vector<double> max, double low, double high);
/// Throws ArgumentError where the name is empty or a transform's.
FittedPointer fitted_function(const std::string& name, UserFunction function);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/load.ipp>
#endif
