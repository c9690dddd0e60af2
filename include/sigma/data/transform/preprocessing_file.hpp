// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/named_function.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <string>
#include <vector>

namespace sigma {
class SafetensorsFile;
}

namespace sigma::data {

namespace detail {

/// Throws DataError. Every tensor whose name begins with "preprocessing." must belong to a step.
Preprocessing read_preprocessing(const SafetensorsFile& file, const std::vector<NamedFunction>& functions = {});

}  // namespace detail

/// Writes transforms and what they have learned to a safetensors file. The file is replaced as a whole; StorageError
/// where that fails.
void save_preprocessing(const Preprocessing& preprocessing, const std::string& file);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing_file.ipp>
#endif
