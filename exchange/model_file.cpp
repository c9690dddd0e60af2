// SPDX-License-Identifier: BSL-1.0
#include "model_text.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/storage/safetensors.hpp>

#include <utility>
#include <vector>

namespace sigma::detail {

namespace {

constexpr std::string_view numbers_key = "hyperparameters";

/// Beside the parameters, as tensors of one number: what hooks have made of them.
std::vector<double> numbers_of(const auto& model) {
    std::vector<double> all;
    for (int i = 0; i < model.network().hyperparameters.size(); ++i) all.push_back(model.hyperparameter(i));
    return all;
}

std::shared_ptr<const Recording> read_network(const SafetensorsFile& file) {
    verified(file);
    const std::string* const text = file.metadata(model_key);
    if (text == nullptr)
        throw DataError(file.path(), "metadata 'model'", "a network, as save_model writes it",
                        "none (load_parameters reads parameters into a model of their network)");
    return std::make_shared<const Recording>(read_model_text(*text, file.path()));
}
/// f(), in whose tracing what is wrong is a mistake of the file.
template <class F>
auto in_file(const std::string& file, F f) {
    try {
        return f();
    } catch (const MistakeError& wrong) {
        throw DataError(file, "metadata 'model'", "a network that can be traced", wrong.what());
    }
}

}  // namespace

template <class T>
void save_model(const ModelStore<T>& model, const Layers& network, const data::Preprocessing& preprocessing,
                const std::string& file) {
    Recording recording = record(network);
    std::string text = model_text(recording);
    // What is read again must be what was meant: a layer may do what no recording has.
    const DynamicNetwork again(
        Layers(RecordedNetwork(std::make_shared<const Recording>(read_model_text(text, file)), true)));
    require_same_network(model.network(), again.made().table());
    const std::vector<double> numbers = numbers_of(model);
    SafetensorsWriter writer;
    TensorFile<T>::add_parameters(writer, model, "sigma model 1");
    writer.metadata(std::string(model_key), std::move(text));
    if (!numbers.empty())
        writer.add(std::string(numbers_key), {numbers.size()}, std::span<const double>(numbers));
    data::detail::add_preprocessing(writer, preprocessing);
    writer.save(file);
}

ModelFile read_model_file(const std::string& name) {
    const SafetensorsFile file = SafetensorsFile::open(name);
    const auto network = read_network(file);
    const std::string* const text = file.metadata(model_key);
    const std::size_t from = text->find(' ', text->find(' ') + 1) + 1;
    ModelFile parts{Layers(RecordedNetwork(network, true)), data::detail::read_preprocessing(file),
                    text->substr(from, text->find('\n') - from)};
    in_file(file.path(), [&] { return DynamicNetwork(parts.layers); });
    return parts;
}

template <class T>
void load_values(ModelStore<T>& model, const std::string& name) {
    const NetworkTable& network = model.network();
    if (network.parameters.size() > 0) load_parameters_of<T>(model, name, "*", Transfer::whole, {});
    const auto count = static_cast<std::size_t>(network.hyperparameters.size());
    if (count == 0) return;
    const SafetensorsFile file = SafetensorsFile::open(name);
    const std::vector<double> numbers = file.read<double>(numbers_key);
    if (numbers.size() != count)
        throw DataError(file.path(), sentence("tensor '", numbers_key, "'"), sentence(count, " numbers"),
                        sentence(numbers.size()));
    for (std::size_t i = 0; i < count; ++i) {
        check_hyperparameter(network.hyperparameters[static_cast<int>(i)], numbers[i]);
        model.put_hyperparameter(static_cast<int>(i), numbers[i]);
    }
}

void require_same_network(const NetworkTable& wanted, const NetworkTable& found) {
    bool same_names = wanted.parameters.size() == found.parameters.size() && wanted.layers.size() == found.layers.size() &&
                      wanted.hyperparameters.size() == found.hyperparameters.size() &&
                      wanted.costs.size() == found.costs.size() && wanted.states.size() == found.states.size();
    for (int i = 0; same_names && i < wanted.parameters.size(); ++i)
        same_names = wanted.parameters[i].name == found.parameters[i].name &&
                     wanted.parameters[i].shape == found.parameters[i].shape &&
                     wanted.parameters[i].trained == found.parameters[i].trained;
    for (int i = 0; same_names && i < wanted.layers.size(); ++i)
        same_names = wanted.layers[i].name == found.layers[i].name;
    for (int i = 0; same_names && i < wanted.costs.size(); ++i)
        same_names = wanted.costs[i].name == found.costs[i].name && wanted.costs[i].target == found.costs[i].target;
    if (!same_names || wanted.fingerprint != found.fingerprint)
        throw MismatchError("network of a model", sentence(network_text(wanted), ", architecture ", architecture(wanted)),
                            sentence(network_text(found), ", architecture ", architecture(found)));
}

template void save_model(const ModelStore<float>&, const Layers&, const data::Preprocessing&, const std::string&);
template void save_model(const ModelStore<double>&, const Layers&, const data::Preprocessing&, const std::string&);
template void load_values(ModelStore<float>&, const std::string&);
template void load_values(ModelStore<double>&, const std::string&);

}  // namespace sigma::detail

namespace sigma {

Layers load_layers(const std::string& name) {
    const SafetensorsFile file = SafetensorsFile::open(name);
    Layers layers(detail::RecordedNetwork(detail::read_network(file), false));
    detail::in_file(file.path(), [&] { return DynamicNetwork(layers); });
    return layers;
}

}  // namespace sigma
