// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/network/tensor_file.hpp>

namespace sigma::detail {

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file) {
    TensorFile<T>::save(model, file);
}
template <class T>
int load_parameters_of(ModelStore<T>& model, const std::string& file, std::string_view pattern, Transfer how,
                       const AnyFunction<std::string(std::string_view)>& rename) {
    return TensorFile<T>::load(model, file, pattern, how, rename);
}

#ifdef SIGMA_COMPILED
template void save_parameters_of(const ModelStore<float>&, const std::string&);
template void save_parameters_of(const ModelStore<double>&, const std::string&);
template int load_parameters_of(ModelStore<float>&, const std::string&, std::string_view, Transfer,
                                const AnyFunction<std::string(std::string_view)>&);
template int load_parameters_of(ModelStore<double>&, const std::string&, std::string_view, Transfer,
                                const AnyFunction<std::string(std::string_view)>&);
#endif

}  // namespace sigma::detail
