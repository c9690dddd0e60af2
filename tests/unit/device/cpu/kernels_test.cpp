// SPDX-License-Identifier: BSL-1.0
// The kernels of each set of instructions that this processor has, under plans for narrower and wider vectors than
// theirs, against the naive interpreter. Compiled for the oldest processor, whose fused code runs plans for all of
// them.
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/layer/conv2d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/lstm.hpp>
#include <sigma/layer/max_pool.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/worker/step.hpp>

#include "support/reference.hpp"
#include "support/stored_elements.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

// Rows of 3, 5 and 9: the next whole vectors of 4, 8 and 16 differ.
struct Images
    : Network<Input(9, 8) + Conv2D(3, {2, 3}, relu) + MaxPool(2) + Conv2D(9, 2, tanh) + Dense(5) + SoftmaxCE()> {};
// Weights that a loop multiplies by again and again, in rows of 20.
struct Sequences : Network<Input(6, 33) + LSTM(5) + Dense(3) + SquaredDiff()> {};
struct Words : Network<Input(6) + Embedding(9, 5) + Dense(9, tanh) + Dense(2) + SquaredDiff()> {};

template <class N>
using Training = sigma::detail::TrainingProgram<N, GradientDescent>;

/// Parts of one row, computed where they end up: wide vectors at the end of a part would write into the next row.
struct Parts {
    constexpr Program operator()() const {
        Program p;
        const auto x = sigma::detail::input<Shape(batch, 7)>(p, 0);
        const auto v = sigma::detail::input<Shape(7, 24)>(p, 1);
        const auto w = sigma::detail::input<Shape(7, 8)>(p, 2);
        sigma::detail::add_output(p, sin(concatenate<1>(dot(x, v), dot(x, w))).variable);
        return p;
    }
};

Bindings bindings_of(const Program& p, long long records, bool words) {
    std::mt19937 random(5);
    Bindings b;
    for (int i = 0; i < p.tape.size(); ++i) {
        const Node& n = p.tape[i];
        const Operation o = n.operation;
        if (o != Operation::input && o != Operation::parameter && o != Operation::state) continue;
        Values v(static_cast<std::size_t>(Extents(n.shape, records).count()));
        for (double& x : v) x = static_cast<double>(random() % 2001) / 1000 - 1;
        auto& all = o == Operation::parameter ? b.parameters : o == Operation::state ? b.states : b.inputs;
        if (o == Operation::input && (words ? n.attribute == 0 : n.attribute == 1) && n.shape.batched())
            for (double& x : v) x = static_cast<double>(random() % 5);  // words, or classes
        const auto at = static_cast<std::size_t>(n.attribute);
        if (all.size() <= at) all.resize(at + 1);
        all[at] = v;
    }
    return b;
}

/// A program on some kernels, with memory of its own in which rows have the room that the plan gives them.
template <class T>
class Machine {
public:
    Machine(CompiledProgram<T> program, const simd::Kernels<T>& kernels, const Bindings& values, long long records)
        : plan_(program.plan), records_(records), executor_(on(program, kernels)), memory_(plan_.buffers.size()) {
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            const Buffer& buffer = plan_.buffers[b];
            const auto number = static_cast<std::size_t>(buffer.offset);
            if (buffer.where == Buffer::Where::input)
                executor_.bind_input(buffer.offset, filled(b, values.inputs.at(number)));
            if (buffer.where == Buffer::Where::output) executor_.bind_output(buffer.offset, filled(b, {}));
            if (buffer.where == Buffer::Where::parameter)
                executor_.bind_parameter(buffer.offset, filled(b, values.parameters.at(number)));
            if (buffer.where == Buffer::Where::state)
                executor_.bind_state(buffer.offset, filled(b, values.states.at(number)));
        }
    }
    void run(int threads) {
        simd::Pool pool(threads);
        executor_.prepare(static_cast<std::ptrdiff_t>(records_));
        executor_.run(pool);
    }
    std::vector<Values> read(Buffer::Where where) const {
        std::vector<Values> all;
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            if (plan_.buffers[b].where != where) continue;
            const auto number = static_cast<std::size_t>(plan_.buffers[b].offset);
            if (all.size() <= number) all.resize(number + 1);
            each_stored(plan_.buffers[b], records_, [&](std::size_t, std::size_t at) {
                all[number].push_back(static_cast<double>(memory_[b].data()[at]));
            });
        }
        return all;
    }
    /// What was written behind the last row of any result or parameter.
    bool stayed_inside() const {
        for (const auto& m : memory_)
            for (std::size_t i = 0; i < (m.size() ? guard : 0); ++i)
                if (m.data()[m.size() - 1 - i] != T(77)) return false;
        return true;
    }

