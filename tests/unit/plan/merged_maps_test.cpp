// SPDX-License-Identifier: BSL-1.0
#include <sigma/plan/merged_maps.hpp>
#include <sigma/plan/planned_now.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/sigma.hpp>

#include "support/networks.hpp"
#include "support/plan_interpreter.hpp"
#include "support/random_program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace sigma;
using namespace sigma::test;
using sigma::detail::Kernel;
using sigma::detail::MergedPlan;
using sigma::detail::Plan;

namespace {

Plan plan_of(const MergedPlan& merged, Plan plan) {
    const auto take = [](auto& list, const auto& from) {
        list.clear();
        for (const auto& x : from) list.push(x);
    };
    take(plan.kernels, merged.kernels);
    take(plan.instructions, merged.instructions);
    take(plan.arguments, merged.arguments);
    take(plan.loops, merged.loops);
    return plan;
}
Plan merged(const Plan& plan) { return plan_of(merge_maps(view_of<double>(plan)), plan); }

int launches(const Plan& plan) {
    int n = 0;
    for (const Kernel& k : plan.kernels) n += k.loop < 0 ? 1 : plan.loops[k.loop].count;
    return n;
}

/// Returns the plan of a recurrent network's step.
Plan recurrence(int lanes) {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 6, 3>();
    const auto h = r.input<batch, 4>();
    const auto w = r.parameter<3, 4>();
    const auto u = r.parameter<4, 4>();
    const auto f = [&](auto now, auto before) { return tanh(dot(now, w) + dot(before, u)); };
    r.descend(mean(square(scan(x, h, f))), r.input<>());
    return sigma::detail::make_plan(p, lanes);
}
/// Returns the differences between a plan and its merged plan, by the interpreter. `compared` counts the values.
std::string difference(const Plan& plan, const Plan& other, const Bindings& values, int lanes, long long records,
                       int& compared) {
    std::string found;
    const auto run = [&](const Plan& of) {
        PlanInterpreter machine(of, lanes, records, records);
        machine.bind(values);
        machine.run(PlanInterpreter::Order::plain);
        std::vector<Values> all = machine.outputs();
        for (const auto& list : {machine.parameters(), machine.states()})
            all.insert(all.end(), list.begin(), list.end());
        return all;
    };
    const std::vector<Values> expected = run(plan), got = run(other);
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t j = 0; j < expected[i].size(); ++j, ++compared)
            if (expected[i][j] != got[i][j] && !(std::isnan(expected[i][j]) && std::isnan(got[i][j])))
                found = sentence("tensor ", i, ", element ", j, ": expected ", expected[i][j], ", found ", got[i][j]);
    return found;
}

}  // namespace

TEST_CASE("maps within a loop are one kernel, and a product stores where its result would be copied") {
    for (const int lanes : {4, 8}) {
        const Plan plan = recurrence(lanes), one = merged(plan);
        INFO(to_text(one));
        REQUIRE(one.loops.size() == 2);
        CHECK(one.loops[0].end - one.loops[0].first == 3);  // two products and what is made of them
        CHECK(one.loops[1].end - one.loops[1].first == 2);
        CHECK(launches(one) == launches(plan) - 6 * 3);
    }
}

TEST_CASE("the steps of an LSTM are two launches a position, there and back") {
    struct Reader : Network<Input(64) + Embedding(65, 24) + LSTM(128) + Linear(65) + SoftmaxCE()> {};
    const auto plan = view_of<float>(detail::Step<Reader, Adam, float>::P::plan);
    const MergedPlan one = merge_maps(plan);
    for (const sigma::detail::PlannedLoop& loop : one.loops) CHECK(loop.end - loop.first == 2);
    CHECK(one.loops.size() == 2);
}

TEST_CASE("a map that needs other elements than its own of the one before stays a kernel") {
    const Plan plan = recurrence(8);
    const int loop_end = merged(plan).loops[0].end;
    for (int k = plan.loops[0].first; k < plan.loops[0].end; ++k) {
        if (plan.kernels[k].kind != Kernel::Kind::rows) continue;
        for (int a = 0; a < plan.kernels[k].arguments; ++a) {
            Plan moved = plan;
            moved.arguments[plan.kernels[k].argument + a].offset += 1;
            const Plan one = merged(moved);
            INFO("kernel " << k << ", argument " << a << "\n" << to_text(moved) << "merged\n" << to_text(one));
            const bool shared = [&] {  // does another map of the loop write or read the same buffer?
                for (int other = plan.loops[0].first; other < plan.loops[0].end; ++other)
                    for (int b = 0; other != k && plan.kernels[other].kind == Kernel::Kind::rows &&
                                    b < plan.kernels[other].arguments;
                         ++b) {
                        const auto &x = plan.arguments[plan.kernels[k].argument + a],
                                   &y = plan.arguments[plan.kernels[other].argument + b];
                        if (x.buffer == y.buffer && (x.written || y.written)) return true;
                    }
                return false;
            }();
            CHECK((one.loops[0].end > loop_end) == shared);
        }
    }
}

TEST_CASE("what a product does as an epilogue is not merged with what follows") {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 8>();
    const auto y = max(dot(x, r.parameter<8, 16>()) + r.parameter<16>(), 0.0);
    r.output(y);
    r.output(exp(r.input<batch, 16>() * r.parameter<16>()));  // over the loops of what is behind the product
    const Plan plan = sigma::detail::make_plan(p, 8);
    const auto epilogues = [](const Plan& of) {
        int n = 0;
        for (const sigma::detail::ProductForm& f : find_product_forms(view_of<double>(of)))
            n += f.epilogue == sigma::detail::ProductEpilogue::bias_relu;
        return n;
    };
    REQUIRE(epilogues(plan) == 1);
    CHECK(epilogues(merged(plan)) == 1);
}

TEST_CASE("merged plans compute what plans do") {
    int compared = 0, fewer = 0;
    for (unsigned seed = 1; seed <= 150; ++seed) {
        const RandomProgram random(seed);
        const int lanes = seed % 2 ? 4 : 8;
        const Plan plan = sigma::detail::make_plan(random.program(), lanes), one = merged(plan);
        fewer += one.kernels.size() < plan.kernels.size();
        for (const long long records : {1, 7}) {
            INFO("seed " << seed);
            CHECK(difference(plan, one, random.bindings(records, seed), lanes, records, compared) == "");
        }
    }
    CHECK(compared > 10'000);
    CHECK(fewer > 10);
}
