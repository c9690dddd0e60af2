// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// The network of a file, and what stands beside its parameters.
struct ModelFile {
    std::shared_ptr<const SafetensorsFile> file;
    DynamicNetwork network;
    data::Preprocessing preprocessing;
    std::string library;  ///< the version that wrote it
};
template <class T>
void save_model(const ModelStore<T>& model, const Layers& network, const data::Preprocessing& preprocessing,
                const std::string& file, Dtype as);
/// Functions that transforms are made of; without any (null), names stand for them: see functions_not_given.
ModelFile read_model_file(const std::string& file, const std::vector<data::NamedFunction>* functions);
/// The parameters, and the numbers that change in training.
template <class T>
void load_values(ModelStore<T>& model, const SafetensorsFile& file);
/// A network with what it computes, for sentences about it: `layers` are those of the nodes of `prediction`.
struct NetworkInWords {
    const NetworkTable& network;
    Program prediction;
    List<LayerRecord> layers;
};
template <AnyNetwork N, class T>
NetworkInWords in_words(const Model<N, T>& model) {
    return {model.network(), model.template operations<to_predict>(), layers_of_programs(model.definition(), false)};
}
/// Have two networks the same names and shapes, and compute the same?
bool same_network(const NetworkTable& a, const NetworkTable& b);
/// Throws MismatchError with both networks, and with where they differ.
[[noreturn]] void throw_other_network(const NetworkInWords& wanted, const NetworkInWords& found);
/// The sizes that have names become those of a network like it. Throws MismatchError where that has other layers.
void take_sizes(SizeBinding& sizes, const NetworkTable& of);
/// Throws ArgumentError where data did not go through what the file says, if it says anything.
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

/// Writes all that a program needs to predict with this model, or to train it on, without its type: what the network
/// computes, in prediction and in training, its losses, layers and their names, parameters, names of classes, and the
/// version of this library. A safetensors file, which load_parameters reads, too; replaced as a whole. Throws
/// StorageError where that fails, ArgumentError where a parameter is not finite. Of an initializer that is a function
/// of the program's, a loaded model draws zeros. `as`: see save_parameters.
template <AnyNetwork N, class T>
void save_model(const Model<N, T>& model, const std::string& file, Dtype as = detail::dtype_of<T>) {
    detail::save_model_with(model, {}, file, as);
}
/// The same with what inputs went through before training, and targets. Functions of the program are in the file by
/// their names, and are given to load_model.
template <AnyNetwork N, class T>
void save_model(const Model<N, T>& model, const std::string& file, const data::Preprocessing& preprocessing,
                Dtype as = detail::dtype_of<T>) {
    detail::save_model_with(model, preprocessing, file, as);
}
template <AnyNetwork N, class T>
void save_model(const Model<N, T>& model, const std::string& file, const Dataset& training,
                Dtype as = detail::dtype_of<T>) {
    save_model(model, file, training.preprocessing(), as);
}

/// A model from a file, of a network that is made while the program runs: it predicts, classifies and is evaluated as
/// any other. `Trainer trainer("on", model.network(), …); trainer.model() = model;` trains it on.
template <class T = float>
class LoadedModel : public Model<DynamicNetwork, T> {
public:
    explicit LoadedModel(const detail::ModelFile& parts)
        : Model<DynamicNetwork, T>(parts.network, detail::NotDrawn{}), preprocessing_(parts.preprocessing),
          library_(parts.library) {
        detail::load_values<T>(*this, *parts.file);
    }

    /// The network, without values.
    const DynamicNetwork& network() const { return this->definition(); }
    /// What raw inputs, (records, …), go through before they are predicted: `model.predict(model.preprocessing()(x))`.
    const data::Preprocessing& preprocessing() const& { return preprocessing_; }
    data::Preprocessing preprocessing() && { return preprocessing_; }
    /// The version of the library that wrote the file: "0.1.0".
    const std::string& library() const& { return library_; }
    std::string library() && { return library_; }

    /// Throws ArgumentError, besides what Model's throws, where a data set did not go through `preprocessing()`, if
    /// there is any.
    template <class... X>
    typename Model<DynamicNetwork, T>::Score evaluate(const X&... given) const {
        const auto examine = [&](const auto& x) {
            if constexpr (std::is_base_of_v<Dataset, std::remove_cvref_t<decltype(x)>>)
                detail::require_preprocessing(preprocessing_, x);
        };
        (examine(given), ...);
        return Model<DynamicNetwork, T>::evaluate(given...);
    }

    /// As a model of a network that the program knows: `Model<Digits> model = load_model("digits.sigma")`. Sizes that
    /// have names are those of the file. Throws MismatchError with both networks where it is another.
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

/// Reads a model that save_model has written, in a program that need not know its type. If functions of the program
/// are among what inputs went through, give them under their names: `load_model(file, {{"log", f}})`. Throws DataError
/// if the file is damaged, no model, of a newer version, or names a function that is not given; nothing is half loaded.
template <class T = float>
LoadedModel<T> load_model(const std::string& file, const std::vector<data::NamedFunction>& functions = {}) {
    return LoadedModel<T>(detail::read_model_file(file, &functions));
}
/// The network of such a file without its losses, to go on with: `network(load_layers("digits.sigma") + Dense(3) +
/// SoftmaxCE())`. Its parameters have the names of the file, so load_parameters reads them: with Transfer::common.
Layers load_layers(const std::string& file);

}  // namespace sigma
