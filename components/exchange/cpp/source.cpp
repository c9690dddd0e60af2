// SPDX-License-Identifier: BSL-1.0
#include <sigma/exchange/cpp_source.hpp>

#include "functions.hpp"
#include "program.hpp"
#include "text.hpp"

#include <sigma/core/version.hpp>
#include <sigma/storage/file.hpp>

#include <algorithm>
#include <span>

namespace sigma::detail {

namespace {

/// Returns the shape of a record as text: "(28, 28)".
std::string record_text(const Shape& s) {
    std::string text = "(";
    for (int i = 1; i < s.rank; ++i) text += sentence(i > 1 ? ", " : "", s[i]);
    return text + ")";
}
long long record_count(const Shape& s) { return s.count(); }

/// Writes the parts of a header around the program: names, numbers, and functions to call.
class CppHeader {
public:
    CppHeader(const PortableModel& model, const CppOptions& options)
        : model_(model), network_(model.network), options_(options),
          real_(model.element == Dtype::f32 ? "float" : "double") {
        const int inputs = network_.inputs.size(), outputs = network_.costs.size();
        for (int i = 0; i < inputs; ++i) names_.inputs.push_back(inputs == 1 ? "in" : sentence("in_", i));
        for (int i = 0; i < outputs; ++i) names_.outputs.push_back(outputs == 1 ? "out" : sentence("out_", i));
        for (const CarriedState& s : network_.states) {
            std::string own = cpp_identifier(s.name.view());
            while (std::find(states_.begin(), states_.end(), own) != states_.end()) own += "_2";
            states_.push_back(own);
            names_.inputs.push_back("state." + states_.back());
            names_.outputs.push_back("state." + states_.back());
        }
        names_.states = states_.size();
    }

    std::string text() {
        const CppProgram program = cpp_program(model_, names_, options_.int8);
        const std::string functions = called_functions(program.statements + program.tables);
        const int bytes = model_.element == Dtype::f32 ? 4 : 8;
        const long long workspace = program.workspace * bytes + (program.whole + 1) / 2 * 4;
        head(program, workspace);
        line("#pragma once");
        if (program.quantized > 0 || functions.find("uint") != std::string::npos) line("#include <stdint.h>");
        line("");
        line(sentence("namespace ", options_.name, " {"));
        line("");
        sizes();
        line(sentence("inline constexpr int workspace_bytes = ", workspace, ";"));
        line("");
        if (!model_.classes.empty()) {
            line(sentence("inline constexpr const char* classes[", model_.classes.size(), "] = {"));
            for (const std::string& c : model_.classes) line("    " + cpp_quoted(c) + ",");
            line("};\n");
        }
        line("/// Temporary memory of a prediction. It may be used again.");
        line(sentence("struct Workspace {\n    ", real_, " numbers[", std::max(program.workspace, 1LL), "]{};"));
        if (program.whole > 0) line(sentence("    int16_t whole[", program.whole, "]{};"));
        line("};\n");
        if (!states_.empty()) {
            line("/// The states of a sequence of predictions. A sequence begins with State{}.");
            line("struct State {");
            for (const Node& n : model_.prediction.tape) {
                const int state = static_cast<int>(n.attribute) - network_.inputs.size();
                if (n.operation == Operation::input && state >= 0)
                    line(sentence("    ", real_, " ", states_[static_cast<std::size_t>(state)], "[", n.shape.count(),
                                  "]{};"));
            }
            line("};\n");
        }
        line("namespace detail {\n");
        out_ += functions;
        if (!program.tables.empty()) line(program.tables);
        line(sentence("constexpr void run(", parameters(true, true), ", [[maybe_unused]] Workspace& workspace) {"));
        out_ += program.statements;
        line("}\n\n}  // namespace detail\n");
        predictions();
        classification();
        line(sentence("}  // namespace ", options_.name));
        return std::move(out_);
    }

private:
    const PortableModel& model_;
    const NetworkTable& network_;
    const CppOptions& options_;
    std::string real_;
    CppNames names_{};
    std::vector<std::string> states_{};
    std::string out_{};

    void line(const std::string& text) { out_ += text + "\n"; }

