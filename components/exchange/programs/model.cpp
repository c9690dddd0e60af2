// SPDX-License-Identifier: BSL-1.0
// sigma-model COMMAND FILE …: shows, checks, converts and runs model files, without a program that knows their types.
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/csv_scanner.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/exchange.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/predictor.hpp>
#include <sigma/storage/file.hpp>
#ifdef SIGMA_ONNX
#include <sigma/onnx.hpp>
#endif

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

constexpr const char* usage =
    "sigma-model show FILE              print the network, its classes and its preprocessing\n"
    "sigma-model check FILE             verify that the file is intact and its network can be computed\n"
    "sigma-model graph FILE             print the network as a Graphviz file\n"
    "sigma-model formula FILE           print the network as formulas\n"
    "sigma-model convert FILE TO        convert by the ending of TO: .onnx, .safetensors and .npz (parameters with "
    "PyTorch names),\n"
    "                                   .hpp (C++17 header), .tex, .sigma (model file); FILE may be a .onnx file\n"
    "                --bf16, --f16      write the parameters of a .sigma file in 16 bits\n"
    "sigma-model predict FILE TABLE     print one line of predictions for each line of comma-separated numbers in "
    "TABLE\n"
    "                --header           the first line of TABLE contains names\n"
    "                --prepared         print raw network outputs (do not undo the preprocessing of targets)\n"
    "                --classes          print names of classes instead of numbers\n";

/// Loads a model without functions of a program, which no file contains. They are needed only to predict.
LoadedModel<float> model_in(const std::string& file) {
    return LoadedModel<float>(detail::read_model_file(file, nullptr));
}

std::string prediction_names(const detail::NetworkTable& network) {
    std::string all;
    for (const detail::CostRecord& c : network.costs)
        all += sentence(all.empty() ? "" : ", ", c.name.view(), " ", detail::extents_text(c.prediction));
    return all;
}

void show(const std::string& file) {
    const auto model = model_in(file);
    std::printf("%s", summary(model).c_str());
    std::string lines = sentence("predicts    ", prediction_names(model.records), "\n");
    for (std::size_t i = 0; i < model.classes().size(); ++i)
        lines += sentence(i == 0 ? "classes     " : ", ", model.classes()[i]);
    if (!model.classes().empty()) lines += '\n';
    if (!model.preprocessing().empty())
        lines += sentence("inputs      ", data::detail::steps_text(model.preprocessing()), "\n");
    lines += sentence("written by  sigma ", model.library(), "\n");
    std::printf("%s", lines.c_str());
}

struct PredictOptions {
    bool header = false, classes = false, prepared = false;
};

/// Returns the records of a table, with targets that are not used.
Dataset records_of(const std::string& table, int columns, bool header) {
    data::detail::CsvScanner first(data::file(table).open(), table, {});
    if (first.next() && std::cmp_not_equal(first.fields().size(), columns))
        first.fail(0, sentence(columns, " columns, the elements of one record"), sentence(first.fields().size()));
    try {
        return data::csv(data::file(table), {.header = header}) >>
               data::sections(data::inputs = data::columns(0, columns - 1), data::targets = data::column(0)) >>
               data::dataset(table);
    } catch (const DataError& error) {
        const std::string_view option = "{.header = true}";  // the remedy in C++
        std::string found = error.found;
        const std::size_t at = found.find(option);
        if (at == std::string::npos) throw;
        throw DataError(error.file, error.place, error.expected, found.replace(at, option.size(), "--header"));
    }
}

/// Converts predictions of a cost to the units of the raw targets. Classes, and targets without preprocessing, stay
/// unchanged.
Array<float> in_units(const Array<float>& predicted, const detail::NetworkTable& network, std::size_t cost,
                      const data::Preprocessing& preprocessing) {
    const detail::CostRecord& c = network.costs[static_cast<int>(cost)];
    if (c.classifies || c.yes_or_no) return predicted;
    for (const auto& step : preprocessing.steps())
        if (step.section == c.name.view() || (network.costs.size() == 1 && step.section == "targets")) try {
                return preprocessing.inverse(predicted, step.section);
            } catch (const ArgumentError& error) {
                throw ArgumentError("sigma-model predict", sentence(error.expected, ", or --prepared"), error.found);
            }
    return predicted;
}

/// Quotes a field by RFC 4180.
std::string field(std::string text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    for (std::size_t at = 0; (at = text.find('"', at)) != text.npos; at += 2) text.insert(at, 1, '"');
    return sentence('"', text, '"');
}

