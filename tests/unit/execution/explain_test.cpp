// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/explain.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/sigma.hpp>

#include <support/thrown.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Net : Network<Input(4) + Dense(3, tanh) + Dense(2) + SoftmaxCE()> {};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> told(const char* words) {
    const Dataset data(Numbers{{4, 4}, std::vector<float>(16, 0.5f)}, Numbers{{4}, {0, 1, 1, 0}}, "points");
    Trainer<Net, GradientDescent> trainer("net", Net{}, {.learning_rate = 0.1}, minibatches(data, 2));
    std::vector<std::string> lines;
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    setenv("SIGMA_EXPLAIN", words, 1);
    try {
        trainer.run(cpu(), 1);
    } catch (...) {
        unsetenv("SIGMA_EXPLAIN");
        throw;
    }
    unsetenv("SIGMA_EXPLAIN");
    return lines;
}

}  // namespace

TEST_CASE("A network is explained by its tape, by what each pass finds, and by its plan") {
    const std::string tape = explain<Net>("tape"), plan = explain<Net>("plan"), passes = explain<Net>("passes");
    CHECK(explain<Net>() == tape + plan);
    CHECK(explain<Net>("plan,passes,tape") == tape + passes + plan);
    CHECK(has(tape, "tape:\n"));
    CHECK(has(tape, "(batch, 3) = tanh("));
    CHECK_FALSE(has(tape, "assign"));
    using P = sigma::detail::NetworkPlan<Net, sigma::detail::to_predict, float>;
    CHECK(plan == "plan:\n" + to_text(on_cpu::plan_of<P, float>()));
    for (const char* title :
         {"liveness:\n", "views:\n", "layout:\n", "fusion:\n", "lowering:\n", "schedule:\n", "memory:\n"})
        CHECK(has(passes, title));
}

TEST_CASE("A training step is explained with its optimizer, for any element type") {
    const std::string step = explain<Net, GradientDescent>();
    CHECK(has(step, "assign"));
    CHECK(step != explain<Net>());
    CHECK(explain<Net, Momentum>("tape") != explain<Net, GradientDescent>("tape"));
    CHECK(explain<Net, GradientDescent, double>("tape") == explain<Net, GradientDescent>("tape"));
}

TEST_CASE("What is asked to be explained is a list of words") {
    for (const char* words : {"", "plans", "tape,", "tape;plan", " tape"})
        CHECK(error_text<ArgumentError>([&] { explain<Net>(words); }) ==
              std::string("explain: expected tape, passes and plan, separated by commas, found '") + words + "'");
}

TEST_CASE("SIGMA_EXPLAIN shows the tape and the plan of each run") {
    CHECK(told("").empty());
    const auto both = told("tape,plan");
    REQUIRE(both.size() == 2);
    CHECK(has(both[0], "trainer 'net', the tape of predictions and losses:\n"));
    CHECK(has(both[0], "tanh("));
    CHECK(has(both[1], "trainer 'net', the plan of a step:\n"));
    CHECK(has(both[1], explain<Net, GradientDescent>("plan").substr(6)));
    CHECK(told("plan").size() == 1);
    CHECK(error_text<ArgumentError>([] { told("passes"); }) ==
          "environment variable SIGMA_EXPLAIN: expected tape and plan, separated by commas, found 'passes'");
}
