// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/trainer/parameters_file.hpp>

namespace sigma::detail {

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file, const data::Preprocessing& preprocessing) {
    at_rest(model, [&](const ModelStore<T>& now) {
        SafetensorsWriter writer;
        TensorFile<T>::add_parameters(writer, now);
        data::detail::add_preprocessing(writer, preprocessing);
        writer.save(file);
    });
}

#ifdef SIGMA_COMPILED
template void save_parameters_of(const ModelStore<float>&, const std::string&, const data::Preprocessing&);
template void save_parameters_of(const ModelStore<double>&, const std::string&, const data::Preprocessing&);
#endif

}  // namespace sigma::detail
