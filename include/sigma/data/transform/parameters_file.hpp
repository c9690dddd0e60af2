// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/network/parameters_file.hpp>

namespace sigma {

/// As save_parameters(model, file), with what the training data went through: Preprocessing::load(file) reads it back, and
/// load_parameters(model, file) the parameters.
template <AnyNetwork N, class T>
void save_parameters(Model<N, T>& model, const std::string& file, const data::Preprocessing& preprocessing) {
    SafetensorsWriter writer;
    detail::add_parameters(writer, model);
    data::detail::add_preprocessing(writer, preprocessing);
    writer.save(file);
}

}  // namespace sigma
