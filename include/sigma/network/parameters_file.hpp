// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/storage/dtype.hpp>

#include <string>
#include <string_view>

namespace sigma {

namespace detail {

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file, Dtype as = dtype_of<T>);
template <class T>
int load_parameters_of(ModelStore<T>& model, const std::string& file, std::string_view pattern, Transfer how,
                       const AnyFunction<std::string(std::string_view)>& rename);
/// Sizes that follow from the shapes of a file's parameters.
void take_sizes(SizeBinding& sizes, const std::string& file);

}  // namespace detail

/// Writes all parameters of a model to a safetensors file, under their names, "1-dense.weights", and the names of its
/// classes; `as` Dtype::bf16 or Dtype::f16 in half the bytes, rounded to nearest. The file is replaced as a whole;
/// StorageError where that fails, ArgumentError where a number is not finite or too large for F16.
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, Dtype as = detail::dtype_of<T>) {
    detail::save_parameters_of<T>(model, file, as);
}

/// Reads the parameters whose names match the pattern from a safetensors file, also one of another program. `rename`
/// says under which name the file has a parameter. With Transfer::whole each must be there with its shape, else a
/// MismatchError names all that differ; with Transfer::common those that fit are read. Where all parameters are read
/// under their own names, the network must also compute what the one that was saved does, up to its losses. Whoever
/// reads all of a file, `*` and Transfer::whole, reads the names of classes, too: a model with other ones refuses them
/// with a MismatchError. A file that is not what was written, and numbers that are not finite, are a DataError. Nothing
/// is changed before everything is known to fit. Returns how many were read.
template <AnyNetwork N, class T>
int load_parameters(Model<N, T>& model, const std::string& file, std::string_view pattern = "*",
                    Transfer how = Transfer::whole,
                    const detail::AnyFunction<std::string(std::string_view)>& rename = {}) {
    return detail::load_parameters_of<T>(model, file, pattern, how, rename);
}

/// A network with named sizes that are those of the parameters in a safetensors file, a checkpoint too, or given:
/// `network(Table{}, "best.sigma")`. Throws ArgumentError where the file contradicts itself, or what is given, and
/// where no parameter tells of a size; DataError, and MistakeError.
template <NamedNetwork N>
DynamicNetwork network(const N& named, const std::string& file) {
    detail::SizeBinding sizes = detail::sizes_of(named);
    detail::take_sizes(sizes, file);
    return sizes.make();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/tensor_file.ipp>
#endif
