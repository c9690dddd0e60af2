// SPDX-License-Identifier: BSL-1.0
// The kernels of each instruction set of this processor, with plans for narrower and wider vectors than theirs, against
// the naive interpreter. The file is compiled for the oldest processor, so that its fused code runs plans for all sets.
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/xtensor.hpp>

#include "support/kernel_machine.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

// Rows of 3, 5 and 9: the next whole vectors of 4, 8 and 16 differ.
struct Images
    : Network<Input(9, 8) + Conv2D(3, {2, 3}, relu) + MaxPool(2) + Conv2D(9, 2, tanh) + Dense(5) + SoftmaxCE()> {};
// Weights that a loop multiplies by in each step, in rows of 20.
struct Sequences : Network<Input(6, 33) + LSTM(5) + Dense(3) + SquaredDiff()> {};
struct Words : Network<Input(6) + Embedding(9, 5) + Dense(9, tanh) + Dense(2) + SquaredDiff()> {};

template <class N>
using Training = sigma::detail::TrainingProgram<N, GradientDescent>;

/// Parts of one row, computed in place: wide vectors at the end of a part would write into the next row.
struct Parts {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        const Tensor x{sigma::detail::input(p, Shape(batch, 7), 0)};
        const Tensor v{sigma::detail::input(p, Shape(7, 24), 1)};
        const Tensor w{sigma::detail::input(p, Shape(7, 8), 2)};
        sigma::detail::add_output(p, sin(concatenate(axis(1), dot(x, v), dot(x, w))).variable);
        return p;
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
    using P = sigma::detail::Planned<Make, lanes>;
    const sigma::detail::Program program = Make{}();
    const double tolerance = sizeof(T) == 4 ? 2e-4 : 1e-10;
    for (const long long records : {1, 7, 160}) {  // threads pay for the last
        const Bindings bindings = bindings_of(program, records, words);
        const Interpretation wanted = interpret(program, bindings, records);
        for (const on_cpu::Kernels<T>* kernels : on_cpu::all_kernels<T>()) {
            INFO(kernels->instructions << ", a plan for " << lanes << " lanes, " << records << " records");
            for (const bool interpreted : {false, true}) {
                std::vector<std::vector<Values>> first;
                for (int threads : {1, 2, 3}) {
                    INFO((interpreted ? "interpreted" : "fused"));
                    const auto& run_by =
                        interpreted ? on_cpu::compiled_program<P, T, true> : on_cpu::compiled_program<P, T, false>;
                    KernelMachine<T> machine(run_by, *kernels, bindings, records);
                    machine.run(threads);
                    std::vector<std::vector<Values>> found{machine.read(sigma::detail::Buffer::Where::output),
                                                           machine.read(sigma::detail::Buffer::Where::parameter)};
                    CHECK(difference("output", found[0], wanted.outputs, tolerance) == "");
                    CHECK(difference("parameter", found[1], wanted.parameters, tolerance) == "");
                    CHECK(machine.stayed_inside());
                    if (threads == 1) first = found;
                    CHECK(found == first);
                }
            }
        }
    }
}
template <class T, class Make>
void examine(bool words = false) {
    constexpr int own = on_cpu::lanes<T>;
    check_plan<T, Make, own>(words);
    check_plan<T, Make, 2 * own>(words);
    check_plan<T, Make, 4 * own>(words);
}

}  // namespace

TEST_CASE("plans for any vectors run on the kernels of all instructions", "[kernels]") {
    SECTION("images") { examine<float, Training<Images>>(); }
    SECTION("sequences") { examine<float, Training<Sequences>>(); }
    SECTION("parts of rows") {
        examine<float, Parts>();
        examine<double, Parts>();
    }
    SECTION("words") { check_plan<double, Training<Words>, on_cpu::lanes<double>>(true); }
}

TEST_CASE("every set of instructions has every kernel, and the program one of them", "[kernels]") {
    bool chosen = false;
    int lanes = 0;
    for (const on_cpu::Kernels<float>* k : on_cpu::all_kernels<float>()) {
        CHECK(k->lanes > lanes);
        lanes = k->lanes;
        CHECK((k->product && k->pack_whole && k->transpose && k->move && k->argmax && k->fill_uniform && k->gather &&
               k->scatter_add && k->tile_function && k->run_tiles));
        CHECK((k->convolve && k->convolve_weights && k->convolve_input && k->pool_max && k->unpool && k->pool_select));
        chosen = chosen || k == &on_cpu::kernels<float>();
    }
    CHECK(chosen);
    CHECK(on_cpu::kernels<float>().lanes == 2 * on_cpu::kernels<double>().lanes);
}

