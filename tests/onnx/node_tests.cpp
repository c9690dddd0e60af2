// SPDX-License-Identifier: BSL-1.0
// Runs ONNX's own tests of operators, all of a folder, and prints which pass and why the others do not:
//   node_tests FOLDER [--at-least N] [--all] [NAME...]
// Each test is a folder with model.onnx and test_data_set_*/{input,output}_*.pb. Inputs that Sigma must know while
// importing, such as the shape of a Reshape, are fixed to the test's; what depends on no input is computed while
// importing. Real results are compared as ONNX does, whole numbers exactly.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <onnx/import.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace format = sigma::detail::format;
using sigma::detail::Known;
using sigma::detail::Numbers;
using sigma::detail::OnnxType;

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
/// None where it is no tensor. Those who made the tests had no bfloat16 and wrote whole numbers of its bits.
Known tensor_of(const fs::path& path, int declared = 0) {
    format::TensorProto t;
    if (!fs::exists(path) || !t.ParseFromString(bytes_of(path))) return {};
    if (declared == OnnxType::BFLOAT16 && t.data_type() == OnnxType::UINT16) t.set_data_type(declared);
    return sigma::detail::TensorSource{path.string(), ""}.read(t, "");
}

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool alike(double found, double wanted, int type) {
    if (std::isnan(wanted)) return std::isnan(found);
    if (std::isinf(wanted)) return found == wanted;
    const double loose = type == OnnxType::BFLOAT16 ? 1e-2 : 1e-3;
    return sigma::detail::is_real(type) ? std::abs(found - wanted) <= 1e-5 + loose * std::abs(wanted) : found == wanted;
}
void compare(const std::vector<double>& found, const Numbers& shape, const Known& wanted, std::size_t number) {
    const auto name = "output " + std::to_string(number);
    if (shape != wanted->dims) throw Failure(name + " has another shape");
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!alike(found[i], wanted->at(static_cast<long long>(i)), wanted->type))
            throw Failure(sigma::sentence(name, " has other numbers: ", found[i], " for ",
                                          wanted->at(static_cast<long long>(i))));
}

/// What the files of a test hold.
struct Case {
    std::string model;
    std::vector<std::string> names;
    std::vector<int> types;
    std::vector<fs::path> inputs;
    std::vector<Known> outputs;
};
Case case_of(const fs::path& folder, const fs::path& data) {
    Case c;
    c.model = (folder / "model.onnx").string();
    format::ModelProto m;
    if (!m.ParseFromString(bytes_of(c.model))) throw Failure("no model");
    for (int i = 0; fs::exists(data / ("input_" + std::to_string(i) + ".pb")); ++i) {
        if (i >= m.graph().input_size()) throw Failure("more inputs than the graph has");
        c.names.push_back(m.graph().input(i).name());
        c.types.push_back(m.graph().input(i).type().tensor_type().elem_type());
        c.inputs.push_back(data / ("input_" + std::to_string(i) + ".pb"));
    }
    for (int i = 0; i < m.graph().output_size(); ++i) {
        if (!m.graph().output(i).type().has_tensor_type()) throw Failure("an output is no tensor");
        c.outputs.push_back(tensor_of(data / ("output_" + std::to_string(i) + ".pb"),
                                      m.graph().output(i).type().tensor_type().elem_type()));
        if (!c.outputs.back()) throw Failure("an output is no tensor");
    }
    return c;
}

template <class T>
void predict(const Case& c, const sigma::OnnxImport& how) {
    const auto model = sigma::import_onnx<T>(c.model, how);
    const sigma::OnnxGraph graph(c.model, how);
    std::vector<std::vector<T>> given, results;
    std::ptrdiff_t records = 1;
    for (const std::string& name : graph.inputs()) {
        const auto at = static_cast<std::size_t>(std::find(c.names.begin(), c.names.end(), name) - c.names.begin());
        const Known x = tensor_of(c.inputs.at(at), c.types.at(at));
        if (!x) throw Failure("an input is no tensor");
        if (!graph.is_one_record()) records = static_cast<std::ptrdiff_t>(x->dims.at(0));
        std::vector<T> all;
        for (long long i = 0; i < x->count(); ++i) all.push_back(static_cast<T>(x->at(i)));
        given.push_back(std::move(all));
    }
    using M = sigma::Model<sigma::DynamicNetwork, T>;
    typename M::InputPointers in;
    typename M::ResultPointers out;
    for (auto& each : given) in.push_back(each.data());
    for (const auto& cost : model.records.costs) {
        results.emplace_back(static_cast<std::size_t>(cost.prediction.count() * records));
    }
    for (auto& each : results) out.push_back(each.data());
    model.predict(in, out, records);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const sigma::Shape s = model.records.costs[static_cast<int>(i)].prediction;
        Numbers shape;
        for (int k = graph.is_one_record() ? 1 : 0; k < s.rank; ++k) shape.push_back(s[k] < 0 ? -s[k] * records : s[k]);
        if (graph.is_one_record() && c.outputs[i]->dims.empty()) shape.clear();
        compare({results[i].begin(), results[i].end()}, shape, c.outputs[i], i);
    }
}
void run(const Case& c, const sigma::OnnxImport& how) {
    bool wide = false;
    for (const Known& y : c.outputs)
        wide = wide || y->type == OnnxType::DOUBLE ||
               (!sigma::detail::is_real(y->type) && sigma::detail::type_size(y->type) > 2);
    wide ? predict<double>(c, how) : predict<float>(c, how);
}
void compute(const Case& c, const sigma::OnnxImport& how) {
    const sigma::OnnxGraph graph(c.model, how);
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
        const std::vector<double> found = graph.constant_output(static_cast<int>(i));
        if (static_cast<long long>(found.size()) != c.outputs[i]->count())
            throw Failure("an output that inputs decide");
        compare(found, c.outputs[i]->dims, c.outputs[i], i);
    }
}

