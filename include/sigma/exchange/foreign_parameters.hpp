// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/portable_model.hpp>
#include <sigma/network/transfer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Parameters that PyTorch or Keras trained, in a model of this library, and back.
namespace sigma {

namespace detail {

enum class Framework { torch, keras };
struct ForeignUnit;

}  // namespace detail

struct ForeignOptions {
    std::string prefix{};  ///< with which the names of the tensors begin that are meant: "backbone."
    /// Which module has a layer's parameters: {{"1-dense", "fc1"}}. Others are found by their names, then in order.
    std::vector<std::pair<std::string, std::string>> modules{};
    /// Words in the names of modules, without their numbers, in the order in which the network has them, for files with
    /// sorted names: {"bn", "downsample", "layer"} tells "bn1" from "layer1.0.bn1".
    std::vector<std::string> order{};
    std::string layers = "*";  ///< which layers of the model take part, a pattern of their names
    std::string like{};        ///< where parameters are saved: a file whose names the new one shall have
    /// Images are (channels, height, width) there, which a layer behind a flattened one sees: true of PyTorch, false of
    /// Keras unless its `data_format` is "channels_first".
    std::optional<bool> channels_first{};
};

/// How another framework names parameters and lays them out; made by torch_names and keras_names.
struct ForeignNames {
    detail::Framework framework;
    ForeignOptions options;
};

/// Those of a `state_dict()` of PyTorch.
ForeignNames torch_names(ForeignOptions options = {});
/// Those of Keras: `{w.path: w.numpy() for w in model.weights}`, or `numpy.savez(file, *model.get_weights())`.
ForeignNames keras_names(ForeignOptions options = {});

namespace detail {

/// The parameters of a model as the other framework has them.
using ForeignUnits = std::shared_ptr<const std::vector<ForeignUnit>>;
ForeignUnits foreign_units(const PortableModel& model, const ForeignNames& names);

template <class T>
int load_foreign(ModelStore<T>& model, const ForeignUnits& units, const std::string& file, const ForeignNames& names,
                 Transfer how);
void save_foreign(const PortableModel& model, const std::string& file, const ForeignNames& names);

}  // namespace detail

/// Reads parameters of another framework from a safetensors or .npz file: load_parameters(model, "resnet.safetensors",
/// torch_names()). A layer's parameters come from the module that the options name, else from one of the layer's name,
/// else the layers whose tensors have the same names and shapes take theirs in the order of the file; of a file that
/// has sorted names, in the order of the numbers in them. With Transfer::whole every layer and every module must have
/// its counterpart, with Transfer::common those that do are read. Layouts are converted (see docs/coming-from-*.md).
/// Throws MismatchError with what is left on both sides, or where an order does not follow from the names; DataError.
/// Nothing is changed before everything is known to fit. Returns how many parameters were read.
template <AnyNetwork N, class T>
int load_parameters(Model<N, T>& model, const std::string& file, const ForeignNames& names,
                    Transfer how = Transfer::whole) {
    detail::ForeignUnits units;
    detail::with_portable(model, [&](const detail::PortableModel& m) { units = detail::foreign_units(m, names); });
    return detail::load_foreign<T>(model, units, file, names, how);
}

/// Writes all parameters with the names and the layouts of another framework; the file's name ends in .safetensors or
/// .npz. Modules are called as the options say, else as in the file `like`, else as the layers. StorageError,
/// MismatchError.
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file, const ForeignNames& names) {
    detail::with_portable(model, [&](const detail::PortableModel& m) { detail::save_foreign(m, file, names); });
}

}  // namespace sigma