TEMPLATE_TEST_CASE("all instructions find the first of the greatest, and NaN before it", "[kernels]", float, double) {
    using T = TestType;
    std::mt19937 random(3);
    for (std::ptrdiff_t n = 1; n < 6000; n += n < 150 ? 1 : 417)
        for (const int nans : {0, 1, 3})
            for (const std::ptrdiff_t step : {std::ptrdiff_t{1}, std::ptrdiff_t{3}}) {
                std::vector<T> x(static_cast<std::size_t>((n - 1) * step + 1), T(99));
                const auto at = [&](std::ptrdiff_t i) -> T& { return x[static_cast<std::size_t>(i * step)]; };
                for (std::ptrdiff_t i = 0; i < n; ++i)
                    at(i) = random() % 7 == 0 ? -std::numeric_limits<T>::infinity() : static_cast<T>(random() % 9);
                for (int i = 0; i < nans; ++i)
                    at(static_cast<std::ptrdiff_t>(random() % static_cast<std::size_t>(n))) =
                        std::numeric_limits<T>::quiet_NaN();
                std::ptrdiff_t wanted = 0;
                for (std::ptrdiff_t i = 1; i < n; ++i)
                    if (at(i) > at(wanted) || (std::isnan(at(i)) && !std::isnan(at(wanted)))) wanted = i;
                for (const on_cpu::Kernels<T>* k : on_cpu::all_kernels<T>()) {
                    T found = -1;
                    const std::ptrdiff_t extent[sigma::detail::max_rank] = {n};
                    k->argmax(x.data(), &found, 0, 1, extent, on_cpu::Strides{step}, on_cpu::Strides{0});
                    if (found != static_cast<T>(wanted)) {
                        INFO(k->instructions << ", " << n << " numbers, " << step << " apart");
                        CHECK(found == static_cast<T>(wanted));
                    }
                }
            }
}

TEST_CASE("a function for any machine is interpreted by the widest vectors where it has much to do", "[kernels]") {
    constexpr auto f = [](auto a, auto b) { return exp(a) * b + a; };
    using P = sigma::detail::Planned<sigma::detail::FunctionProgram<decltype(f), Shape{batch}, Shape{batch}>,
                                     on_cpu::lanes<float>>;
    for (const std::size_t n : {std::size_t{40}, std::size_t{5000}}) {
        xt::xtensor<float, 1> a(std::array<std::size_t, 1>{n}), b = a, wanted = a;
        Philox(9, RandomUse::user, 0).fill_normal(std::span<float>(a.data(), n));
        Philox(10, RandomUse::user, 0).fill_normal(std::span<float>(b.data(), n));
        const bool wide = on_cpu::library_interprets && (n > 1000 || on_cpu::interprets<P>());
        on_cpu::Executor<float> executor(wide ? on_cpu::compiled_program<P, float, true>
                                              : on_cpu::compiled_program<P, float, false>);
        executor.bind_input(0, a.data());
        executor.bind_input(1, b.data());
        executor.bind_output(0, wanted.data());
        executor.prepare(static_cast<std::ptrdiff_t>(n));
        executor.run();
        const auto found = evaluate(f)(a, b);
        CHECK(std::memcmp(found.data(), wanted.data(), n * sizeof(float)) == 0);
    }
}

TEST_CASE("all instructions draw the same random numbers and move the same elements", "[kernels]") {
    const sigma::detail::RandomKey key{123456789012345, 42};
    std::vector<float> first;
    for (const on_cpu::Kernels<float>* k : on_cpu::all_kernels<float>()) {
        std::vector<float> drawn(5 * 70), turned(70 * 5);
        k->fill_uniform(drawn.data(), 3, 5, 67, 70, 9, key);
        k->transpose(drawn.data(), 70, 5, 67, turned.data(), 5);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 67; ++j) CHECK(turned[j * 5 + i] == drawn[i * 70 + j]);
        if (first.empty()) first = drawn;
        CHECK(std::memcmp(first.data(), drawn.data(), drawn.size() * sizeof(float)) == 0);
    }
}
