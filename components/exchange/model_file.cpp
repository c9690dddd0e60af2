// SPDX-License-Identifier: BSL-1.0
#include "model_text.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/exchange/quantize.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/tape/print.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::detail {

namespace {

constexpr std::string_view numbers_key = "hyperparameters";

/// Returns the current hyperparameters, which the file stores in a tensor of its own.
std::vector<double> numbers_of(const auto& model) {
    std::vector<double> all;
    for (int i = 0; i < model.network().hyperparameters.size(); ++i) all.push_back(model.hyperparameter(i));
    return all;
}

/// Names the tensors of an 8-bit weight: integers, a scale for each output, and the range of its factor.
std::string int8_name(std::string_view parameter, const char* part) { return sentence("int8.", parameter, part); }

template <class T>
void add_values(SafetensorsWriter& writer, const ModelStore<T>& model, Dtype as) {
    std::vector<QuantizedWeight> small;
    if constexpr (std::is_same_v<T, float>) small = quantized_weights(model);
    const NetworkTable& network = model.network();
    for (int p = 0; p < network.parameters.size(); ++p) {
        const ParameterRecord& r = network.parameters[p];
        const auto found = std::ranges::find(small, r.name.view(), &QuantizedWeight::name);
        std::vector<std::uint64_t> shape;
        for (int i = 0; i < r.shape.rank; ++i) shape.push_back(static_cast<std::uint64_t>(r.shape[i]));
        if (found == small.end()) {
            TensorFile<T>::add_rows(writer, std::string(r.name.view()), r.shape, parameter_rows(model, p), as);
            continue;
        }
        writer.add(int8_name(found->name, ""), shape,
                   std::vector<std::int8_t>(found->values.begin(), found->values.end()));
        writer.add(int8_name(found->name, ".range"), {1}, std::vector<float>{found->range});
        writer.add(int8_name(found->name, ".scales"), {found->scales.size()}, std::vector<float>(found->scales));
    }
    add_classes(writer, model.classes());
    writer.metadata("format", "sigma model 1").metadata("network", network_text(network));
    writer.metadata("architecture", architecture(network)).with_checksum();
}
QuantizedWeight read_int8(const SafetensorsFile& file, const ParameterRecord& r) {
    const auto refuse = [&](const char* part, std::string expected, std::string found) {
        throw DataError(file.path(), sentence("tensor '", int8_name(r.name.view(), part), "'"), std::move(expected),
                        std::move(found));
    };
    const auto read = [&]<class X>(const char* part, std::size_t count, std::type_identity<X>) {
        std::vector<X> values = file.read<X>(int8_name(r.name.view(), part));
        if (values.size() != count) refuse(part, sentence(count, " numbers"), sentence(values.size()));
        return values;
    };
    const auto columns = static_cast<std::size_t>(r.shape.last());
    const auto values = read("", static_cast<std::size_t>(r.shape.count()), std::type_identity<std::int8_t>{});
    QuantizedWeight w{std::string(r.name.view()),
                      read(".range", 1, std::type_identity<float>{})[0],
                      read(".scales", columns, std::type_identity<float>{}),
                      {values.begin(), values.end()}};
    if (!(w.range > 0) || !std::isfinite(w.range)) refuse(".range", "a finite number above 0", sentence(w.range));
    for (const float scale : w.scales)
        if (!(scale >= 0) || !std::isfinite(scale)) refuse(".scales", "finite numbers of 0 or more", sentence(scale));
    return w;
}
/// Loads the parameters. Throws if one is neither a tensor of the file nor an 8-bit weight.
template <class T>
void read_parameters(const SafetensorsFile& file, ModelStore<T>& model) {
    const NetworkTable& network = model.network();
    const std::string where = sentence("model in file '", file.path(), "'");
    require_architecture(network, file, where, "");
    Differences differences;
    std::vector<TensorReader<T>> readers;
    std::vector<QuantizedWeight> small;
    for (int p = 0; p < network.parameters.size(); ++p) {
        const ParameterRecord& r = network.parameters[p];
        const std::string name(r.name.view());
        if (file.find(int8_name(name, "")) != nullptr) {
            if constexpr (std::is_same_v<T, float>) small.push_back(read_int8(file, r));
            else throw MismatchError(where, "parameters of double", "weights of 8 bits");
        } else if (differences.fits(file, name, r.shape)) {
            readers.push_back({name, parameter_rows(model, p)});
        }
    }
    differences.throw_if_any(where, file);
    for (TensorReader<T>& reader : readers) {
        reader.read(file);
        reader.store();
    }
    model.set_classes(stored_classes(file));
    if constexpr (std::is_same_v<T, float>)
        if (!small.empty()) model.leave_to(products_of(network, small));
}

SafetensorsFile opened_file(const std::string& name) {
    if (name.ends_with(".onnx"))
        throw DataError(name, "", "a model of save_model",
                        "an ONNX model: read it with import_onnx of <sigma/onnx.hpp>");
    return SafetensorsFile::open(name);
}
std::shared_ptr<const Recording> read_network(const SafetensorsFile& file) {
    verified(file);
    const std::string* const text = file.metadata(model_key);
    if (text == nullptr)
        throw DataError(file.path(), "metadata 'model'", "a network, as save_model writes it",
                        "no network (load_parameters reads parameters into a model of their network)");
    return std::make_shared<const Recording>(read_model_text(*text, file.path()));
}
/// Calls f(). A mistake in its trace becomes a DataError of the file.
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
                const std::string& file, Dtype as) {
    Recording recording = record(network);
    std::string text = model_text(recording);
    // Reads the text again and compares: a layer may do things that a recording cannot express.
    const DynamicNetwork again(
        Layers(RecordedNetwork(std::make_shared<const Recording>(read_model_text(text, file)), true)));
    if (!same_network(model.network(), again.made().table()))
        throw MismatchError("network of a model", sentence(network_text(model.network()), ", as traced before"),
                            sentence(network_text(again.made().table()), ", traced differently"));
    const std::vector<double> numbers = numbers_of(model);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        check_hyperparameter(model.network().hyperparameters[static_cast<int>(i)], numbers[i]);
    SafetensorsWriter writer;
    add_values(writer, model, as);
    writer.metadata(std::string(model_key), std::move(text));
    if (!numbers.empty()) writer.add(std::string(numbers_key), {numbers.size()}, std::span<const double>(numbers));
    data::detail::add_preprocessing(writer, preprocessing);
    writer.save(file);
}