/// How many inputs were fixed; a text where it fails.
struct Outcome {
    bool passes = false;
    std::size_t fixed = 0, inputs = 0;
    std::string reason{}, sentence{};
};
/// A sentence without the names of this test.
std::string reason_of(const std::exception& e) {
    const auto* const d = dynamic_cast<const sigma::DataError*>(&e);
    if (d == nullptr) return e.what();
    const std::size_t open = d->place.rfind('(');
    const std::string place = d->place.starts_with("node") && open != std::string::npos
                                  ? d->place.substr(open + 1, d->place.size() - open - 2) + ": "
                                  : "";
    return place + "expected " + d->expected + ", found " + d->found;
}
Outcome outcome_of(const fs::path& folder) {
    Outcome o;
    try {
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (!entry.is_directory()) continue;
            const Case c = case_of(folder, entry.path());
            o.inputs = c.inputs.size();
            // First as it is; then with short whole numbers fixed; then with all inputs but the first; then with all.
            std::vector<sigma::OnnxImport> tries(4);
            for (std::size_t i = 0; i < c.inputs.size(); ++i) {
                const Known x = tensor_of(c.inputs[i]);
                const std::string path = c.inputs[i].string();
                if (x && !sigma::detail::is_real(x->type) && x->dims.size() <= 1) tries[1].fixed[c.names[i]] = path;
                if (i > 0) tries[2].fixed[c.names[i]] = path;
                tries[3].fixed[c.names[i]] = path;
            }
            bool done = false;
            std::size_t least = 0;
            for (std::size_t k = 0; k < tries.size() && !done; ++k) {
                if (k > 0 && (tries[k].fixed.empty() || (k > 1 && tries[k].fixed.size() <= least))) continue;
                least = tries[k].fixed.size();
                try {
                    if (tries[k].fixed.size() == c.inputs.size()) compute(c, tries[k]);
                    else run(c, tries[k]);
                    done = true;
                    o.fixed = tries[k].fixed.size();
                } catch (const std::exception& e) {
                    // What is said of the graph as it is tells most, unless only constants were missing.
                    if (o.sentence.empty() || o.reason.find("constant") != std::string::npos)
                        o.reason = reason_of(e), o.sentence = e.what();
                    if (dynamic_cast<const Failure*>(&e) != nullptr) break;  // wrong numbers stay wrong
                }
            }
            if (!done) return o;
        }
        o.passes = true;
    } catch (const std::exception& e) { o.reason = reason_of(e), o.sentence = e.what(); }
    return o;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "expected FOLDER [--at-least N] [--all] [NAME...]\n");
        return 2;
    }
    long least = 0;
    bool all = false;
    std::vector<std::string> names;
    for (int i = 2; i < argc; ++i) {
        const std::string a = argv[i];
        if (a == "--at-least" && i + 1 < argc) least = std::atol(argv[++i]);
        else if (a == "--all") all = true;
        else names.push_back(a);
    }
    std::vector<fs::path> tests;
    for (const auto& entry : fs::directory_iterator(argv[1]))
        if (fs::exists(entry.path() / "model.onnx") &&
            (names.empty() || std::count(names.begin(), names.end(), entry.path().filename().string()) > 0))
            tests.push_back(entry.path());
    std::sort(tests.begin(), tests.end());
    long passed = 0, fixed = 0, folded = 0;
    std::map<std::string, std::vector<std::string>> reasons;
    for (const fs::path& test : tests) {
        const std::string name = test.filename().string();
        const Outcome o = outcome_of(test);
        if (!o.passes) reasons[o.reason].push_back(name);
        passed += o.passes, fixed += o.passes && o.fixed > 0 && o.fixed < o.inputs;
        folded += o.passes && o.fixed == o.inputs;
        if (all || !names.empty()) {
            if (o.passes) std::printf("%s: passes, %zu of %zu inputs fixed\n", name.c_str(), o.fixed, o.inputs);
            else std::printf("%s: %s\n", name.c_str(), o.sentence.c_str());
            std::fflush(stdout);
        }
    }
    std::printf("%ld of %zu pass; of these %ld with some inputs fixed, %ld computed while importing\n", passed,
                tests.size(), fixed, folded);
    std::vector<std::pair<std::string, std::vector<std::string>>> rows(reasons.begin(), reasons.end());
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    for (const auto& [reason, of] : rows) {
        std::printf("%4zu  %s\n     ", of.size(), reason.c_str());
        for (const std::string& name : of) std::printf(" %s", name.substr(name.starts_with("test_") ? 5 : 0).c_str());
        std::printf("\n");
    }
    return passed >= least ? 0 : 1;
}
