// SPDX-License-Identifier: BSL-1.0
// What functions take and give back: every kind of array, numbers, and the errors of wrong shapes.
#include <support/thrown.hpp>
#include "support.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xview.hpp>

#include <memory>
#include <string>
#include <thread>

using namespace sigma;
using namespace sigma::test;

namespace {
constexpr auto affine = evaluate([](auto x) { return 2.0 * x + 1.0; });
constexpr auto rows = evaluate([](auto x) { return sum(x, axis(1)); });

}  // namespace

TEST_CASE("arguments may be any array of xtensor", "[function]") {
    const xt::xtensor<float, 2> dense{{1, 2, 3}, {4, 5, 6}};
    const std::vector<double> wanted{6, 15};
    CHECK(flat(rows(shaped<batch, 3>(dense))) == wanted);
    CHECK(flat(rows(shaped<2, 3>(dense))) == wanted);
    const xt::xarray<float> dynamic = dense;
    CHECK(flat(rows(shaped<batch, 3>(dynamic))) == wanted);
    const xt::xtensor_fixed<float, xt::xshape<2, 3>> fixed{{1, 2, 3}, {4, 5, 6}};
    CHECK(flat(rows(fixed)) == wanted);  // its shape is in its type
    const xt::xtensor<float, 2, xt::layout_type::column_major> columns = dense;
    CHECK(flat(rows(shaped<batch, 3>(columns))) == wanted);
    const auto expression = dense + 0.0f;
    CHECK(flat(rows(shaped<batch, 3>(expression))) == wanted);
    const xt::xtensor<float, 2> wide{{1, 0, 2, 0, 3}, {4, 0, 5, 0, 6}};
    const auto strided = xt::view(wide, xt::all(), xt::range(0, 5, 2));
    CHECK(flat(rows(shaped<batch, 3>(strided))) == wanted);
    const auto turned = xt::transpose(xt::xtensor<float, 2>{{1, 4}, {2, 5}, {3, 6}});
    CHECK(flat(rows(shaped<batch, 3>(turned))) == wanted);
    const xt::xtensor<float, 3> stack{{{0, 0, 0}, {0, 0, 0}}, {{1, 2, 3}, {4, 5, 6}}};
    const auto part = xt::view(stack, 1, xt::all(), xt::all());
    CHECK(flat(rows(shaped<batch, 3>(part))) == wanted);
    const std::vector<float> memory{1, 2, 3, 4, 5, 6};
    const auto adapted = xt::adapt(memory, std::array<std::size_t, 2>{2, 3});
    CHECK(flat(rows(shaped<batch, 3>(adapted))) == wanted);
}

TEST_CASE("a view with a stride is not read as if it were dense", "[function]") {
    const xt::xtensor<float, 1> x{1, 2, 3, 4, 5, 6};
    CHECK(flat(affine(xt::xtensor<float, 1>(xt::view(x, xt::range(0, 6, 2))))) == std::vector<double>{3, 7, 11});
    const auto every_second = xt::view(x, xt::range(0, 6, 2));
    CHECK(flat(affine(shaped<batch>(every_second))) == std::vector<double>{3, 7, 11});
    const auto second_half = xt::view(x, xt::range(3, 6));
    CHECK(flat(affine(shaped<batch>(second_half))) == std::vector<double>{9, 11, 13});
    const auto backwards = xt::view(x, xt::range(5, xt::placeholders::_, -1));
    CHECK(flat(affine(shaped<batch>(backwards))) == std::vector<double>{13, 11, 9, 7, 5, 3});
    const xt::xtensor<float, 2> m{{1, 2}, {3, 4}, {5, 6}};
    const auto column = xt::view(m, xt::all(), 1);
    CHECK(flat(affine(shaped<batch>(column))) == std::vector<double>{5, 9, 13});
}

TEST_CASE("temporaries are arguments like any other", "[function]") {
    CHECK(flat(affine(xt::xtensor<float, 1>{1, 2, 3})) == std::vector<double>{3, 5, 7});
    CHECK(flat(rows(shaped<batch, 2>(xt::xtensor<double, 2>{{1, 2}, {3, 4}}))) == std::vector<double>{3, 7});
    const auto made = [] { return xt::xtensor<float, 1>{1, 2}; };
    CHECK(flat(affine(made())) == std::vector<double>{3, 5});
    CHECK(flat(affine(shaped<batch>(made() * 2.0f))) == std::vector<double>{5, 9});
}