void predict(const std::string& file, const std::string& table, const PredictOptions& options) {
    const auto loaded = model_in(file);
    const Predictor<DynamicNetwork> model(loaded);
    const detail::NetworkTable& network = loaded.records;
    if (network.inputs.size() != 1)
        throw ArgumentError("sigma-model predict", "a network with 1 input",
                            sentence(network.inputs.size(), " inputs"));
    const auto columns = static_cast<int>(network.inputs[0].count());
    const Dataset records = records_of(table, columns, options.header);
    std::vector<std::size_t> shape{1};
    for (int i = 1; i < network.inputs[0].rank; ++i) shape.push_back(static_cast<std::size_t>(network.inputs[0][i]));
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto record = records.input(i);
        Array<float> x(shape, std::vector<float>(record.begin(), record.end()));
        if (!loaded.preprocessing().empty()) x = loaded.preprocessing()(x);
        std::string line;
        if (options.classes) {
            const Classified classes = model.classify(x);
            for (std::size_t k = 0; k < classes.size(); ++k)
                line += sentence(k == 0 ? "" : ",", field(classes.name(k)));
        } else {
            const auto all = model.model().predict_all(x);
            for (std::size_t c = 0; c < all.size(); ++c)
                for (const float number :
                     options.prepared ? all[c] : in_units(all[c], network, c, loaded.preprocessing()))
                    line += sentence(line.empty() ? "" : ",", number);
        }
        std::printf("%s\n", line.c_str());
    }
}

void save_as(const Model<DynamicNetwork>& model, const std::string& to, Dtype as) {
    const auto is = [&](std::string_view ending) { return to.ends_with(ending); };
    if (is(".sigma")) return save_model(model, to, as);
    if (as != Dtype::f32)
        throw ArgumentError("sigma-model convert", "a file that ends in .sigma for --bf16 and --f16", to);
    if (is(".safetensors") || is(".npz")) return save_parameters(model, to, torch_names());
    if (is(".hpp")) return export_cpp(model, to);
    if (is(".tex")) {
        const std::string text = formula(model, Formula::latex);
        AtomicFile file(to);
        file.write(std::as_bytes(std::span(text)));
        return file.commit();
    }
#ifdef SIGMA_ONNX
    if (is(".onnx")) return static_cast<void>(export_onnx(model, to));
#endif
    throw ArgumentError("sigma-model convert", "a file that ends in .onnx, .safetensors, .npz, .hpp, .tex or .sigma",
                        to);
}
void convert(const std::string& from, const std::string& to, Dtype as) {
#ifdef SIGMA_ONNX
    if (from.ends_with(".onnx")) return save_as(import_onnx(from), to, as);
#endif
    const auto model = model_in(from);
    if (to.ends_with(".sigma")) save_model(model, to, model.preprocessing(), as);
    else save_as(model, to, as);
}

int run(int count, char** arguments) {
    std::vector<std::string> words;
    PredictOptions options;
    Dtype as = Dtype::f32;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = arguments[i];
        if (word == "--header") options.header = true;
        else if (word == "--classes") options.classes = true;
        else if (word == "--prepared") options.prepared = true;
        else if (word == "--bf16") as = Dtype::bf16;
        else if (word == "--f16") as = Dtype::f16;
        else if (word == "--help" || word == "-h") words.clear(), i = count;
        else if (word.starts_with("--"))
            throw ArgumentError("sigma-model", "--header, --classes, --prepared, --bf16 or --f16",
                                sentence("'", word, "'"));
        else words.emplace_back(word);
    }
    const auto is = [&](std::string_view command, std::size_t files) {
        return !words.empty() && words[0] == command && words.size() == 1 + files;
    };
    if (is("show", 1)) show(words[1]);
    else if (is("check", 1)) {
        const auto model = model_in(words[1]);
        std::printf("%s: OK, %d layers\n", words[1].c_str(), model.records.layers.size());
    } else if (is("graph", 1)) std::printf("%s", graphviz(model_in(words[1]).network()).c_str());
    else if (is("formula", 1)) std::printf("%s", formula(model_in(words[1])).c_str());
    else if (is("convert", 2)) convert(words[1], words[2], as);
    else if (is("predict", 2)) predict(words[1], words[2], options);
    else {
        std::fputs(usage, words.empty() ? stdout : stderr);
        return words.empty() ? 0 : 2;
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
