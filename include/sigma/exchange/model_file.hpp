// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Model files: save_model, load_model, load_layers. Included by `<sigma/exchange.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/storage/dtype.hpp>

#include <memory>
#include <string>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_exchange_model_file_hpp);

namespace sigma {

class SafetensorsFile;

namespace detail {

/// The contents of a model file: the network, the preprocessing, and the open file with the parameters.
struct ModelFile {
    std::shared_ptr<const SafetensorsFile> file;
    DynamicNetwork network;
    data::Preprocessing preprocessing;
    std::string library;  ///< Version of the library that wrote the file.
};
template <class T>
void save_model(const ModelStore<T>& model, const Layers& network, const data::Preprocessing& preprocessing,
                const std::string& file, Dtype as);
/// Reads a model file. `functions` are the program's functions of its transforms; null: their names are enough, see
/// functions_not_given.
ModelFile read_model_file(const std::string& file, const std::vector<data::NamedFunction>* functions);
/// Loads the parameters and hyperparameters.
template <class T>
void load_values(ModelStore<T>& model, const SafetensorsFile& file);
/// A network with its operations, for error texts. `layers` are the layers of the nodes of `prediction`.
struct NetworkInWords {
    const NetworkTable& network;
    Program prediction;
    List<LayerRecord> layers;
};
template <AnyNetwork N, class T>
NetworkInWords in_words(const Model<N, T>& model) {
    return {model.network(), model.template operations<to_predict>(), layers_of_programs(model.definition(), false)};
}
/// Returns whether two networks have the same names and shapes, and compute the same.
bool same_network(const NetworkTable& a, const NetworkTable& b);
/// Throws MismatchError with both networks and their first difference.
[[noreturn]] void throw_other_network(const NetworkInWords& wanted, const NetworkInWords& found);
/// Sets the named sizes to those of another network. Throws MismatchError if its layers differ.
void take_sizes(SizeBinding& sizes, const NetworkTable& of);
/// Throws ArgumentError if the file contains a preprocessing and the data had another one.
void require_preprocessing(const data::Preprocessing& wanted, const Dataset& data);

template <AnyNetwork N, class T>
void save_model_with(const Model<N, T>& model, const data::Preprocessing& preprocessing, const std::string& file,
                     Dtype as) {
    model.at_rest([&](const Model<N, T>& now) {
        if constexpr (MadeNetwork<N>) save_model<T>(now, now.definition().made().layers(), preprocessing, file, as);
        else save_model<T>(now, Layers(N::expression), preprocessing, file, as);
    });
}

}  // namespace detail

/// Writes a model to a file that any program can load without knowing the type of the network.
///
/// The file contains the network in prediction and in training, its losses, the names of its layers, parameters,
/// hyperparameters and classes, and the version of the library. It is a safetensors file, which `load_parameters` reads
/// as well. The file is replaced as a whole: after an error the old file still exists.
///
/// If an initializer of the network is a function of your program, a loaded model draws zeros for it.
///
/// @param model  the model. A trainer may be training it.
/// @param file   path of the file, usually ending in ".sigma"
/// @param as     type of the numbers in the file: the type of the model (default), `Dtype::bf16` or `Dtype::f16`
/// @throws StorageError   if the file cannot be written
/// @throws ArgumentError  if a parameter is not finite, or too large for this type
///
/// @par Example
/// @code
/// save_model(model, "digits.sigma");
/// auto loaded = load_model("digits.sigma");
/// Array<float> probabilities = loaded.predict(images);
/// @endcode
///
/// @see load_model, docs/model-files.md
template <AnyNetwork N, class T>
void save_model(const Model<N, T>& model, const std::string& file, Dtype as = detail::dtype_of<T>) {
    detail::save_model_with(model, {}, file, as);
}
/// Writes a model together with the preprocessing of its training data.
///
/// If the preprocessing contains functions of your program, the file contains their names. Pass the functions to
/// `load_model`.
///
/// @param model          the model
/// @param file           path of the file
/// @param preprocessing  the preprocessing, such as `data.preprocessing()`
/// @param as             type of the numbers in the file. Default: the type of the model.
/// @throws StorageError   if the file cannot be written
/// @throws ArgumentError  if a parameter is not finite, or too large for this type
template <AnyNetwork N, class T>
void save_model(const Model<N, T>& model, const std::string& file, const data::Preprocessing& preprocessing,
                Dtype as = detail::dtype_of<T>) {
    detail::save_model_with(model, preprocessing, file, as);
}
/// Writes a model together with the preprocessing of its training data.
///
/// @param model     the model
/// @param file      path of the file
/// @param training  the training data. The file gets their preprocessing.
/// @param as        type of the numbers in the file. Default: the type of the model.
/// @throws StorageError   if the file cannot be written
/// @throws ArgumentError  if a parameter is not finite, or too large for this type
///
/// @par Example
/// @code
/// save_model(model, "digits.sigma", training);
/// @endcode
template <AnyNetwork N, class T>
void save_model(const Model<N, T>& model, const std::string& file, const Dataset& training,
                Dtype as = detail::dtype_of<T>) {
    save_model(model, file, training.preprocessing(), as);
}

/// A model from a file. It is a model of a run-time network, which predicts, classifies and evaluates like any other.
///
/// @tparam T  type of the parameters and predictions: `float` (default) or `double`
///
/// @par Example
/// @code
/// auto loaded = load_model("digits.sigma");
/// Trainer more("more", loaded.network(), Adam{}, minibatches(training, 100));
/// more.model() = loaded;  // continues training with these parameters
/// @endcode
///
/// @see load_model, Model
template <class T = float>
class LoadedModel : public Model<DynamicNetwork, T> {
public:
    /// @cond internal
    explicit LoadedModel(const detail::ModelFile& parts)
        : Model<DynamicNetwork, T>(parts.network, detail::NotDrawn{}), preprocessing_(parts.preprocessing),
          library_(parts.library) {
        detail::load_values<T>(*this, *parts.file);
    }
    /// @endcond

