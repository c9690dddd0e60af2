// SPDX-License-Identifier: BSL-1.0
// Interpreted plans: networks and random functions are bit-identical to fused kernels, random programs are compared
// with the naive interpreter. They run with the kernels of all instruction sets and plans for other vectors than
// theirs.
#include <sigma/device/cpu/common_kernels.hpp>
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/plan/planned_now.hpp>

#include "support/effort.hpp"
#include "support/kernel_machine.hpp"
#include "support/random_function.hpp"
#include "support/random_program.hpp"
#include "support/sanitized.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Table : Network<Input(4) + Dense(12, relu) + Dropout(0.25f) + Dense(7, tanh) + Dense(3) + SoftmaxCE()> {};
struct Wide : Network<Input(40) + Dense(300, relu) + BatchNorm() + Dense(1100) + SoftmaxCE()> {};
struct Digits : Network<Input(50) + Dense(33, relu) + Dense(64, relu) + Dense(7) + SoftmaxCE()> {};
struct Tower : Network<Input(16) + 6 * Dense(24, relu) + Dense(5) + SoftmaxCE()> {};
struct Deep : Network<Input(16) + 70 * Dense(24, relu) + Dense(5) + SoftmaxCE()> {};
struct Images : Network<Input(9, 8) + Conv2D(3, {2, 3}, relu) + BatchNorm() + MaxPool(2) + Conv2D(9, 2, tanh) +
                        Dense(5) + SoftmaxCE()> {};
struct Sequences : Network<Input(6, 5) + LSTM(5) + GRU(7) + Linear(3) + SquaredDiff()> {};
struct Sentences : Network<Input(7, 6) + LayerNorm() + TransformerBlock(2, 9) + Linear(3, gelu) + SquaredDiff()> {};

template <class N, class O>
using Training = sigma::detail::TrainingProgram<N, O>;

template <unsigned seed, bool gradients>
struct RandomStep {
    constexpr sigma::detail::Program operator()() const { return program_of(seed, gradients); }
};

/// Reductions of rows and of everything, over several blocks of sums, and loops with several short or long rows.
struct LongRows {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        p.sequential = true;
        const Tensor x{sigma::detail::input(p, Shape(batch, 5003), 0)};
        const Tensor y{sigma::detail::input(p, Shape(batch, 5003), 1)};
        const Tensor z{sigma::detail::input(p, Shape(batch, 6, 75), 2)};
        const auto out = [&](auto t) { sigma::detail::add_output(p, t.variable); };
        out(sum(x, axis(1))), out(sum(x * y, axis(1))), out(max(x, axis(1))), out(min(x, axis(1))), out(softmax(x));
        out(sum(x)), out(sum(x * y)), out(max(x)), out(sum(slice(x, axis(1), 0, 70) * 2.0f));
        out(sum(z)), out(sum(z, axes(0, 2))), out(max(z, axes(1, 2))), out(sum(z, axis(2)));
        // A later sweep of a row reads each of the totals of an earlier one.
        out(sum(square(x - max(x, axis(1), keep)), axis(1))), out(max(x * min(y, axis(1), keep), axis(1)));
        out(variance(x, axis(1))), out(sum(exp(z - max(z, axis(2), keep)), axis(2)));
        out(sum(slice(z, axis(2), 0, 70))), out(min(slice(z, axis(2), 0, 70))),
            out(sum(slice(x, axis(1), 0, 2000) * slice(y, axis(1), 0, 2000)));
        return p;
    }
};

bool same_bits(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
}
std::string difference(const std::vector<Values>& found, const std::vector<Values>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t j = 0; j < wanted[i].size(); ++j)
            if (!same_bits(found.at(i).at(j), wanted[i][j]))
                return sentence(i, ", element ", j, ": fused ", wanted[i][j], ", interpreted ", found[i][j]);
    return "";
}
template <class T>
struct Results {
    std::vector<Values> outputs, parameters, states;
    bool inside;
};
template <class T>
Results<T> run(const sigma::detail::CompiledProgram<T>& program, const on_cpu::Kernels<T>& kernels,
               const Bindings& bindings, long long records, int threads) {
    KernelMachine<T> machine(program, kernels, bindings, records);
    machine.run(threads);
    machine.run(threads);
    return {machine.read(sigma::detail::Buffer::Where::output), machine.read(sigma::detail::Buffer::Where::parameter),
            machine.read(sigma::detail::Buffer::Where::state), machine.stayed_inside()};
}

