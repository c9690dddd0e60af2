// SPDX-License-Identifier: BSL-1.0
// Functions that are traced while the program runs: of arrays whose extents the compiler does not know, and with what
// they capture.
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

using Matrix = xt::xtensor<double, 2>;
using Vector = xt::xtensor<double, 1>;

Matrix matrix(std::size_t rows, std::size_t columns, double seed) {
    Matrix m({rows, columns});
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < columns; ++k)
            m(i, k) = std::sin(seed + 1.7 * static_cast<double>(i) + 0.9 * static_cast<double>(k));
    return m;
}

constexpr auto mean_square = [](auto x, auto w, auto b) { return mean(square(tanh(dot(x, w) + b))); };

double by_hand_of(const Matrix& x, const Matrix& w, const Vector& b) {
    double total = 0;
    for (std::size_t i = 0; i < x.shape()[0]; ++i)
        for (std::size_t k = 0; k < w.shape()[1]; ++k) {
            double z = b(k);
            for (std::size_t j = 0; j < w.shape()[0]; ++j) z += x(i, j) * w(j, k);
            total += std::tanh(z) * std::tanh(z);
        }
    return total / static_cast<double>(x.shape()[0] * w.shape()[1]);
}

}  // namespace

TEST_CASE("Gradients of arrays as they come are those by differences", "[function]") {
    const auto f = value_and_gradient(mean_square);
    for (const std::size_t n : {1u, 2u, 7u, 8u, 9u, 17u}) {
        const std::size_t in = 1 + n % 5, out = 1 + n % 3;
        Matrix x = matrix(n, in, 0.1), w = matrix(in, out, 0.2);
        Vector b = xt::linspace<double>(-1, 1, out);
        const auto [value, dx, dw, db] = f(x, w, b);
        static_assert(std::is_same_v<std::remove_const_t<decltype(value)>, double>);
        CHECK(value == Approx(by_hand_of(x, w, b)).epsilon(1e-12));
        REQUIRE((dw.shape()[0] == in && dw.shape()[1] == out && db.size() == out && dx.size() == n * in));
        const auto difference = [&](double& at) {
            const double was = at, step = 1e-5;
            at = was + step;
            const double above = by_hand_of(x, w, b);
            at = was - step;
            const double below = by_hand_of(x, w, b);
            at = was;
            return (above - below) / (2 * step);
        };
        for (std::size_t i = 0; i < in; ++i)
            for (std::size_t k = 0; k < out; ++k) CHECK(dw(i, k) == Approx(difference(w(i, k))).margin(1e-8));
        for (std::size_t k = 0; k < out; ++k) CHECK(db(k) == Approx(difference(b(k))).margin(1e-8));
        CHECK(dx(n - 1, 0) == Approx(difference(x(n - 1, 0))).margin(1e-8));
    }
}

TEST_CASE("What is traced now is what the compiler traces", "[function]") {
    const Matrix x = matrix(3, 4, 1), w = matrix(4, 2, 2);
    const Vector b = xt::ones<double>({2});
    const auto f = value_and_gradient(mean_square);
    const auto [value, dx, dw, db] = f(x, w, b);
    const auto [known, known_dx, known_dw, known_db] = f(shaped<3, 4>(x), shaped<4, 2>(w), shaped<2>(b));
    CHECK(value == Approx(known).epsilon(1e-14));
    for (std::size_t i = 0; i < dw.size(); ++i) CHECK(dw.data()[i] == Approx(known_dw.data()[i]).epsilon(1e-13));
}

TEST_CASE("Functions may capture", "[function]") {
    double k = 3;
    const auto f = evaluate([k](auto a) { return k * exp(-a) + a; });
    const Vector a = xt::arange<double>(5), one = xt::ones<double>({1});
    const auto y = f(a);
    for (std::size_t i = 0; i < 5; ++i) CHECK(y(i) == Approx(3 * std::exp(-a(i)) + a(i)));
    CHECK(f(one)(0) == Approx(3 * std::exp(-1.0) + 1));  // vectors of any length are one program
    const auto g = gradient([k](auto x) { return sum(k * x * x * x); });
    const auto d = g(a);
    for (std::size_t i = 0; i < 5; ++i) CHECK(d(i) == Approx(9 * a(i) * a(i)));
    // Of one number.
    CHECK(gradient([k](auto x) { return k * x * x; })(2.0)() == Approx(12));
    // Whether it is traced is decided by what it is given, and not by what it captures: float stays float.
    const xt::xtensor<float, 1> narrow = xt::arange<float>(4);
    static_assert(std::is_same_v<decltype(f(narrow))::value_type, float>);
    CHECK(f(narrow)(2) == Approx(3 * std::exp(-2.0) + 2).epsilon(1e-6));
}