    /// Returns the network without parameters.
    /// @return a run-time network, for `Trainer`, `network` or `summary`
    const DynamicNetwork& network() const { return this->definition(); }
    /// Returns the preprocessing of the training data: `loaded.predict(loaded.preprocessing()(raw))`.
    /// @return the preprocessing; empty if the file was saved without one
    const data::Preprocessing& preprocessing() const& { return preprocessing_; }
    /// Returns the preprocessing of the training data.
    /// @return a copy
    data::Preprocessing preprocessing() && { return preprocessing_; }
    /// Returns the version of the library that wrote the file.
    /// @return a version such as "0.1.0"
    const std::string& library() const& { return library_; }
    /// Returns the version of the library that wrote the file.
    /// @return a copy
    std::string library() && { return library_; }

    /// Scores data as `Model::evaluate`, and checks the preprocessing of data sets.
    /// @param given  what `Model::evaluate` accepts
    /// @return error and accuracy
    /// @throws ArgumentError  if the file contains a preprocessing and the data set had another one
    /// @throws DataError      if the records do not match the network
    template <class... X>
    typename Model<DynamicNetwork, T>::Score evaluate(const X&... given) const {
        const auto examine = [&](const auto& x) {
            if constexpr (std::is_base_of_v<Dataset, std::remove_cvref_t<decltype(x)>>)
                detail::require_preprocessing(preprocessing_, x);
        };
        (examine(given), ...);
        return Model<DynamicNetwork, T>::evaluate(given...);
    }

    /// Converts to a model of a network type: `Model<Digits> digits = load_model("digits.sigma")`. Named sizes get the
    /// values of the file.
    /// @throws MismatchError  if the file contains another network. The message names both networks.
    template <AnyNetwork N>
        requires(ConstantNetwork<N> || NamedNetwork<N>)
    operator Model<N, T>() const {
        Model<N, T> model = [&] {
            if constexpr (ConstantNetwork<N>) return Model<N, T>();
            else {
                detail::SizeBinding sizes = detail::sizes_of(N{});
                detail::take_sizes(sizes, Model<DynamicNetwork, T>::records);
                return Model<N, T>(sizes.make(), detail::NotDrawn{});
            }
        }();
        this->read([&] {
            if (!detail::same_network(model.network(), Model<DynamicNetwork, T>::records))
                detail::throw_other_network(detail::in_words(model),
                                            detail::in_words(static_cast<const Model<DynamicNetwork, T>&>(*this)));
            transfer(*this, model);
            if (this->other_products()) model.leave_to(this->other_products());
        });
        for (int i = 0; i < model.network().hyperparameters.size(); ++i)
            model.put_hyperparameter(i, this->hyperparameter(i));
        return model;
    }

private:
    data::Preprocessing preprocessing_;
    std::string library_;
};

/// Reads a model that `save_model` has written. The program does not need the type of the network.
///
/// @tparam T         type of the parameters and predictions: `float` (default) or `double`
/// @param file       path of the file
/// @param functions  the functions of your program in the preprocessing, with their names: `{{"log", f}}`. Default:
///                   none.
/// @return a model, which converts to `Model<Digits>` if it contains this network
/// @throws DataError  if the file is damaged, is not a model, was written by a newer version of the library, or needs a
///                    function that is not in `functions`
///
/// @par Example
/// @code
/// auto loaded = load_model("digits.sigma");
/// Array<float> probabilities = loaded.predict(images);
/// @endcode
///
/// @see save_model, LoadedModel
template <class T = float>
LoadedModel<T> load_model(const std::string& file, const std::vector<data::NamedFunction>& functions = {}) {
    return LoadedModel<T>(detail::read_model_file(file, &functions));
}
/// Reads the network of a model file without its losses, so that you can add layers.
///
/// The layers have the names of the file. Load their parameters by `load_parameters` with `Transfer::common`.
///
/// @param file  path of a file that `save_model` has written
/// @return inputs and layers, without losses and without parameters
/// @throws DataError  if the file is damaged, or is not a model
///
/// @par Example
/// @code
/// auto net = network(load_layers("digits.sigma") + Dense(3) + SoftmaxCE());
/// Model tuned(net, 42);
/// load_parameters(tuned, "digits.sigma", "*", Transfer::common);
/// @endcode
Layers load_layers(const std::string& file);

}  // namespace sigma
