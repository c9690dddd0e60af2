// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/inspect.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/xtensor.hpp>

#include <support/captured_stderr.hpp>

#include <catch2/catch.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace sigma;

namespace {

struct Scores : Network<Input(2, 3) + Dropout(0.5f) + Dense(5, tanh) + Dense(3) + SoftmaxCE()> {};
struct Line : Network<Input(3) + Dense(2) + SquaredDiff()> {};

template <class T>
xt::xarray<T> inputs(std::size_t records) {
    xt::xarray<T> x = xt::xarray<T>::from_shape({records, 2, 3});
    Philox(9, RandomUse::user, 0).fill_normal(std::span<T>(x.data(), x.size()));
    return x;
}

/// Equal in shape and in every element.
bool same_elements(const auto& a, const auto& b) { return Array<double>(a) == Array<double>(b); }

}  // namespace

TEST_CASE("A program that nobody optimized says so once, when it makes a model") {
#if defined(__OPTIMIZE__) || defined(SIGMA_COMPILED)
    const std::ptrdiff_t wanted = 0;
#else
    const std::ptrdiff_t wanted = 1;
#endif
    const char* const quiet = std::getenv("SIGMA_UNOPTIMIZED");
    ::unsetenv("SIGMA_UNOPTIMIZED");
    const test::CapturedStderr captured;
    detail::exchange_slowness_reported(false);
    Model<Line>();
    Model<Line>();
    CHECK(std::ranges::count(captured.text(), '\n') == wanted);
    CHECK((captured.text().find("CMAKE_BUILD_TYPE=Release") != std::string::npos) == (wanted == 1));
    detail::exchange_slowness_reported(false);
    ::setenv("SIGMA_UNOPTIMIZED", "1", 1);
    Model<Line>();
    CHECK(std::ranges::count(captured.text(), '\n') == wanted);
    if (quiet == nullptr) ::unsetenv("SIGMA_UNOPTIMIZED");
}

TEST_CASE("A model shows its network") {
    CHECK(summary(Model<Line>()) == summary<Line>());
    CHECK(summary(Model<Line, double>()) == summary<Line, double>());
    CHECK(graphviz(Model<Line>()) == graphviz<Line>());
    const auto made = network(Input(3) + Dense(2) + SquaredDiff());
    CHECK(summary(Model(made)) == summary(made));
    CHECK(summary(Model<DynamicNetwork, double>(made)) == summary<DynamicNetwork, double>(made));
    CHECK(graphviz(Model(made)) == graphviz(made));
}

TEST_CASE("The summary is a table") {
    // How much room the arena leaves for whole vectors depends on the processor.
    const std::string arena = std::to_string(Model<Line>().prediction_bytes(1)) + " arena";
    const std::string fused = on_cpu::interprets<detail::NetworkPlan<Line, detail::to_predict, float>>()
                                  ? "interpreted"
                                  : sentence("fused code: ", on_cpu::lanes<float>);
    CHECK(sentence("\n", summary<Line>()) == sentence(R"(
layer             output                  parameters  bytes/record   multiply-adds
----------------------------------------------------------------------------------
0-input           (batch, 3)                       0            12               0
1-dense           (batch, 2)                       8             8               6
2-squared_diff    ()                               0             4               0
----------------------------------------------------------------------------------
total                                              8)",
                                                      std::string(14 - arena.size(), ' '), arena, R"(               6
kernels: )",
                                                      on_cpu::kernels<float>().instructions, ", ",
                                                      on_cpu::kernels<float>().lanes, " elements at a time; ", fused,
                                                      "\n"));
    CHECK(summary(Scores{}).find("1-dropout         (batch, 2, 3)                    0            24") !=
          std::string::npos);
    CHECK(
        summary(Scores{}).find("2-dense           (batch, 5)                      35            20              30") !=
        std::string::npos);
}