TEST_CASE("What is captured by reference is read when the function is traced", "[function]") {
    double k = 2;
    const auto f = evaluate([&k](auto a) { return k * a; });
    const Vector a = xt::ones<double>({3});
    CHECK(f(a)(0) == 2);
    k = 5;
    CHECK(f(a)(0) == 2);
    CHECK(evaluate([&k](auto x) { return k * x; })(a)(0) == 5);
}

TEST_CASE("Functions that capture nest, and are differentiated", "[function]") {
    const double k = 3;
    const auto g = gradient([k](auto x) { return sum(k * x * x); });
    const auto outer = evaluate([&g](auto x) {
        const auto gx = g(x);
        return sum(gx * gx);
    });
    const Vector a = xt::arange<double>(4);
    CHECK(outer(a)() == Approx(36 * (0 + 1 + 4 + 9)));
    const auto second = gradient([&g](auto x) { return sum(g(x)); });
    CHECK(second(a)(1) == Approx(6));
}

TEST_CASE("Several results, and arrays of any rank", "[function]") {
    const auto f = evaluate([](auto x, auto y) { return std::tuple{x + y, sum(x * y, axis(1)), sum(x)}; });
    const Matrix x = matrix(3, 4, 1), y = matrix(3, 4, 2);
    const auto [added, products, total] = f(x, y);
    CHECK((added.dimension() == 2 && products.dimension() == 1 && total.dimension() == 0));
    CHECK(added(2, 3) == x(2, 3) + y(2, 3));
    double by_hand = 0;
    for (std::size_t k = 0; k < 4; ++k) by_hand += x(1, k) * y(1, k);
    CHECK(products(1) == Approx(by_hand));
    const xt::xarray<double> deep = xt::ones<double>({2, 3, 2, 2});
    CHECK(evaluate([](auto a) { return sum(a); })(deep)() == 24);
    CHECK(evaluate([](auto a) { return sum(a, axis(0)); })(xt::xarray<double>(x + y))(3) ==
          Approx(x(0, 3) + y(0, 3) + x(1, 3) + y(1, 3) + x(2, 3) + y(2, 3)));
}

TEST_CASE("Mistakes are sentences with the line of the formula", "[function]") {
    const Matrix x = matrix(3, 4, 1);
    const int line = __LINE__ + 1;
    const auto product = evaluate([](auto a, auto b) { return dot(a, b); });
    const std::string said = error_text([&] { product(x, x); });
    CHECK_THAT(said, Contains("dot") && Contains("4") && Contains("3") && Contains(sentence("line ", line)));
    CHECK_THROWS_AS(product(x, x), MistakeError);
    CHECK(product(x, Matrix(matrix(4, 2, 1)))(0, 0) != 0);                     // others go on
    CHECK_THROWS_AS(gradient([](auto a) { return a + a; })(x), MistakeError);  // no number
    const Matrix none(std::array<std::size_t, 2>{0, 4});
    CHECK_THROWS_AS(evaluate([](auto a) { return a; })(none), ShapeError);
    const xt::xarray<double> deep = xt::ones<double>({1, 1, 1, 1, 1, 1, 1});
    CHECK_THROWS_AS(evaluate([](auto a) { return a; })(deep), ShapeError);
}

TEST_CASE("Programs are kept for the last shapes", "[function]") {
    int traced = 0;
    const auto f = evaluate([&traced](auto a) {
        ++traced;
        return a + 1.0;
    });
    const auto call = [&](std::size_t n) {
        const Matrix m = matrix(n, 2, 0);
        CHECK(f(m)(n - 1, 1) == m(n - 1, 1) + 1);
    };
    for (std::size_t n = 1; n <= 16; ++n) call(n);
    CHECK(traced == 16);
    for (std::size_t n = 1; n <= 16; ++n) call(n);
    CHECK(traced == 16);
    call(17);  // the one that was not used longest goes
    call(2);
    CHECK(traced == 17);
    call(1);
    CHECK(traced == 18);
}

TEST_CASE("Threads may call the same function", "[function]") {
    const double k = 2;
    const auto captured = gradient([k](auto x) { return sum(k * x * x); });
    const auto plain = evaluate([](auto x) { return sum(x, axis(1)); });
    std::vector<std::thread> threads;
    std::vector<char> right(4);
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            bool fine = true;
            for (std::size_t i = 1; i < 30; ++i) {
                const Matrix x = matrix(1 + (i + t) % 5, 3, static_cast<double>(t));
                fine = fine && captured(x)(0, 1) == 4 * x(0, 1);
                fine = fine && std::abs(plain(x)(0) - (x(0, 0) + x(0, 1) + x(0, 2))) < 1e-12;
            }
            right[t] = fine;
        });
    for (std::thread& t : threads) t.join();
    for (const char each : right) CHECK(each == 1);
}