    void head(const CppProgram& p, long long workspace) {
        const std::string& n = options_.name;
        line("// Written by Sigma " + std::string(version()) + ": the prediction of a network for one record, C++17.");
        line("//");
        for (const LayerRecord& l : model_.layers)
            line(sentence("//   ", cpp_comment(l.name.view()), "  ", record_text(l.output),
                          l.parameters > 0 ? sentence("  ", l.parameters, " parameters") : ""));
        line("//");
        line(sentence("// Constants: ", p.constant_bytes, " bytes. Workspace: ", workspace,
                      " bytes. Multiply-adds: ", p.multiply_adds, "."));
        line("// " + n + "::predict(" + arguments(true) +
             ") has its workspace on the stack. To use other memory, pass a " + n +
             "::Workspace as the last argument.");
        line("// No heap, no exceptions, no static variables. Inputs and outputs must not overlap.");
        // Measured: a multiply-add takes 54 operations of g++ and 2.4 steps of clang. Never below their default limits.
        const long long operations = 70 * p.multiply_adds + 600 * p.elements + 1000000;
        const long long steps = 4 * p.multiply_adds + 60 * p.elements + 100000;
        line("// Compile with -O3. For constant expressions, add");
        line(sentence("//   g++ -fconstexpr-ops-limit=", std::max(operations, 33554432LL),
                      " -fconstexpr-loop-limit=1000000"));
        line(sentence("//   clang++ -fconstexpr-steps=", std::clamp(steps, 1048576LL, 4000000000LL)));
    }
    void sizes() {
        const auto list = [&](const char* name, int count, auto shape) {
            if (count == 1) {
                line(sentence("inline constexpr int ", name, " = ", record_count(shape(0)), ";  // ",
                              record_text(shape(0))));
                return;
            }
            std::string numbers;
            for (int i = 0; i < count; ++i) numbers += sentence(i > 0 ? ", " : "", record_count(shape(i)));
            line(sentence("inline constexpr int ", name, "[", count, "] = {", numbers, "};"));
        };
        list("inputs", network_.inputs.size(), [&](int i) { return network_.inputs[i]; });
        list("outputs", network_.costs.size(), [&](int i) { return network_.costs[i].prediction; });
    }
    /// Returns the parameters as text: "const float in[784], float out[10]".
    std::string parameters(bool outputs, bool unused = false) const {
        std::string text;
        const auto add = [&](const std::string& one) {
            text += (text.empty() ? "" : ", ") + std::string(unused ? "[[maybe_unused]] " : "") + one;
        };
        for (int i = 0; i < network_.inputs.size(); ++i)
            add(sentence("const ", real_, " ", names_.inputs[static_cast<std::size_t>(i)], "[",
                         record_count(network_.inputs[i]), "]"));
        for (int i = 0; outputs && i < network_.costs.size(); ++i)
            add(sentence(real_, " ", names_.outputs[static_cast<std::size_t>(i)], "[",
                         record_count(network_.costs[i].prediction), "]"));
        if (!states_.empty()) add("State& state");
        return text;
    }
    /// Returns the arguments as text: "in, out".
    std::string arguments(bool outputs) const {
        std::string text;
        for (int i = 0; i < network_.inputs.size(); ++i)
            text += (i > 0 ? ", " : "") + names_.inputs[static_cast<std::size_t>(i)];
        for (int i = 0; outputs && i < network_.costs.size(); ++i)
            text += ", " + names_.outputs[static_cast<std::size_t>(i)];
        return states_.empty() ? text : text + ", state";
    }
    void predictions() {
        line("/// Predicts one record. Inputs and outputs are row-major.");
        for (int i = 0; i < network_.inputs.size() && network_.inputs.size() > 1; ++i)
            line(sentence("/// in_", i, ": ", cpp_comment(network_.layers[i].name.view()), " ",
                          record_text(network_.inputs[i])));
        for (int i = 0; i < network_.costs.size() && network_.costs.size() > 1; ++i)
            line(sentence("/// out_", i, ": ", cpp_comment(network_.costs[i].name.view()), " ",
                          record_text(network_.costs[i].prediction)));
        line(sentence("constexpr void predict(", parameters(true), ", Workspace& workspace) {"));
        line(sentence("    detail::run(", arguments(true), ", workspace);\n}"));
        line(sentence("constexpr void predict(", parameters(true), ") {"));
        line(sentence("    Workspace workspace{};\n    detail::run(", arguments(true), ", workspace);\n}\n"));
    }
    /// Writes `classify` as in Model::classify: the first greatest of each row, or yes if the probability is at least
    /// 0.5.
    void classification() {
        if (network_.costs.size() != 1 || !(network_.costs[0].says_class() || network_.costs[0].yes_or_no)) return;
        const Shape& s = network_.costs[0].prediction;
        const bool yes = network_.costs[0].yes_or_no;
        const long long columns = yes ? 1 : s.last(), rows = record_count(s) / columns;
        const std::string answer = yes ? "out[row] >= 0.5f ? 1 : 0" : "best";
        line(
            yes ? "/// Predicts 1 if the probability is at least 0.5, else 0."
                : "/// Predicts the class with the greatest probability (the first one if several are equal), from 0.");
        const std::string made = rows > 1 ? sentence(", int answers[", rows, "]") : "";
        line(sentence("constexpr ", rows > 1 ? "void" : "int", " classify(", parameters(false), made, ") {"));
        line(sentence("    ", real_, " out[", record_count(s), "]{};\n    predict(", arguments(true), ");"));
        if (rows > 1) line(sentence("    for (int row = 0; row < ", rows, "; ++row) {"));
        const std::string indent = rows > 1 ? "        " : "    ",
                          base = rows > 1 ? sentence("row * ", columns, " + ") : "";
        if (!yes) {
            line(indent + "int best = 0;");
            line(sentence(indent, "for (int c = 1; c < ", columns, "; ++c)"));
            line(sentence(indent, "    if (out[", base, "c] > out[", base, "best]) best = c;"));
        }
        if (rows > 1) line(indent + "answers[row] = " + answer + ";\n    }");
        else line(indent + "return " + (yes ? "out[0] >= 0.5f ? 1 : 0" : "best") + ";");
        line("}\n");
    }
};

}  // namespace

std::string cpp_source(const PortableModel& model, const CppOptions& options) {
    const std::string& n = options.name;
    if (!is_cpp_name(n))
        throw ArgumentError("export_cpp", "a C++ name of letters, digits and single '_'", sentence("'", n, "'"));
    return CppHeader(model, options).text();
}

void export_cpp(const PortableModel& model, const std::string& file, const CppOptions& options) {
    CppOptions named = options;
    if (named.name.empty()) {
        const std::string last = file.substr(file.rfind('/') + 1);
        named.name = cpp_identifier(last.substr(0, last.find('.')));
    }
    const std::string text = cpp_source(model, named);
    AtomicFile to(file);
    to.write(std::as_bytes(std::span(text)));
    to.commit();
}

}  // namespace sigma::detail