TEST_CASE("Parameters are read and written by name and by position, and predict uses them") {
    Model<Line> model;
    CHECK(model.parameter_count == 2);
    CHECK(model.parameter_elements() == 8);
    CHECK(model.find_parameter("1-dense.biases") == 1);
    CHECK(model.find_parameter("1-dense.bias") == -1);
    model.parameter<"1-dense.weights">() = xt::xtensor<float, 2>{{1, 2}, {3, 4}, {5, 6}};
    model.parameter(1) = xt::xtensor<float, 1>{10, 20};
    model.parameter(0)(2, 1) = 7;
    CHECK(same_elements(model.parameter(0), xt::xtensor<float, 2>{{1, 2}, {3, 4}, {5, 7}}));
    CHECK(same_elements(model.parameter<"1-dense.biases">(), xt::xtensor<float, 1>{10, 20}));
    const xt::xtensor<float, 2> x = {{1, 0, 0}, {1, 1, 1}};
    CHECK(same_elements(model.predict(x), xt::xtensor<float, 2>{{11, 22}, {19, 33}}));
    CHECK(same_elements(model.predict(2.0f * x), xt::xtensor<float, 2>{{12, 24}, {28, 46}}));  // an expression
    to_xtensor(model.parameter(0)) *= 2.0f;
    model.parameter(1).fill(0);
    CHECK(same_elements(model.predict(x), xt::xtensor<float, 2>{{2, 4}, {18, 26}}));
    model.parameter(0).fill(1);  // the rows are padded: neighbours stay as they are
    CHECK(same_elements(model.parameter(1), xt::xtensor<float, 1>{0, 0}));
    CHECK(same_elements(model.predict(x), xt::xtensor<float, 2>{{1, 1}, {3, 3}}));
    CHECK_THROWS_WITH((model.parameter(0) = xt::xtensor<float, 2>{{1, 2, 3}}),
                      "assignment to an array: expected shape (3, 2), found shape (1, 3)");
    CHECK_THROWS_WITH(model.parameter(2), "parameter of the network: expected a position from 0 to 1, found 2");
    CHECK_THROWS_AS(model.parameter(-1), ArgumentError);
}

TEMPLATE_TEST_CASE("A batch of any size says of each record what the record alone says", "", float, double) {
    Model<Scores, TestType> model(3);
    const auto x = inputs<TestType>(600);
    xt::xarray<TestType> alone = xt::xarray<TestType>::from_shape({600, 3});
    for (std::size_t i = 0; i < 600; ++i) model.predict(x.data() + 6 * i, alone.data() + 3 * i, 1);
    for (std::size_t i = 0; i < 600; ++i) {
        const TestType* row = alone.data() + 3 * i;
        CHECK(static_cast<double>(row[0] + row[1] + row[2]) == Approx(1));
    }
    for (const std::size_t n : {600u, 513u, 512u, 257u, 256u, 255u, 33u, 17u, 5u, 2u}) {
        const xt::xarray<TestType> part = xt::view(x, xt::range(std::size_t{0}, n));
        const auto together = model.predict(part);
        CHECK(together.shape(0) == n);
        CHECK(together.shape(1) == 3);
        CHECK(together == Array<TestType>(xt::view(alone, xt::range(std::size_t{0}, n))));
    }
}

TEMPLATE_TEST_CASE("A batch that is cut to the size of the cache says the same", "", float, double) {
    const Model<Scores, TestType> model(5);
    constexpr std::size_t records = 20000, few = 77;
    const auto x = inputs<TestType>(records);
    const auto all = model.predict(x);
    for (const std::size_t first : {std::size_t{0}, std::size_t{4032}, std::size_t{13333}, records - few}) {
        const auto part = model.predict(xt::view(x, xt::range(first, first + few)));
        bool equal_bits = true;
        for (std::size_t i = 0; i < few; ++i)
            for (std::size_t j = 0; j < 3; ++j) equal_bits = equal_bits && part(i, j) == all(first + i, j);
        CHECK(equal_bits);
    }
}

