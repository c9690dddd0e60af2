// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Parameters of PyTorch and Keras: load_parameters and save_parameters with torch_names and keras_names. Included by
/// `<sigma/exchange.hpp>`.
#include <sigma/exchange/portable_model.hpp>
#include <sigma/network/transfer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

enum class Framework { torch, keras };
struct ForeignUnit;

}  // namespace detail

/// Options of `torch_names` and `keras_names`.
/// @see torch_names, keras_names
struct ForeignOptions {
    /// Prefix of the names in the file, such as "backbone.". Other tensors are ignored. Default: none.
    std::string prefix{};
    /// Modules of layers: `{{"1-dense", "fc1"}}`. Other modules are matched by name, then by order. Default: none.
    std::vector<std::pair<std::string, std::string>> modules{};
    /// Words in the names of modules, without numbers, in the order of the network, for files with sorted names.
    /// `{"bn", "downsample", "layer"}` distinguishes "bn1" from "layer1.0.bn1".
    std::vector<std::string> order{};
    std::string layers = "*";  ///< Layers of the model that take part, as a pattern of their names. Default: all.
    std::string like{};        ///< Existing file from which a saved file takes its names. Default: none.
    /// Images in the other framework are (channels, height, width). This order matters to a layer behind a flattened
    /// image. Default: true for PyTorch, false for Keras. Set it for Keras if `data_format` is "channels_first".
    std::optional<bool> channels_first{};
};

/// The names and layouts of parameters in another framework. Made by `torch_names` and `keras_names`.
/// @see torch_names, keras_names
struct ForeignNames {
    /// @cond internal
    detail::Framework framework;  ///< PyTorch or Keras.
    /// @endcond
    ForeignOptions options;  ///< Prefix, modules, layers.
};

/// Returns the names and layouts of a PyTorch `state_dict()`.
///
/// @param options  prefix, modules, layers
/// @return the argument `names` of `load_parameters` and `save_parameters`
///
/// @par Example
/// @code
/// load_parameters(model, "digits.safetensors", torch_names({.modules = {{"1-dense", "fc1"}}}));
/// @endcode
///
/// @see docs/coming-from-pytorch.md
ForeignNames torch_names(ForeignOptions options = {});
/// Returns the names and layouts of Keras weights.
///
/// Save them in Python as `{w.path: w.numpy() for w in model.weights}` in a safetensors file, or by
/// `numpy.savez(file, *model.get_weights())`.
///
/// @param options  prefix, modules, layers
/// @return the argument `names` of `load_parameters` and `save_parameters`
///
/// @par Example
/// @code
/// load_parameters(model, "digits.npz", keras_names());
/// @endcode
///
/// @see docs/coming-from-keras.md
ForeignNames keras_names(ForeignOptions options = {});

namespace detail {

/// The parameters of a model in the names and layouts of the other framework.
using ForeignUnits = std::shared_ptr<const std::vector<ForeignUnit>>;
ForeignUnits foreign_units(const PortableModel& model, const ForeignNames& names);

template <class T>
int load_foreign(ModelStore<T>& model, const ForeignUnits& units, const std::string& file, const ForeignNames& names,
                 Transfer how);
void save_foreign(const PortableModel& model, const std::string& file, const ForeignNames& names);

}  // namespace detail

/// Reads parameters of PyTorch or Keras from a safetensors or .npz file.
///
/// The module of a layer is found in this order:
/// 1. the module that `names` gives for the layer,
/// 2. a module with the name of the layer,
/// 3. among modules with the same names and shapes of tensors: the order in the file, or, if the names in the file are
///    sorted, the order of the numbers in the names.
///
/// Layouts are converted. The model changes only after all checks have passed.
///
/// @param model  the model
/// @param file   path of a ".safetensors" or ".npz" file
/// @param names  `torch_names()` or `keras_names()`
/// @param how    `Transfer::whole`: each layer and each module must have its counterpart (default).
///               `Transfer::common`: reads the layers that have one.
/// @return the number of parameters that were read
/// @throws MismatchError  if layers or modules are left over, or the order does not follow from the names
/// @throws DataError      if the file is damaged, or a number is not finite
///
/// @par Example
/// @code
/// load_parameters(model, "digits.safetensors", torch_names());
/// @endcode
///
/// @see docs/coming-from-pytorch.md, docs/coming-from-keras.md
template <AnyNetwork N, class T>
int load_parameters(Model<N, T>& model, const std::string& file, const ForeignNames& names,
                    Transfer how = Transfer::whole) {
    detail::ForeignUnits units;
    detail::with_portable(model, [&](const detail::PortableModel& m) { units = detail::foreign_units(m, names); });
    return detail::load_foreign<T>(model, units, file, names, how);
}

/// Writes all parameters with the names and layouts of PyTorch or Keras.
///
/// Modules get the names of the options, or else those of the file `like`, or else the names of the layers.
///
/// @param model  the model. A trainer may be training it.
/// @param file   path, ending in ".safetensors" or ".npz"
/// @param names  `torch_names()` or `keras_names()`
/// @throws StorageError   if the file cannot be written
/// @throws MismatchError  if the file `like` does not fit the network
///
/// @par Example
/// @code
/// save_parameters(model, "digits.safetensors", torch_names());
/// @endcode
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const ForeignNames& names) {
    detail::with_portable(model, [&](const detail::PortableModel& m) { detail::save_foreign(m, file, names); });
}

}  // namespace sigma
