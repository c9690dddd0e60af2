// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/entries.hpp>
#include <sigma/data/transform/named_function.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <array>

namespace sigma::data {

namespace detail {

struct TransformLoader {
    std::string_view kind;
    FittedPointer (*load)(const StoredValues&);
};
inline constexpr std::array transform_loaders{
    TransformLoader{"clamp", Clamp::load},         TransformLoader{"impute", Impute::load},
    TransformLoader{"map_values", MapValues::load}, TransformLoader{"normalize", Normalize::load},
    TransformLoader{"normalize_each", NormalizeEach::load}, TransformLoader{"one_hot", OneHot::load},
    TransformLoader{"permute", Permute::load},     TransformLoader{"reshape", Reshape::load},
    TransformLoader{"standardize", Standardize::load}};

FittedPointer load_transform(const std::string& kind, const StoredValues& stored, std::size_t step,
                             const std::vector<NamedFunction>& functions);

/// Throws DataError. Every tensor whose name begins with "preprocessing." must belong to a step.
Preprocessing read_preprocessing(const SafetensorsFile& file, const std::vector<NamedFunction>& functions = {});

}  // namespace detail

/// Writes transforms and what they have learned to a safetensors file. The file is replaced as a whole; StorageError where
/// that fails.
void save_preprocessing(const Preprocessing& preprocessing, const std::string& file);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing_file.ipp>
#endif