/// Returns the kernels with the vectors of this program.
template <class T>
const on_cpu::Kernels<T>& own_kernels() {
    const on_cpu::Kernels<T>* own = nullptr;
    for (const on_cpu::Kernels<T>* k : on_cpu::all_kernels<T>())
        if (k->lanes == on_cpu::lanes<T>) own = k;
    REQUIRE(own);
    return *own;
}

template <class T, class Make>
void check_bits(std::vector<long long> all_records = {1, 7, 33, 160}) {
    using P = sigma::detail::Planned<Make, on_cpu::lanes<T>>;
    const sigma::detail::Program program = Make{}();
    if (sanitized) all_records.resize(2);  // fewer numbers, because sanitized programs are slow
    for (const long long records : all_records) {
        const Bindings bindings = bindings_of(program, records, false);
        const auto wanted = run(on_cpu::compiled_program<P, T, false>, own_kernels<T>(), bindings, records, 1);
        on_cpu::Kernels<T> tiles_only = own_kernels<T>();
        tiles_only.common = nullptr;
        for (const on_cpu::Kernels<T>* kernels :
             std::initializer_list<const on_cpu::Kernels<T>*>{&tiles_only, &own_kernels<T>()})
            for (int threads : {1, 2, 3}) {
                if (sanitized && threads == 2) continue;
                INFO(records << " records, " << threads
                             << " threads, common kernels: " << (kernels->common != nullptr));
                const auto found = run(on_cpu::compiled_program<P, T, true>, *kernels, bindings, records, threads);
                CHECK(difference(found.outputs, wanted.outputs) == "");
                CHECK(difference(found.parameters, wanted.parameters) == "");
                CHECK(difference(found.states, wanted.states) == "");
                CHECK(found.inside);
            }
    }
}
/// Kernels without the common ones.
template <class Make, int lanes>
int count_uncommon(const on_cpu::Kernels<float>& kernels) {
    const sigma::detail::PlanView plan =
        view_of<float>(sigma::detail::PlannedNow<sigma::detail::Planned<Make, lanes>>::plan());
    int count = 0;
    for (const sigma::detail::Kernel& k : plan.kernels)
        if (k.is_fused()) count += on_cpu::find_common(*kernels.common, plan, k) == nullptr;
    return count;
}
template <class Make>
void check_common() {
    for (const on_cpu::Kernels<float>* kernels : on_cpu::all_kernels<float>()) {
        if (!kernels->common) continue;  // a program without the library
        INFO(kernels->instructions);
        CHECK(count_uncommon<Make, 4>(*kernels) == 0);
        CHECK(count_uncommon<Make, 8>(*kernels) == 0);
        CHECK(count_uncommon<Make, 16>(*kernels) == 0);
    }
}
template <class N>
void check_common_network() {
    check_common<Training<N, GradientDescent>>();
    check_common<Training<N, Adam>>();
    check_common<sigma::detail::NetworkProgram<N, sigma::detail::to_predict>>();
    check_common<sigma::detail::NetworkProgram<N, sigma::detail::to_evaluate>>();
}

template <unsigned seed>
void check_random() {
    using T = std::conditional_t<seed % 2 == 0, float, double>;
    INFO("seed " << seed);
    check_bits<T, RandomStep<seed, false>>({1, 5, 40});
    check_bits<T, RandomStep<seed, true>>({1, 5, 40});
}
template <unsigned... seed>
void check_all(std::integer_sequence<unsigned, seed...>) {
    (check_random<seed>(), ...);
}

}  // namespace

TEST_CASE("interpreted networks have the bits of fused ones", "[interpreter]") {
    SECTION("tables") {
        check_bits<float, Training<Table, Adam>>();
        check_bits<double, Training<Table, GradientDescent>>();
    }
    SECTION("wide rows") { check_bits<float, Training<Wide, Adam>>({1, 160, 700}); }
    SECTION("images") { check_bits<float, Training<Images, Adam>>(); }
    SECTION("sequences") { check_bits<float, Training<Sequences, GradientDescent>>(); }
    SECTION("sentences") {
        check_bits<float, Training<Sentences, Adam>>();
        check_bits<double, Training<Sentences, GradientDescent>>({1, 7});
    }
}