private:
    static constexpr std::size_t guard = 32;
    PlanView plan_;
    long long records_;
    simd::Executor<T> executor_;
    std::vector<simd::Arena<T>> memory_;

    static CompiledProgram<T> on(CompiledProgram<T> program, const simd::Kernels<T>& kernels) {
        program.kernels = &kernels;
        return program;
    }
    T* filled(std::size_t b, const Values& dense) {
        const Buffer& buffer = plan_.buffers[b];
        const Extents e(buffer.shape, records_);
        const long long last = e.rank ? e[e.rank - 1] : 1;
        const auto size = static_cast<std::size_t>(e.count() / last * stored_row(buffer, records_));
        memory_[b] = simd::Arena<T>(size + guard);
        for (std::size_t i = 0; i < guard; ++i) memory_[b].data()[size + i] = T(77);
        each_stored(buffer, records_, [&](std::size_t i, std::size_t to) {
            if (!dense.empty()) memory_[b].data()[to] = static_cast<T>(dense.at(i));
        });
        return memory_[b].data();
    }
};

std::string difference(const char* what, const std::vector<Values>& found, const std::vector<Values>& wanted,
                       double tolerance) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t j = 0; j < wanted[i].size(); ++j)
            if (!(std::abs(found.at(i).at(j) - wanted[i][j]) <= tolerance * (1 + std::abs(wanted[i][j]))))
                return sentence(what, " ", i, ", element ", j, ": expected ", wanted[i][j], ", found ", found[i][j]);
    return "";
}

template <class T, class Make, int lanes>
void check_plan(bool words) {
    using P = Planned<Make, lanes>;
    const Program program = Make{}();
    const double tolerance = sizeof(T) == 4 ? 2e-4 : 1e-10;
    for (const long long records : {1, 7, 160}) {  // the last is worth threads
        const Bindings bindings = bindings_of(program, records, words);
        const Interpretation wanted = interpret(program, bindings, records);
        for (const simd::Kernels<T>* kernels : simd::all_kernels<T>()) {
            INFO(kernels->instructions << ", a plan for " << lanes << " lanes, " << records << " records");
            std::vector<std::vector<Values>> first;
            for (int threads : {1, 2, 3}) {
                Machine<T> machine(simd::compiled_program<P, T>, *kernels, bindings, records);
                machine.run(threads);
                std::vector<std::vector<Values>> found{machine.read(Buffer::Where::output),
                                                       machine.read(Buffer::Where::parameter)};
                CHECK(difference("output", found[0], wanted.outputs, tolerance) == "");
                CHECK(difference("parameter", found[1], wanted.parameters, tolerance) == "");
                CHECK(machine.stayed_inside());
                if (threads == 1) first = found;
                CHECK(found == first);
            }
        }
    }
}
template <class T, class Make>
void check(bool words = false) {
    constexpr int own = simd::lanes<T>;
    check_plan<T, Make, own>(words);
    check_plan<T, Make, 2 * own>(words);
    check_plan<T, Make, 4 * own>(words);
}

}  // namespace

TEST_CASE("plans for any vectors run on the kernels of all instructions", "[kernels]") {
    SECTION("images") {
        check<float, Training<Images>>();
    }
    SECTION("sequences") {
        check<float, Training<Sequences>>();
    }
    SECTION("parts of rows") {
        check<float, Parts>();
        check<double, Parts>();
    }
    SECTION("words") {
        check_plan<double, Training<Words>, simd::lanes<double>>(true);
    }
}

TEST_CASE("every set of instructions has every kernel, and the program one of them", "[kernels]") {
    bool chosen = false;
    int lanes = 0;
    for (const simd::Kernels<float>* k : simd::all_kernels<float>()) {
        CHECK(k->lanes > lanes);
        lanes = k->lanes;
        CHECK((k->product && k->pack_whole && k->transpose && k->move && k->argmax && k->fill_uniform && k->gather &&
               k->scatter_add));
        CHECK((k->convolve && k->convolve_weights && k->convolve_input && k->pool_max && k->unpool && k->pool_select));
        chosen = chosen || k == &simd::kernels<float>();
    }
    CHECK(chosen);
    CHECK(simd::kernels<float>().lanes == 2 * simd::kernels<double>().lanes);
}

TEST_CASE("all instructions draw the same random numbers and move the same elements", "[kernels]") {
    const simd::RandomKey key{123456789012345, 42};
    std::vector<float> first;
    for (const simd::Kernels<float>* k : simd::all_kernels<float>()) {
        std::vector<float> drawn(5 * 70), turned(70 * 5);
        k->fill_uniform(drawn.data(), 3, 5, 67, 70, 9, key);
        k->transpose(drawn.data(), 70, 5, 67, turned.data(), 5);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 67; ++j) CHECK(turned[j * 5 + i] == drawn[i * 70 + j]);
        if (first.empty()) first = drawn;
        CHECK(std::memcmp(first.data(), drawn.data(), drawn.size() * sizeof(float)) == 0);
    }
}