TEST_CASE("arrays of whole numbers are computed in double", "[function]") {
    const xt::xtensor<int, 2> whole{{3, 4}, {5, 6}};
    const auto half = evaluate([](auto x) { return x / 2.0; });
    STATIC_REQUIRE(std::is_same_v<decltype(half(whole))::value_type, double>);
    CHECK(flat(half(whole)) == std::vector<double>{1.5, 2, 2.5, 3});
    CHECK(flat(half(shaped<2, 2>(whole))) == std::vector<double>{1.5, 2, 2.5, 3});
    const xt::xtensor<long, 1> large{16777217};
    const xt::xtensor<float, 1> one{1};
    CHECK(flat(evaluate([](auto x, auto y) { return x * y; })(large, one)) == std::vector<double>{16777217});
}
TEST_CASE("numbers are scalars", "[function]") {
    CHECK(affine(2.0) == 5.0);
    STATIC_REQUIRE(std::is_same_v<decltype(affine(2.0)), double>);
    STATIC_REQUIRE(std::is_same_v<decltype(affine(2.0f)), float>);
    CHECK(affine(2) == 5.0);  // an int is a double
    const xt::xtensor<float, 1> x{1, 2};
    const auto scaled = evaluate([](auto v, auto k) { return v * k; });
    CHECK(flat(scaled(x, 3.0f)) == std::vector<double>{3, 6});
    STATIC_REQUIRE(std::is_same_v<decltype(scaled(x, 3.0f)), xt::xtensor<float, 1>>);
    STATIC_REQUIRE(std::is_same_v<decltype(scaled(x, 3.0)), xt::xtensor<double, 1>>);  // the wider of the two
    const auto [dx, dk] = gradient([](auto v, auto k) { return sum(v * v) * k; })(x, 2.0f);
    CHECK(flat(dx) == std::vector<double>{4, 8});
    CHECK(dk == 5.0f);
}

TEST_CASE("results are arrays of their own", "[function]") {
    xt::xtensor<float, 1> x{1, 2, 3};
    auto [plain, again, flipped] = evaluate([](auto v) { return std::tuple{v, v, reshape(v, {-1, 1})}; })(x);
    STATIC_REQUIRE(std::is_same_v<decltype(plain), xt::xtensor<float, 1>>);
    x(0) = 100;
    plain(1) = 200;
    CHECK(flat(plain) == std::vector<double>{1, 200, 3});
    CHECK(flat(again) == std::vector<double>{1, 2, 3});
    CHECK(flat(flipped) == std::vector<double>{1, 2, 3});
    const auto first = affine(x);
    const auto second = affine(xt::xtensor<float, 1>{7, 7, 7});  // the same executor runs again
    CHECK(flat(first) == std::vector<double>{201, 5, 7});
    CHECK(flat(second) == std::vector<double>{15, 15, 15});
    x = affine(x);  // the result replaces its own argument
    CHECK(flat(x) == std::vector<double>{201, 5, 7});
    const auto constant = evaluate([](auto v) { return std::tuple{stop_gradient(v), v * 0.0 + 4.0}; })(x);
    x(0) = 0;
    CHECK(std::get<0>(constant)(0) == 201);
    CHECK(flat(std::get<1>(constant)) == std::vector<double>{4, 4, 4});
}

