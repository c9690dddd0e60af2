// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/table.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/group.hpp>
#include <sigma/optimizer/penalty.hpp>

#include <catch2/catch.hpp>
#include <support/direct_step.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

using namespace sigma;

namespace {

struct Two : Network<Input(3) + Dense(4, tanh) + Dense(2) + MeanSquaredError()> {};
struct Deep : Network<Input(3) + 30 * Dense(3, tanh) + MeanSquaredError()> {};
struct FirstFixed : Network<Input(3) + frozen(Dense(4, tanh)) + Dense(2) + MeanSquaredError()> {};
constexpr double x[] = {0.5, -1.0, 2.0, 1.5, 0.25, -0.75, -0.5, 1.0, 1.25, 2.0, -0.125, 0.375};
constexpr double y[] = {1.0, -2.0, 0.5, 0.25, -1.5, 1.0, 0.75, -0.5};

using Values = std::vector<std::vector<double>>;
Values values_of(Model<Two, double>& model) {
    Values all;
    for (int p = 0; p < Model<Two>::parameter_count; ++p)
        all.emplace_back(model.parameter(p).begin(), model.parameter(p).end());
    return all;
}
Values gradients_of(const Model<Two, double>& model) {
    Gradients<Two, double> gradients(model);
    const std::array<const double*, 1> inputs{x}, targets{y};
    gradients.run(inputs, targets, 4, 1);
    Values all;
    for (int p = 0; p < Model<Two>::parameter_count; ++p)
        all.emplace_back(gradients.values(p).begin(), gradients.values(p).end());
    return all;
}
std::string name_of(int p) { return std::string(detail::network_table<Two>.parameters[p].name.view()); }

/// Ten steps of `optimizer` beside `w[p][i] = move(t, p, i, w, g)` of a test's own.
void check_steps(auto optimizer, auto move) {
    Model<Two, double> model(3);
    sigma::test::DirectStep<Two, decltype(optimizer), double> take(model);
    Values w = values_of(model);
    for (std::uint64_t t = 1; t <= 10; ++t) {
        const Values g = gradients_of(model);
        take(optimizer, t, x, y, 4);
        const Values found = values_of(model);
        for (std::size_t p = 0; p < w.size(); ++p)
            for (std::size_t i = 0; i < w[p].size(); ++i) {
                w[p][i] = move(t, p, i, w[p][i], g[p][i]);
                INFO("step " << t << ", " << name_of(static_cast<int>(p)) << " " << i);
                CHECK(found[p][i] == Approx(w[p][i]).epsilon(0).margin(1e-12));
            }
    }
}

}  // namespace

TEST_CASE("Groups take the steps of the optimizer with their numbers") {
    const auto optimizer = group<"1-dense.*">(
        group<"2-dense.biases">(AdamW{.learning_rate = 0.02, .weight_decay = 0.3}, {.decay_factor = 0}),
        {.rate_factor = 0.1, .decay_factor = 2});
    Values m(4, std::vector<double>(12)), v = m;
    check_steps(optimizer, [&](std::uint64_t t, std::size_t p, std::size_t i, double w, double g) {
        const std::string name = name_of(static_cast<int>(p));
        const bool first = name.starts_with("1-");
        const double rate = first ? 0.002 : 0.02, decay = first ? 0.6 : name == "2-dense.biases" ? 0 : 0.3;
        m[p][i] = 0.9 * m[p][i] + 0.1 * g;
        v[p][i] = 0.999 * v[p][i] + 0.001 * g * g;
        const double power = static_cast<double>(t);
        const double direction =
            m[p][i] / (1 - std::pow(0.9, power)) / (std::sqrt(v[p][i] / (1 - std::pow(0.999, power))) + 1e-8);
        return w - rate * direction - rate * decay * w;
    });
}

TEST_CASE("A group that changes nothing changes no bit, and follows the rate of the optimizer") {
    Model<Two, double> plain(3), grouped(3);
    sigma::test::DirectStep<Two, AdamW, double> take(plain);
    auto optimizer = group<"*.biases">(AdamW{}, {});
    sigma::test::DirectStep<Two, decltype(optimizer), double> take_grouped(grouped);
    for (std::uint64_t t = 1; t <= 5; ++t) {
        optimizer.learning_rate = 0.01 * static_cast<double>(t);
        CHECK(take({.learning_rate = optimizer.learning_rate}, t, x, y, 4) == take_grouped(optimizer, t, x, y, 4));
        CHECK(values_of(plain) == values_of(grouped));
    }
}

