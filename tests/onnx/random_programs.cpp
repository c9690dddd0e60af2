// SPDX-License-Identifier: BSL-1.0
// onnx_random_programs FOLDER COUNT [FIRST]: writes random programs as ONNX, with any operation over random shapes, and
// what the naive interpreter makes of random inputs. Left out are those with operations that ONNX has not, and those
// that floats and doubles do not agree on.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include "cases.hpp"
#include "support/random_program.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using detail::Operation;
using test::Values;

/// A program of one output as a model: its parameters are called p0, p1, …, its inputs x0, x1, …, and one more.
struct Stated {
    detail::Program program{};
    std::vector<Shape> inputs{};
    std::vector<detail::ParameterRecord> parameters{};
    std::vector<detail::LayerRecord> layers{};
    detail::CostRecord cost{};
    detail::NetworkTable table{};

    Stated(const detail::Program& p, int output) {
        program.tape = p.tape;
        program.outputs.push({&program.tape, p.outputs[output].id});
        cost.name = "result";
        for (const detail::Node& n : p.tape) {
            if (n.operation == Operation::input) inputs.push_back(n.shape);
            if (n.operation != Operation::parameter) continue;
            parameters.push_back({});
            parameters.back().name.append("p").append(static_cast<int>(n.attribute));
            parameters.back().shape = n.shape;
        }
        inputs.push_back(Shape{batch});  // which says how many records there are
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            layers.push_back({});
            layers.back().name.append("x").append(static_cast<int>(i));
        }
        table.parameters = {parameters.data(), static_cast<int>(parameters.size())};
        table.layers = {layers.data(), static_cast<int>(layers.size())};
        table.inputs = {inputs.data(), static_cast<int>(inputs.size())};
        table.costs = {&cost, 1};
    }
    Stated(const Stated&) = delete;
};

std::vector<float> as_floats(const Values& v) { return {v.begin(), v.end()}; }
std::vector<std::vector<float>> as_floats(const std::vector<Values>& all) {
    std::vector<std::vector<float>> result;
    for (const Values& each : all) result.push_back(as_floats(each));
    return result;
}
Array<float> array_of(const Shape& s, long long records, std::vector<float> values) {
    const debugging::Extents e(s, records);
    std::vector<std::size_t> extents;
    for (int i = 0; i < e.rank; ++i) extents.push_back(static_cast<std::size_t>(e[i]));
    return {extents, std::move(values)};
}
bool agree(const std::vector<float>& x, const Values& y) {
    double scale = 0;
    for (const double each : y) scale = std::max(scale, std::abs(each) / 10);
    for (std::size_t i = 0; i < y.size(); ++i)
        if (!(std::abs(double{x[i]} - y[i]) <= 2e-6 * std::max(scale, std::abs(y[i])))) return false;
    return true;
}

/// Adds what comes out for so many records. False where that depends on the rounding.
bool add_case(Cases<float>& cases, const Stated& of, test::Bindings b, const std::vector<Values>& parameters,
              long long records) {
    b.parameters = parameters;
    const debugging::Bindings<float> floats{as_floats(b.inputs), as_floats(parameters), {}, {}};
    for (std::size_t i = 0; i < b.inputs.size(); ++i)
        b.inputs[i].assign(floats.inputs[i].begin(), floats.inputs[i].end());
    const std::vector<float> y = debugging::interpret<float>(of.program, floats, records).outputs[0];
    const Values wanted = debugging::interpret<double>(of.program, b, records).outputs[0];
    std::vector<Array<float>> x;
    for (std::size_t i = 0; i < of.inputs.size(); ++i)
        x.push_back(array_of(
            of.inputs[i], records,
            i < floats.inputs.size() ? floats.inputs[i] : std::vector<float>(static_cast<std::size_t>(records))));
    cases.add(x, {array_of(of.program.tape[of.program.outputs[0].id].shape, records, as_floats(wanted))});
    return agree(y, wanted);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "onnx_random_programs: expected a folder and a number\n"), 2;
    const unsigned first = argc > 3 ? static_cast<unsigned>(std::stoul(argv[3])) : 1;
    for (unsigned seed = first; seed < first + std::stoul(argv[2]); ++seed) {
        const test::RandomProgram random(seed);
        const auto& tape = random.program().tape;
        if (std::any_of(tape.begin(), tape.end(), [](const detail::Node& n) {
                return n.operation == Operation::uniform || n.operation == Operation::state;
            }))
            continue;
        std::vector<Values> parameters = random.bindings(1, seed + 77).parameters;
        for (Values& v : parameters)
            for (double& x : v) x = static_cast<float>(x);
        for (int output = 0; output < std::min(3, random.program().outputs.size()); ++output) {
            const Stated of(random.program(), output);
            const std::string name = sentence(argv[1], "/random_", seed, "_", output);
            const auto values = [&](int i) { return parameters[static_cast<std::size_t>(i)]; };
            try {
                detail::export_onnx({of.table, Dtype::f32, of.program, {}, {}, values}, name + ".onnx", {});
            } catch (const ArgumentError&) { continue; }
            Cases<float> cases;
            bool good = true;
            for (const long long records : {1, 3})
                good = add_case(cases, of, random.bindings(records, seed), parameters, records) && good;
            if (good) cases.write(name + ".json");
        }
    }
}