ModelFile read_model_file(const std::string& name, const std::vector<data::NamedFunction>* functions) {
    const auto file = std::make_shared<const SafetensorsFile>(opened_file(name));
    const auto recording = read_network(*file);
    const auto network =
        in_file(file->path(), [&] { return DynamicNetwork(Layers(RecordedNetwork(recording, true))); });
    const auto preprocessing = data::detail::read_preprocessing(
        *file, functions != nullptr ? *functions : data::detail::functions_not_given(*file));
    return {file, network, preprocessing, recording->library};
}

template <class T>
void load_values(ModelStore<T>& model, const SafetensorsFile& file) {
    const NetworkTable& network = model.network();
    read_parameters<T>(file, model);
    const auto count = static_cast<std::size_t>(network.hyperparameters.size());
    if (count == 0) return;
    const std::vector<double> numbers = file.read<double>(numbers_key);
    if (numbers.size() != count)
        throw DataError(file.path(), sentence("tensor '", numbers_key, "'"), sentence(count, " numbers"),
                        sentence(numbers.size()));
    for (std::size_t i = 0; i < count; ++i) {
        check_hyperparameter(network.hyperparameters[static_cast<int>(i)], numbers[i]);
        model.put_hyperparameter(static_cast<int>(i), numbers[i]);
    }
}

bool same_network(const NetworkTable& wanted, const NetworkTable& found) {
    bool same_names = wanted.parameters.size() == found.parameters.size() &&
                      wanted.layers.size() == found.layers.size() &&
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
    return same_names && wanted.fingerprint == found.fingerprint;
}