TEST_CASE("Numbers of groups have names, and clipping goes around groups or is in them") {
    const auto inner = group<"1-*">(clip_gradient_norm(Momentum{.learning_rate = 0.1}, 0.2), {.rate_factor = 0.5});
    const auto outer = clip_gradient_norm(group<"1-*">(Momentum{.learning_rate = 0.1}, {.rate_factor = 0.5}), 0.2);
    std::set<std::string> names;
    for_each_field(outer, [&](std::string_view name, double) { names.emplace(name); });
    CHECK(names == std::set<std::string>{"learning_rate", "momentum", "norm_limit", "group1_rate_factor"});
    const auto examine = [](const auto& optimizer) {
        Values v(4, std::vector<double>(12)), g;
        double norm = 0;
        Model<Two, double> model(3);
        sigma::test::DirectStep<Two, std::remove_cvref_t<decltype(optimizer)>, double> take(model);
        for (std::uint64_t t = 1; t <= 5; ++t) {
            Values w = values_of(model);
            g = gradients_of(model), norm = 0;
            for (const auto& each : g)
                for (const double d : each) norm += d * d;
            norm = std::sqrt(norm);
            take(optimizer, t, x, y, 4);
            const Values found = values_of(model);
            for (std::size_t p = 0; p < w.size(); ++p)
                for (std::size_t i = 0; i < w[p].size(); ++i) {
                    v[p][i] = 0.9 * v[p][i] - (p < 2 ? 0.05 : 0.1) * g[p][i] * std::min(1.0, 0.2 / norm);
                    CHECK(found[p][i] == Approx(w[p][i] + v[p][i]).epsilon(0).margin(1e-12));
                }
        }
    };
    examine(inner);
    examine(outer);
}

TEST_CASE("Penalties are what is minimized, and its gradient is that of differences") {
    constexpr double l1 = 0.3, l2 = 0.7;
    const auto optimizer =
        l2_penalty<"1-dense.*">(l1_penalty<"*.weights">(GradientDescent{.learning_rate = 1}, l1), l2);
    Model<Two, double> model(5);
    sigma::test::DirectStep<Two, GradientDescent, double> stay(model);
    const auto objective = [&] {
        double sum = stay({.learning_rate = 0}, 1, x, y, 4), first = 0, absolute = 0;
        for (int p = 0; p < Model<Two>::parameter_count; ++p)
            for (const double w : model.parameter(p)) {
                if (name_of(p).starts_with("1-dense.")) first += w * w;
                if (name_of(p).ends_with(".weights")) absolute += std::abs(w);
            }
        return sum + 0.5 * l2 * first + l1 * absolute;
    };
    const Values before = values_of(model);
    Values differences = before;
    for (int p = 0; p < Model<Two>::parameter_count; ++p) {
        std::size_t i = 0;
        for (double& w : model.parameter(p)) {
            const double kept = w, h = 1e-6;
            w = kept + h;
            const double above = objective();
            w = kept - h;
            const double below = objective();
            w = kept;
            differences[static_cast<std::size_t>(p)][i++] = (above - below) / (2 * h);
        }
    }
    sigma::test::DirectStep<Two, std::remove_cvref_t<decltype(optimizer)>, double> take(model);
    take(optimizer, 1, x, y, 4);
    const Values after = values_of(model);
    for (std::size_t p = 0; p < after.size(); ++p)
        for (std::size_t i = 0; i < after[p].size(); ++i) {
            // The biases begin at 0, where |w| has no derivative; they have no such penalty.
            CHECK(before[p][i] - after[p][i] == Approx(differences[p][i]).epsilon(0).margin(1e-7));
        }
}

