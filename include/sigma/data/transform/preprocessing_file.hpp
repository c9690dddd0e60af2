// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Preprocessing in files: `save_preprocessing` and `Preprocessing::load`. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sigma {
class SafetensorsFile;
class SafetensorsWriter;
}  // namespace sigma

// The format, beside the parameters of a model. Metadata: "preprocessing" is the number of steps, and
// "preprocessing.0.transform" and "preprocessing.0.section" name the transform and the section of step 0. Tensors: what
// the step has learned, as lists of F64, "preprocessing.0.standardize.mean".
namespace sigma::data::detail {

inline constexpr std::string_view preprocessing_key = "preprocessing";
inline constexpr std::size_t most_steps = 1000;

inline std::string step_key(std::size_t step, std::string_view of) {
    return sentence(preprocessing_key, ".", step, ".", of);
}
std::string value_name(std::size_t step, const std::string& kind, std::string_view of);

/// Returns whether a tensor belongs to preprocessing and not to a model.
bool is_preprocessing(std::string_view tensor);

void add_preprocessing(SafetensorsWriter& file, const Preprocessing& preprocessing);

/// Describes steps: "standardize(inputs) >> one_hot(targets)", or "none".
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

/// Throws MismatchError, with the difference, unless a file has exactly this preprocessing.
void require_preprocessing(const SafetensorsFile& file, const std::string& where, const Preprocessing& wanted);

/// Returns the preprocessing of a dataset, or none if its type has no preprocessing.
template <class D>
Preprocessing preprocessing_of(const D& dataset) {
    if constexpr (requires { Preprocessing(dataset.preprocessing()); }) return dataset.preprocessing();
    else return {};
}

/// Reads preprocessing. Throws DataError, also for a tensor "preprocessing.…" that belongs to no step.
Preprocessing read_preprocessing(const SafetensorsFile& file, const std::vector<NamedFunction>& functions = {});
/// Returns a substitute for each function of `apply` that a file names, for readers that apply none of them. A
/// substitute throws ArgumentError if it is applied.
std::vector<NamedFunction> functions_not_given(const SafetensorsFile& file);

}  // namespace sigma::data::detail

namespace sigma::data {

/// Writes transforms and what they have learned to a safetensors file. Replaces an existing file as a whole.
///
/// @param preprocessing  the transforms
/// @param file           path of the file
/// @throws StorageError   if the file cannot be written
/// @throws ArgumentError  if there are more than 1000 transforms
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// save_preprocessing(fitted(standardize(inputs), wine()), "wine.safetensors");
/// const Preprocessing again = Preprocessing::load("wine.safetensors");
/// @endcode
///
/// @see Preprocessing::load, save_parameters, docs/transforms.md
void save_preprocessing(const Preprocessing& preprocessing, const std::string& file);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing_file.ipp>
#endif
