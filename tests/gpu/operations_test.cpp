// SPDX-License-Identifier: BSL-1.0
// Every operation of the tape and its gradient on an accelerator, against the naive interpreter in double precision.
#include "devices.hpp"
#include "support/gradient_suite.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

/// Several cases in one program, so that the compiler runs once. Values and gradients are its outputs.
struct Cases {
    sigma::detail::Program program{};
    std::vector<std::pair<const GradientCase*, int>> owners{};  // the case of each output
    std::vector<std::pair<Shape, Range>> reads{};

    void add(const GradientCase& c) {
        std::vector<Variable> x;
        sigma::detail::List<Variable> wrt;
        for (std::size_t i = 0; i < c.shapes.size(); ++i) {
            x.push_back(leaf(c.shapes[i], c.ranges.empty() ? Range{} : c.ranges[std::min(i, c.ranges.size() - 1)]));
            wrt.push(x.back());
        }
        const Variable y = c.f(x);
        put(c, y);
        for (const Variable& g : sigma::detail::differentiate(y, leaf(y.shape(), {0.3, 1.7}), wrt)) put(c, g);
    }
    Bindings bindings(long long records, unsigned seed) const {
        std::mt19937 random(seed);
        Bindings b;
        for (const auto& [shape, range] : reads) {
            Values v(static_cast<std::size_t>(Extents(shape, records).count()));
            for (double& x : v) {
                const double part = static_cast<double>(random() % 100003) / 100003;
                x = static_cast<double>(static_cast<float>(range.low + (range.high - range.low) * part));
            }
            b.inputs.push_back(std::move(v));
        }
        b.uniform = uniform_of(5, 3);
        return b;
    }

private:
    Variable leaf(const Shape& s, Range range) {
        reads.emplace_back(s, range);
        return {&program.tape, program.tape.leaf(sigma::detail::Operation::input, s, reads.size() - 1)};
    }
    void put(const GradientCase& c, Variable v) {
        owners.emplace_back(&c, 0);
        program.outputs.push(sigma::detail::copy(v));
    }
};

template <class T>
void examine(const Cases& cases, int lanes, double tolerance) {
    const sigma::detail::Plan plan = sigma::detail::make_plan(cases.program, lanes);
    for (const auto& device : with_cuda({sizeof(T) == 4 ? one_thread() : without_library(), many_threads()})) {
        Machine<T> machine(device, view_of<T>(plan));
        for (long long records : {37, 1}) {
            const Bindings bindings = cases.bindings(records, static_cast<unsigned>(records));
            const Interpretation wanted = interpret(cases.program, bindings, records);
            machine.bind(bindings, records);
            machine.run();
            const std::vector<Values> found = machine.outputs();
            for (std::size_t i = 0; i < found.size(); ++i) {
                const std::string wrong = difference("values", {found[i]}, {wanted.outputs[i]}, tolerance);
                INFO(cases.owners[i].first->name << ", output " << i << ", records " << records << ", "
                                                 << device->name() << ", threads " << device->threads(256));
                CHECK(wrong == "");
            }
        }
    }
}

const GradientSuite& suite() {
    static const GradientSuite all;
    return all;
}
/// A part of the suite.
std::unique_ptr<Cases> part(std::size_t number, std::size_t parts) {
    auto cases = std::make_unique<Cases>();
    for (std::size_t i = number; i < suite().checks().size(); i += parts) cases->add(suite().checks()[i].given());
    return cases;
}

}  // namespace

TEST_CASE("operations and their gradients on an accelerator, double", "[gpu]") {
    for (std::size_t i = 0; i < 3; ++i) examine<double>(*part(i, 3), i == 0 ? 4 : 8, 1e-12);
}

TEST_CASE("operations and their gradients on an accelerator, float", "[gpu]") {
    for (std::size_t i = 0; i < 3; ++i) examine<float>(*part(i, 3), i == 0 ? 8 : 4, 1e-5);
}