TEST_CASE("What is frozen keeps its bits, has no states and is not differentiated") {
    const auto optimizer = frozen<"1-*">(AdamW{.learning_rate = 0.1});
    using O = std::remove_cvref_t<decltype(optimizer)>;
    Model<Two, double> model(3);
    Model<FirstFixed, double> fixed(3);
    sigma::test::DirectStep<Two, O, double> take(model);
    sigma::test::DirectStep<FirstFixed, AdamW, double> take_fixed(fixed);
    CHECK(take.state_table().size() == 4);
    const Values before = values_of(model);
    for (std::uint64_t t = 1; t <= 5; ++t)
        CHECK(take(optimizer, t, x, y, 4) == take_fixed({.learning_rate = 0.1}, t, x, y, 4));
    const Values after = values_of(model);
    CHECK(after[0] == before[0]);
    CHECK(after[1] == before[1]);
    CHECK(after[2] != before[2]);
    for (std::size_t i = 0; i < after[2].size(); ++i) CHECK(fixed.parameter(2)(i / 2, i % 2) == after[2][i]);

    constexpr auto& plan = detail::Planned<detail::TrainingProgram<Two, O>, 8>::plan;
    constexpr auto& of_fixed = detail::Planned<detail::TrainingProgram<FirstFixed, AdamW>, 8>::plan;
    constexpr auto& of_all = detail::Planned<detail::TrainingProgram<Two, AdamW>, 8>::plan;
    static_assert(plan.kernels.size() == of_fixed.kernels.size() && plan.kernels.size() < of_all.kernels.size());
}

TEST_CASE("Patterns that match nothing, and parameters in two groups, are refused by name") {
    Model<Two, double> model;
    const auto make = [&](auto optimizer) { sigma::test::DirectStep<Two, decltype(optimizer), double> take(model); };
    constexpr const char* names =
        "a match among the parameters '1-dense.weights', '1-dense.biases', "
        "'2-dense.weights', '2-dense.biases', found no match";
    CHECK_THROWS_WITH(make(group<"*.bias">(AdamW{}, {})),
                      "group '*.bias' of the optimizer: expected " + std::string(names));
    CHECK_THROWS_WITH(make(frozen<"3-*">(AdamW{})), "frozen '3-*' of the optimizer: expected " + std::string(names));
    CHECK_THROWS_WITH(make(l1_penalty<"w*">(AdamW{}, 1)),
                      "l1_penalty 'w*' of the optimizer: expected " + std::string(names));
    CHECK_THROWS_WITH(make(l2_penalty<"w*">(clip_gradient_norm(AdamW{}, 1), 1)),
                      "l2_penalty 'w*' of the optimizer: expected " + std::string(names));
    CHECK_THROWS_AS(make(frozen<"1-*">(group<"*.bias">(AdamW{}, {}))), ArgumentError);
    CHECK_THROWS_WITH(make(group<"1-*">(group<"*.biases">(AdamW{}, {}), {})),
                      "group '1-*' of the optimizer: expected parameters outside of other groups, found "
                      "'1-dense.biases' in group '*.biases'");
    CHECK_NOTHROW(make(group<"1-*">(group<"2-*">(AdamW{}, {}), {})));
}

TEST_CASE("Penalties of one kind around each other have names and numbers of their own") {
    const auto both = l2_penalty<"1-*">(l2_penalty<"2-*">(GradientDescent{.learning_rate = 0.1}, 0.25), 0.5);
    std::vector<std::string> names;
    for_each_field(both, [&](std::string_view name, const double& value) {
        names.push_back(std::string(name) + (value == 0.25 ? " inner" : value == 0.5 ? " outer" : ""));
    });
    CHECK(names == std::vector<std::string>{"learning_rate", "l2 inner", "l2_2 outer"});
    check_steps(both, [](std::uint64_t, std::size_t p, std::size_t, double w, double g) {
        return w - 0.1 * (g + (name_of(static_cast<int>(p)).starts_with("1-") ? 0.5 : 0.25) * w);
    });
}

TEST_CASE("A pattern without a match names parameters as far as a line has room") {
    Model<Deep, double> model(1);
    const auto optimizer = frozen<"x">(Momentum{});
    const std::string text = error_text<ArgumentError>(
        [&] { sigma::test::DirectStep<Deep, std::remove_const_t<decltype(optimizer)>, double> take(model); });
    CHECK(text.size() < 300);
    CHECK(
        text.starts_with("frozen 'x' of the optimizer: expected a match among the parameters '1-dense.weights', "
                         "'1-dense.biases', '2-dense.weights'"));
    CHECK(text.find(" more, found no match") != std::string::npos);
    CHECK(detail::pattern_without_match("9-*", detail::network_table<Two>) ==
          "'9-*'; parameters: '1-dense.weights', '1-dense.biases', '2-dense.weights', '2-dense.biases'");
}
