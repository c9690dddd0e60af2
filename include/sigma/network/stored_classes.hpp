// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>
#include <sigma/storage/safetensors.hpp>

#include <string_view>

/// How the names of classes lie in a file beside the parameters of a model: metadata "classes", in the order of their
/// numbers, each ended by a line feed; a line feed in a name is "\n" and a backslash "\\".
namespace sigma::detail {

inline constexpr std::string_view classes_key = "classes";

[[gnu::cold]] void add_classes(SafetensorsWriter& file, const ClassNames& names);

/// None where the file does not say. Throws DataError.
[[gnu::cold]] ClassNames stored_classes(const SafetensorsFile& file);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/stored_classes.ipp>
#endif
