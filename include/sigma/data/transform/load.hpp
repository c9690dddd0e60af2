// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/named_function.hpp>
#include <sigma/data/transform/stored.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Transforms with nothing left to learn, made again of the numbers that a file has of them. Each is defined where its
/// transform is.
namespace sigma::data::detail {

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
