// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/network/parameters_file.hpp>

#include <string>

namespace sigma {

namespace detail {

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file, const data::Preprocessing& preprocessing);

}  // namespace detail

/// As save_parameters(model, file), with a preprocessing: Preprocessing::load(file) reads it back, and
/// load_parameters(model, file) the parameters. What `fitted` gives is only a part of it where the data went through
/// more.
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const data::Preprocessing& preprocessing) {
    detail::save_parameters_of<T>(model, file, preprocessing);
}
/// The same with all that the training data, as the trainer got them, went through since they were read.
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const Dataset& training) {
    save_parameters(model, file, training.preprocessing());
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/parameters_file.ipp>
#endif