namespace {

/// Returns the operations of a layer: "dot add tanh". `exactly`: with their operands.
std::string computed(const NetworkInWords& of, int layer, bool exactly) {
    std::string all;
    const LayerRecord& l = of.layers[layer];
    for (int i = l.first_node; i < l.end_node; ++i) {
        const Node& n = of.prediction.tape[i];
        const bool moves = n.operation == Operation::copy || n.operation == Operation::reshape ||
                           n.operation == Operation::expand || n.operation == Operation::parameter;
        if (moves && !exactly) continue;
        if (!all.empty()) all += ' ';
        if (n.operation == Operation::constant) all += sentence(n.constant);
        else all += operation_name(n);
        if (exactly)
            for (const int from : {n.a, n.b, n.c})
                if (from >= 0) all += sentence(" #", from);
        if (n.attribute != 0) all += sentence(" of ", n.attribute);
    }
    return all.empty() ? "nothing" : all;
}
/// Compares f(i) of both networks, and returns the texts of the first difference.
template <class F>
std::pair<std::string, std::string> first_difference(int wanted, int found, const char* none, const F& f) {
    for (int i = 0; i < std::max(wanted, found); ++i) {
        std::string a = i < wanted ? f(true, i) : sentence("no further ", none),
                    b = i < found ? f(false, i) : sentence("no further ", none);
        if (a != b) return {std::move(a), std::move(b)};
    }
    return {};
}
std::pair<std::string, std::string> difference(const NetworkInWords& wanted, const NetworkInWords& found) {
    const NetworkTable &a = wanted.network, &b = found.network;
    const auto of = [&](bool first) -> const NetworkTable& { return first ? a : b; };
    auto different = first_difference(a.layers.size(), b.layers.size(), "layer", [&](bool first, int i) {
        const LayerRecord& l = of(first).layers[i];
        return sentence("layer '", l.name.view(), "' ", extents_text(l.output));
    });
    if (!different.first.empty()) return different;
    different = first_difference(a.parameters.size(), b.parameters.size(), "parameter", [&](bool first, int i) {
        const ParameterRecord& p = of(first).parameters[i];
        return sentence(p.trained ? "parameter '" : "statistic '", p.name.view(), "' ", extents_text(p.shape));
    });
    if (!different.first.empty()) return different;
    different = first_difference(a.costs.size(), b.costs.size(), "cost", [&](bool first, int i) {
        const CostRecord& c = of(first).costs[i];
        return sentence("cost '", c.name.view(), "' of targets ", extents_text(c.target));
    });
    if (!different.first.empty()) return different;
    different = first_difference(a.hyperparameters.size(), b.hyperparameters.size(), "number", [&](bool first, int i) {
        return sentence("number '", of(first).hyperparameters[i].name.view(), "'");
    });
    if (!different.first.empty()) return different;
    for (const bool exactly : {false, true}) {
        different = first_difference(wanted.layers.size(), found.layers.size(), "layer", [&](bool first, int i) {
            const NetworkInWords& words = first ? wanted : found;
            return sentence("layer '", words.layers[i].name.view(), "' of: ", computed(words, i, exactly));
        });
        if (!different.first.empty()) return different;
    }
    return {sentence("architecture ", architecture(a)), sentence("architecture ", architecture(b))};
}

}  // namespace

void throw_other_network(const NetworkInWords& wanted, const NetworkInWords& found) {
    const auto [expected, there] = difference(wanted, found);
    throw MismatchError("network of a model", sentence(network_text(wanted.network), ", with ", expected),
                        sentence(network_text(found.network), ", with ", there));
}

void take_sizes(SizeBinding& sizes, const NetworkTable& of) {
    const NetworkFacts& example = sizes.example();
    const auto names = [](const auto& layers) {
        std::string all;
        for (const LayerRecord& l : layers) all += sentence(all.empty() ? "" : " + ", l.name.view());
        return all;
    };
    const std::string wanted = names(example.layers), found = names(of.layers);
    if (wanted != found || example.parameters.size() != of.parameters.size())
        throw MismatchError("network of a model", wanted, found);
    const auto take = [&](const Shape& shape, const Shape& there, int from, const std::string& source,
                          const auto& look) {
        for (int axis = from; axis < shape.rank && shape.rank == there.rank; ++axis)
            sizes.found([look, axis](const NetworkFacts& f) { return look(f)[axis]; }, there[axis], source);
    };
    for (int i = 0; i < of.layers.size(); ++i)
        take(example.layers[i].output, of.layers[i].output, 1, sentence("layer '", of.layers[i].name.view(), "'"),
             [i](const NetworkFacts& f) { return f.layers[i].output; });
    for (int i = 0; i < of.parameters.size(); ++i)
        take(example.parameters[i].shape, of.parameters[i].shape, 0,
             sentence("parameter '", of.parameters[i].name.view(), "'"),
             [i](const NetworkFacts& f) { return f.parameters[i].shape; });
}

template void save_model(const ModelStore<float>&, const Layers&, const data::Preprocessing&, const std::string&,
                         Dtype);
template void save_model(const ModelStore<double>&, const Layers&, const data::Preprocessing&, const std::string&,
                         Dtype);
template void load_values(ModelStore<float>&, const SafetensorsFile&);
template void load_values(ModelStore<double>&, const SafetensorsFile&);

void require_preprocessing(const data::Preprocessing& wanted, const Dataset& data) {
    if (!wanted.empty()) data::detail::require_same_preprocessing(wanted, "the model's training data", data);
}

}  // namespace sigma::detail

namespace sigma {

Layers load_layers(const std::string& name) {
    const SafetensorsFile file = detail::opened_file(name);
    Layers layers(detail::RecordedNetwork(detail::read_network(file), false));
    detail::in_file(file.path(), [&] { return DynamicNetwork(layers); });
    return layers;
}

}  // namespace sigma