TEMPLATE_TEST_CASE("interpreted reductions have the bits of fused ones", "[interpreter]", float, double) {
    check_bits<TestType, LongRows>({1, 3, 40});
}

TEST_CASE("the kernels of perceptrons are among those that the library has compiled", "[interpreter]") {
    check_common_network<Digits>();
    check_common_network<Tower>();
}

TEST_CASE("a kernel is common only if all of its code is", "[interpreter]") {
    const on_cpu::Kernels<float>& kernels = own_kernels<float>();
    if (!kernels.common) return;
    sigma::detail::Plan plan =
        sigma::detail::PlannedNow<sigma::detail::Planned<Training<Digits, Adam>, on_cpu::lanes<float>>>::plan();
    for (sigma::detail::Kernel& k : plan.kernels) {
        if (!k.is_fused()) continue;
        const auto found = [&] { return on_cpu::find_common(*kernels.common, view_of<float>(plan), k); };
        const sigma::detail::FusedFunction<float> right = found();
        REQUIRE(right);
        const auto other = [&](auto& member, auto value) {
            const auto before = std::exchange(member, value);
            CHECK(found() != right);
            member = before;
            CHECK(found() == right);
        };
        other(k.fused.outer, static_cast<short>(k.fused.outer + 1));
        other(k.arguments, static_cast<short>(k.arguments + 1));
        other(k.fused.instructions, k.fused.instructions - 1);
        for (int i = 0; i < k.fused.instructions; ++i) {
            sigma::detail::Instruction& n = plan.instructions[k.fused.instruction + i];
            if (sigma::detail::is_constant(n)) other(n.constant, n.constant + 1);
            else if (n.opcode == sigma::detail::Instruction::Opcode::evaluate) other(n.a, static_cast<short>(n.a + 1));
            else other(n.argument, static_cast<short>(n.argument + 1));
        }
    }
}

TEST_CASE("long programs are interpreted, where the library can", "[interpreter]") {
#if defined(SIGMA_COMPILED) || !defined(__OPTIMIZE__)
    constexpr bool wanted = true;
#else
    constexpr bool wanted = false;
#endif
    using P = sigma::detail::Planned<Training<Deep, GradientDescent>, on_cpu::lanes<float>>;
    CHECK((on_cpu::compiled_program<P, float>.fused == nullptr) == wanted);
    using Prediction =
        sigma::detail::Planned<sigma::detail::NetworkProgram<Deep, sigma::detail::to_predict>, on_cpu::lanes<float>>;
    CHECK((on_cpu::compiled_program<Prediction, float>.fused == nullptr) == wanted);
#ifdef __OPTIMIZE__
    CHECK(on_cpu::compiled_program<sigma::detail::Planned<Training<Digits, Adam>, on_cpu::lanes<float>>, float>.fused !=
          nullptr);
#endif
}

TEST_CASE("interpreted random functions have the bits of fused ones", "[interpreter]") {
    check_all(std::conditional_t<sanitized, std::integer_sequence<unsigned, 65, 242>,
                                 std::integer_sequence<unsigned, 65, 75, 177, 242, 250, 380>>{});
}

namespace {

struct FiveCosines {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        const Tensor x{sigma::detail::input(p, Shape(batch, 5), 0)};
        sigma::detail::add_output(p, cos(2.0 * x).variable);
        return p;
    }
};
/// Fills the stack of later calls.
[[gnu::noinline]] void leave_infinities() {
    volatile float waste[32768];
    for (volatile float& x : waste) x = std::numeric_limits<float>::infinity();
}

}  // namespace

TEST_CASE("no operation reads lanes of a tile that none has written", "[interpreter]") {
    // Five elements do not fill whole vectors, and the cosine of infinity is invalid.
    using P = sigma::detail::Planned<FiveCosines, on_cpu::lanes<float>>;
    on_cpu::Kernels<float> tiles_only = own_kernels<float>();
    tiles_only.common = nullptr;
    KernelMachine<float> machine(on_cpu::compiled_program<P, float, true>, tiles_only,
                                 bindings_of(FiveCosines{}(), 3, false), 3);
    leave_infinities();
    std::feclearexcept(FE_INVALID);
    machine.run(1);
    CHECK(std::fetestexcept(FE_INVALID) == 0);
}