TEST_CASE("results go into arrays that are there", "[function]") {
    const xt::xtensor<float, 1> x{1, 2, 3};
    xt::xtensor<float, 1> y{0, 0, 0};
    const float* const there = y.data();
    affine.into(y)(x);
    CHECK(y.data() == there);
    CHECK(flat(y) == std::vector<double>{3, 5, 7});
    xt::xarray<float> other;  // of another shape
    affine.into(other)(x);
    CHECK(flat(other) == std::vector<double>{3, 5, 7});
    float value = 0;
    xt::xtensor<float, 1> slope;
    value_and_gradient([](auto v, auto k) { return sum(v * v) * k; }, wrt<0>).into(value, slope)(x, 2.0f);
    CHECK(value == 28);
    CHECK(flat(slope) == std::vector<double>{4, 8, 12});
    xt::xtensor<float, 2> wide(std::array<std::size_t, 2>{3, 2}, -1.0f);
    auto column = xt::view(wide, xt::all(), 0);
    CHECK(error_text<ShapeError>([&] { affine.into(column)(x); }) ==
          "result of into(...): expected shape (3), row-major without gaps, found shape (3) with gaps or column-major");
    auto row = xt::view(wide, 1, xt::all());
    affine.into(row)(xt::xtensor<float, 1>{4, 5});
    CHECK(flat(wide) == std::vector<double>{-1, -1, 9, 11, -1, -1});
    CHECK(error_text<ShapeError>([&] { affine.into(row)(x); }) ==
          "result of into(...): expected shape (3), row-major without gaps, found shape (2)");
    CHECK(error_text<ArgumentError>([&] { affine.into(y)(y); }) ==
          "result of into(...): expected memory apart from the arguments, found memory of an argument");
    xt::xtensor_fixed<float, xt::xshape<3>> fixed;
    affine.into(fixed)(x);
    CHECK(flat(fixed) == flat(affine(x)));
    xt::xtensor_fixed<float, xt::xshape<2>> too_short;
    CHECK(error_text<ShapeError>([&] { affine.into(too_short)(x); }) ==
          "result of into(...): expected shape (3), row-major without gaps, found shape (2)");
    affine.into(y)(y + 0.0f);  // an expression is computed before
    CHECK(flat(y) == std::vector<double>{7, 11, 15});
}

TEST_CASE("one program serves batches of every size, growing and shrinking", "[function]") {
    for (const std::size_t n : {3u, 100u, 1u, 5u, 1000u, 7u}) {
        const auto x = random<double, 2>(n, {n, 3});
        const auto r = evaluate([](auto v) { return std::tuple{mean(v), sum(tanh(v), axis(1))}; })(shaped<batch, 3>(x));
        double total = 0;
        for (double v : x) total += v;
        CHECK(std::get<0>(r) == Approx(total / static_cast<double>(3 * n)).epsilon(1e-12));
        CHECK(std::get<1>(r)(n - 1) ==
              Approx(std::tanh(x(n - 1, 0)) + std::tanh(x(n - 1, 1)) + std::tanh(x(n - 1, 2))));
    }
}

TEST_CASE("threads call the same function at once", "[function]") {
    constexpr auto f = value_and_gradient([](auto x) { return sum(exp(x) * tanh(x)); });
    const auto x = random<double, 1>(1, {257});
    const auto wanted = f(x);
    std::vector<int> wrong(2, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                const auto found = f(x);
                wrong[static_cast<std::size_t>(t)] +=
                    std::get<0>(found) != std::get<0>(wanted) || std::get<1>(found) != std::get<1>(wanted);
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == std::vector<int>{0, 0});
}

TEST_CASE("an array of another shape than promised is refused", "[function]") {
    const xt::xtensor<float, 2> m(std::array<std::size_t, 2>{10, 3});
    CHECK(error_text<ShapeError>([&] { rows(shaped<10, 4>(m)); }) ==
          "argument 0: expected shape (10, 4), found shape (10, 3)");
    CHECK(error_text<ShapeError>([&] { rows(shaped<batch, 4>(m)); }) ==
          "argument 0: expected shape (10, 4), found shape (10, 3)");
    const xt::xarray<float> dynamic = m;
    CHECK(error_text<ShapeError>([&] { rows(shaped<batch, 3, 1>(dynamic)); }) ==
          "argument 0: expected shape (batch, 3, 1), found shape (10, 3)");
    const auto add = evaluate([](auto x, auto y) { return x + y; });
    const auto sums = evaluate([](auto x, auto y) { return std::tuple{sum(x), sum(y)}; });
    const xt::xtensor<float, 1> five(std::array<std::size_t, 1>{5}), six(std::array<std::size_t, 1>{6});
    CHECK(error_text<ShapeError>([&] { add(five, six); }) == "argument 1: expected shape (5), found shape (6)");
    CHECK(error_text<ShapeError>([&] { sums(shaped<batch, 3>(m), shaped<-2>(five)); }) ==
          "argument 1: expected shape (20), found shape (5)");
    CHECK(error_text<ShapeError>([&] { affine(xt::xtensor<float, 1>{}); }) ==
          "argument 0: expected shape (batch), found shape (0)");
    const auto flatten_pairs = evaluate([](auto x) { return reshape(x, {batch, 2}); });
    CHECK(error_text<ShapeError>([&] { flatten_pairs(shaped<-2>(five)); }) ==
          "argument 0: expected shape (2*batch), found shape (5)");
    CHECK(flat(flatten_pairs(shaped<-2>(six))).size() == 6);
}