TEST_CASE("A model and a program for vectors of different lengths are refused") {
    // As where two files of one program are compiled with different -march.
    const detail::ModelStore<float> other(detail::network_table<Scores>, 2 * on_cpu::lanes<float>);
    using P = detail::Planned<detail::NetworkProgram<Scores, detail::to_predict>, on_cpu::lanes<float>>;
    try {
        detail::ModelSession<float>(on_cpu::compiled_program<P, float>, other);
        FAIL("bound");
    } catch (const MismatchError& e) {
        CHECK(std::string(e.what()) == sentence("parts of a program that use one model: expected the same -march for "
                                                "all of them, found a model for vectors of ",
                                                2 * on_cpu::lanes<float>, " elements and a plan for ",
                                                on_cpu::lanes<float>));
    }
}

TEST_CASE("Inputs of the wrong shape are refused") {
    Model<Scores> model;
    CHECK_THROWS_WITH(model.predict(xt::zeros<float>({4, 3, 2})),
                      "inputs of the network: expected shape (records, 2, 3), found shape (4, 3, 2)");
    CHECK_THROWS_WITH(model.predict(xt::zeros<float>({4, 6})),
                      "inputs of the network: expected shape (records, 2, 3), found shape (4, 6)");
    CHECK_THROWS_WITH(model.predict(xt::zeros<float>({0, 2, 3})),
                      "inputs of the network: expected shape (records, 2, 3) with at least one record, found no "
                      "records, shape (0, 2, 3)");
    Inspection<Scores> look(model);
    CHECK_THROWS_WITH(look.run(inputs<float>(4), xt::zeros<float>({3})),
                      "targets of the network: expected 4 numbers, found shape (3)");
}

TEST_CASE("An inspection shows outputs and gradients, which finite differences confirm") {
    Model<Scores, double> model(2);
    const auto x = inputs<double>(7);
    const xt::xtensor<double, 1> y = {0, 2, 1, 1, 0, 2, 2};
    Inspection<Scores, double> look(model);
    const double found_loss = look.run(x, y);
    CHECK(found_loss == Approx(model.evaluate(x.data(), y.data(), 7).error).epsilon(1e-14));
    CHECK(same_elements(look.output<"0-input">(), x));
    CHECK(same_elements(look.output<"1-dropout">(), x));  // off
    CHECK(look.output(2).shape(1) == 5);

    // softmax of the last output is the prediction
    const auto z = look.output(3);
    const auto p = model.predict(x);
    for (std::size_t i = 0; i < 7; ++i) CHECK(std::exp(z(i, 1) - z(i, 0)) == Approx(p(i, 1) / p(i, 0)));

    for (int k = 0; k < model.parameter_count; ++k) {
        const auto gradient = look.gradient(k);
        auto w = model.parameter(k);
        auto g = gradient.begin();
        for (auto& element : w) {
            constexpr double h = 1e-5;
            const double before = element;
            element = before + h;
            const double up = model.evaluate(x.data(), y.data(), 7).error;
            element = before - h;
            const double down = model.evaluate(x.data(), y.data(), 7).error;
            element = before;
            CHECK(*g++ == Approx((up - down) / (2 * h)).epsilon(1e-6).margin(1e-9));
        }
    }
    CHECK(same_elements(look.gradient<"3-dense.biases">(), look.gradient(3)));
    CHECK_THROWS_WITH(look.output(4), "layer of the network: expected a position from 0 to 3, found 4");
}

TEST_CASE("A model that is const gives its parameters to read, and models are equal where all parameters are") {
    Model<Scores> model(3);
    const Model<Scores>& constant = model;
    static_assert(std::is_same_v<decltype(constant.parameter(0)), ArrayView<const float>>);
    static_assert(std::is_same_v<decltype(constant.parameter<"2-dense.weights">()), ArrayView<const float>>);
    CHECK(same_elements(constant.parameter<"2-dense.weights">(), model.parameter<"2-dense.weights">()));
    CHECK_THROWS_AS(constant.parameter(99), ArgumentError);

    Model<Scores> twin(3), other(4);
    CHECK(model == twin);
    CHECK(model == model);
    CHECK(model != other);
    twin.parameter<"3-dense.biases">().fill(0.5f);
    CHECK(model != twin);
    model.parameter<"3-dense.biases">().fill(0.5f);
    CHECK(model == twin);
    model.parameter<"3-dense.biases">().fill(std::numeric_limits<float>::quiet_NaN());
    CHECK(model != model);
}
