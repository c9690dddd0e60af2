// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Parameters in safetensors files: save_parameters, load_parameters. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/storage/dtype.hpp>

#include <string>
#include <string_view>

namespace sigma {

namespace detail {

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file, const ParameterChoice& choice,
                        Dtype as = dtype_of<T>);
template <class T>
int load_parameters_of(ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Transfer how,
                       const AnyFunction<std::string(std::string_view)>& rename);
/// Sets the sizes that follow from the shapes of the parameters in a file.
void take_sizes(SizeBinding& sizes, const std::string& file);

}  // namespace detail

/// Writes the parameters of a model to a safetensors file, with their names and the names of the classes.
///
/// The file is replaced as a whole: after an error the old file still exists.
///
/// @param model  the model. A trainer may be training it.
/// @param file   path of the file, usually ending in ".safetensors"
/// @param as     type of the numbers in the file. `Dtype::bf16` and `Dtype::f16` need half the space of float and round
///               to nearest. Default: the type of the model.
/// @throws StorageError   if the file cannot be written
/// @throws ArgumentError  if a parameter is not finite, or too large for this type
///
/// @par Example
/// @code
/// save_parameters(model, "digits.safetensors");
/// Model<Digits> again;
/// load_parameters(again, "digits.safetensors");
/// @endcode
///
/// @see load_parameters, save_model
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, Dtype as = detail::dtype_of<T>) {
    detail::save_parameters_of<T>(model, file, "*", as);
}
/// Writes some parameters of a model to a safetensors file.
/// @param model   the model. A trainer may be training it.
/// @param file    path of the file, usually ending in ".safetensors"
/// @param choice  a pattern of names, in which `*` stands for any characters, or a function
/// @param as      type of the numbers in the file. Default: the type of the model.
/// @throws StorageError   if the file cannot be written
/// @throws MismatchError  if no parameter is chosen
/// @throws ArgumentError  if a parameter is not finite, or too large for this type
///
/// @par Example
/// @code
/// save_parameters(model, "head.safetensors", "2-*");
/// save_parameters(model, "weights.safetensors", [](std::string_view name) { return name.ends_with(".weights"); });
/// @endcode
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const ParameterChoice& choice,
                     Dtype as = detail::dtype_of<T>) {
    detail::save_parameters_of<T>(model, file, choice, as);
}

/// Reads parameters from a safetensors file, also from one that another program has written.
///
/// The model changes only after all checks have passed. If all parameters are read (the choice `"*"` and
/// `Transfer::whole`), the names of the classes are read, too. If they are also read without `rename`, the saved
/// network must compute the same as this one, up to its losses.
///
/// @param model    the model
/// @param file     path of the file
/// @param choice   a pattern of names, in which `*` stands for any characters, or a function. Default: all.
/// @param how      `Transfer::whole`: the file must contain each matching parameter with its shape (default).
///                 `Transfer::common`: reads the parameters that the file contains with the same shape.
/// @param rename   returns the name of a parameter in the file. Default: the names are equal.
/// @return the number of parameters that were read
/// @throws DataError      if the file is damaged, or a number is not finite
/// @throws MismatchError  if one of these is true:
///                        - A parameter is missing or has another shape.
///                        - No parameter is chosen.
///                        - The model has other names of classes.
///                        - The saved network computes something else.
///
/// @par Example
/// @code
/// Model<Digits> start;
/// load_parameters(start, "digits.safetensors", "1-dense.*");
/// @endcode
///
/// @see save_parameters, load_model
template <AnyNetwork N, class T>
int load_parameters(Model<N, T>& model, const std::string& file, const ParameterChoice& choice = "*",
                    Transfer how = Transfer::whole,
                    const detail::AnyFunction<std::string(std::string_view)>& rename = {}) {
    return detail::load_parameters_of<T>(model, file, choice, how, rename);
}

/// Makes a run-time network from a network with named sizes, with the sizes of the parameters in a file.
///
/// @param named  the network. It may have values for some of its sizes.
/// @param file   path of a safetensors file or a checkpoint
/// @return the network with these sizes
/// @throws DataError      if the file cannot be read or is damaged
/// @throws ArgumentError  if the file contradicts itself or a given value, or no parameter determines a size
/// @throws MistakeError   if a layer rejects its input with these sizes
///
/// @par Example
/// @code
/// struct Table : Network<Input(dim<"columns">) + Dense(dim<"width">, relu) + Dense(3) + SoftmaxCE()> {};
/// auto net = network(Table{}, "best.sigma");
/// @endcode
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
