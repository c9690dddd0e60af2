// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sigma {
class SafetensorsFile;
class SafetensorsWriter;
}  // namespace sigma

/// How preprocessing lies in a file beside the parameters of a model. Metadata: "preprocessing" is the number of steps,
/// "preprocessing.0.transform" and "preprocessing.0.section" say what step 0 is and acts on. Tensors: what it has
/// learned, as lists of F64, "preprocessing.0.standardize.mean".
namespace sigma::data::detail {

inline constexpr std::string_view preprocessing_key = "preprocessing";
inline constexpr std::size_t most_steps = 1000;

inline std::string step_key(std::size_t step, std::string_view of) {
    return sentence(preprocessing_key, ".", step, ".", of);
}
std::string value_name(std::size_t step, const std::string& kind, std::string_view of);

/// Whether a tensor belongs to preprocessing and not to a model.
bool is_preprocessing(std::string_view tensor);

void add_preprocessing(SafetensorsWriter& file, const Preprocessing& preprocessing);

/// "standardize(inputs) >> one_hot(targets)", or "none".
template <class Step>
std::string steps_text(std::size_t count, Step kind_and_section) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [kind, section] = kind_and_section(i);
        all += sentence(all.empty() ? "" : " >> ", kind, "(", section, ")");
    }
    return all.empty() ? "none" : all;
}
std::string steps_text(const Preprocessing& p);

/// Throws MismatchError with what differs, where a file has not exactly this preprocessing.
void require_preprocessing(const SafetensorsFile& file, const std::string& where, const Preprocessing& wanted);

/// What the records of a dataset went through, as far as it says so.
template <class D>
Preprocessing preprocessing_of(const D& dataset) {
    if constexpr (requires { Preprocessing(dataset.preprocessing()); }) return dataset.preprocessing();
    else return {};
}

/// Throws DataError. Every tensor whose name begins with "preprocessing." must belong to a step.
Preprocessing read_preprocessing(const SafetensorsFile& file, const std::vector<NamedFunction>& functions = {});
/// Stands for each function of the user's that a file names: to read what needs none of them. Applied, it throws
/// ArgumentError.
std::vector<NamedFunction> functions_not_given(const SafetensorsFile& file);

}  // namespace sigma::data::detail

namespace sigma::data {

/// Writes transforms and what they have learned to a safetensors file. The file is replaced as a whole; StorageError
/// where that fails.
void save_preprocessing(const Preprocessing& preprocessing, const std::string& file);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing_file.ipp>
#endif