TEST_CASE("Results of traced functions go into arrays that are there", "[function]") {
    const Matrix x = matrix(5, 3, 0.1), w = matrix(3, 2, 0.2);
    const double scale = 3;
    const auto f = evaluate([scale](Tensor a, Tensor b) { return std::tuple{dot(a, b) * scale, sum(a)}; });
    const auto [wanted, total] = f(x, w);
    xt::xarray<double> y;
    Matrix fixed({5, 2});
    const double* const memory = fixed.data();
    double number = 0;
    f.into(y, number)(x, w);
    CHECK((y == wanted && number == total()));
    f.into(fixed, number)(x, w);
    CHECK((fixed == wanted && fixed.data() == memory));
    // What has other extents becomes as large as it has to be; and functions that capture nothing.
    const auto plain = evaluate([](Tensor a, Tensor b) { return dot(a, b); });
    Matrix other({1, 1});
    plain.into(other)(x, w);
    CHECK(xt::allclose(other * scale, wanted));
    plain.into(y)(matrix(2, 3, 0.3), w);
    CHECK(y.shape()[0] == 2);

    Vector vector = xt::zeros<double>({5});
    CHECK(error_text<ShapeError>([&] { plain.into(vector)(x, w); }) ==
          "result of into(...): expected shape (5, 2), row-major without gaps, found shape (5)");
    CHECK_THAT(error_text<ShapeError>([&] { plain.into(number)(x, w); }),
               Contains("shape (5, 2)") && Contains("a number"));
    Matrix square = matrix(3, 3, 0.4);
    CHECK(error_text<ArgumentError>([&] { plain.into(square)(square, square); }) ==
          "result of into(...): expected memory apart from the arguments, found memory of an argument");
}

TEST_CASE("Arrays of any extents have records", "[function]") {
    // y[t] = 0.5·y[t-1] + x[t] in each record, for any number of records, positions and columns.
    const auto decayed = [](auto x, auto w) {
        const int columns = x.shape().last();
        return scan(x * w, filled(x, 0, {batch, columns}), [](auto now, auto before) { return 0.5 * before + now; });
    };
    const auto f = evaluate(decayed);
    const auto total = gradient([decayed](Tensor x, Tensor w) { return sum(decayed(x, w)); }, wrt<1>);
    for (const std::size_t records : {1u, 3u, 40u})
        for (const std::size_t columns : {2u, 5u}) {
            xt::xtensor<double, 3> x({records, 4, columns});
            for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(double(i));
            const xt::xtensor<double, 1> w = 2 * xt::ones<double>({columns});
            const xt::xarray<double> y = f(batched(x), w);
            REQUIRE(y.shape() == xt::xarray<double>::shape_type{records, 4, columns});
            const xt::xarray<double> slope = total(batched(x), w);
            for (std::size_t c = 0; c < columns; ++c) {
                double sum_of_slopes = 0;
                for (std::size_t r = 0; r < records; ++r) {
                    double before = 0, slope_before = 0;
                    for (std::size_t t = 0; t < 4; ++t) {
                        before = 0.5 * before + 2 * x(r, t, c);
                        slope_before = 0.5 * slope_before + x(r, t, c);
                        sum_of_slopes += slope_before;
                        CHECK(y(r, t, c) == Approx(before));
                    }
                }
                CHECK(slope(c) == Approx(sum_of_slopes).margin(1e-12));
            }
        }
    const auto product = evaluate([](auto a, auto b) { return sum(a * b, axis(1)); });
    CHECK(error_text<ShapeError>([&] { product(batched(matrix(3, 2, 0.1)), batched(matrix(4, 2, 0.1))); }) ==
          "argument 1: expected 3 records, found shape (4, 2)");
    CHECK(error_text<ShapeError>([&] { product(batched(xt::xarray<double>(1.0)), matrix(4, 2, 0.1)); }) ==
          "argument 0: expected an axis of records, found shape ()");
}

TEST_CASE("Traced functions run with threads, and on arrays of a device", "[function]") {
    const Matrix x = matrix(300, 7, 0.1), w = matrix(7, 4, 0.2);
    const double scale = 0.5;
    const auto f = value_and_gradient([scale](Tensor a, Tensor b) { return sum(tanh(dot(a, b))) * scale; }, wrt<1>);
    const auto [value, slope] = f(x, w);
    const auto [again, same_slope] = f.on(cpu({.threads = 2}))(x, w);
    CHECK((again == value && same_slope == slope));
    const DeviceArray<double> x_there(cpu(), x), w_there(cpu(), w);
    const auto [there, slope_there] = f.on(cpu())(x_there, w_there);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(slope_there)>, DeviceArray<double>>);
    CHECK(there == value);
    CHECK(slope_there.shape() == std::vector<std::size_t>{7, 4});
    CHECK(slope_there.to_host()(3, 2) == slope(3, 2));
}
