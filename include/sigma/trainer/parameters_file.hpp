// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Files with parameters and preprocessing: save_parameters. Include it yourself:
/// `<sigma/trainer/parameters_file.hpp>`.
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/network/parameters_file.hpp>

#include <string>

namespace sigma {

namespace detail {

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file, const data::Preprocessing& preprocessing);

}  // namespace detail

/// Saves the parameters of a model together with a preprocessing.
///
/// `load_parameters(model, file)` loads the parameters, and `Preprocessing::load(file)` the preprocessing.
///
/// @param model          the model
/// @param file           path of the file, by convention with the ending `.safetensors`
/// @param preprocessing  all transforms of the training data, not only those of the last call of `fitted`
/// @throws StorageError  if the file cannot be written
/// @see load_parameters, docs/model-files.md
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const data::Preprocessing& preprocessing) {
    detail::save_parameters_of<T>(model, file, preprocessing);
}
/// Saves the parameters of a model together with the preprocessing of the training data.
/// @param model     the model
/// @param file      path of the file, by convention with the ending `.safetensors`
/// @param training  the data of the trainer, which know all their transforms
/// @throws StorageError  if the file cannot be written
///
/// @par Example
/// @code{.txt}
/// #include <sigma/trainer/parameters_file.hpp>
/// …
/// save_parameters(model, "digits.safetensors", training);
/// load_parameters(model, "digits.safetensors");
/// @endcode
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const Dataset& training) {
    save_parameters(model, file, training.preprocessing());
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/parameters_file.ipp>
#endif
