// SPDX-License-Identifier: BSL-1.0
#include <sigma/check_gradients.hpp>
#include <sigma/derivatives.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

using namespace sigma;

namespace {

/// Softsign, of rows.
struct Bounded {
    static constexpr Text name = "bounded";
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < y.columns; ++i) y[i] = x[i] / (1 + std::abs(x[i]));
    }
    template <class V>
    static void gradient(BlockView<V> g, BlockView<V> x, BlockView<V> y, BlockView<V> d) {
        for (long long i = 0; i < g.columns; ++i) {
            const V slope = x[i] == 0 ? V(1) : y[i] / x[i];
            g[i] = d[i] * slope * slope;
        }
    }
};
constexpr auto bounded = custom_operation<Bounded>;
constexpr auto bounded_formula = [](Tensor x) { return x / (1.0 + abs(x)); };

/// The first row times the sum of the second with weights 1, 2, 3, …
struct Weighted {
    static constexpr Text name = "weighted";
    static constexpr Shape shape(const Shape& a, const Shape&) { return a; }
    template <class V>
    static V factor(BlockView<V> b) {
        V sum = 0;
        for (long long j = 0; j < b.columns; ++j) sum += static_cast<V>(j + 1) * b[j];
        return sum;
    }
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> a, BlockView<V> b) {
        for (long long i = 0; i < y.columns; ++i) y[i] = a[i] * factor(b);
    }
    template <int of, class V>
    static void gradient(BlockView<V> g, BlockView<V> a, BlockView<V> b, BlockView<V> y, BlockView<V> d) {
        CHECK(y[0] == a[0] * factor(b));  // the result arrives, too
        for (long long i = 0; i < g.columns; ++i) g[i] = 0;
        for (long long i = 0; i < a.columns; ++i) {
            if constexpr (of == 0) g[i] = d[i] * factor(b);
            else
                for (long long j = 0; j < b.columns; ++j) g[j] += d[i] * a[i] * static_cast<V>(j + 1);
        }
    }
};
constexpr auto weighted = custom_operation<Weighted>;

/// Sums of all elements above and left of each element of a matrix.
struct Sums {
    static constexpr Text name = "sums";
    static constexpr int axes = 2;
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < y.rows; ++i)
            for (long long j = 0; j < y.columns; ++j)
                y(i, j) = x(i, j) + (i > 0 ? y(i - 1, j) : V(0)) + (j > 0 ? y(i, j - 1) : V(0)) -
                          (i > 0 && j > 0 ? y(i - 1, j - 1) : V(0));
    }
    template <class V>
    static void gradient(BlockView<V> g, BlockView<V>, BlockView<V>, BlockView<V> d) {
        const long long m = g.rows, n = g.columns;
        for (long long i = m; i-- > 0;)
            for (long long j = n; j-- > 0;)
                g(i, j) = d(i, j) + (i + 1 < m ? g(i + 1, j) : V(0)) + (j + 1 < n ? g(i, j + 1) : V(0)) -
                          (i + 1 < m && j + 1 < n ? g(i + 1, j + 1) : V(0));
    }
};
constexpr auto sums = custom_operation<Sums>;

/// The number of elements of a row that are positive.
struct Count {
    static constexpr Text name = "count";
    static constexpr Shape shape(const Shape&) { return Shape(1); }
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        y[0] = 0;
        for (long long i = 0; i < x.columns; ++i) y[0] += x[i] > 0;
    }
};
struct Twin : Bounded {
    static constexpr Text name = "twin";
};
struct OtherTwin : Bounded {
    static constexpr Text name = "twin";
};

template <class T = double>
Array<T> numbers(std::vector<std::size_t> shape, double scale = 1) {
    auto a = Array<T>::from_shape(shape);
    for (std::size_t i = 0; i < a.size(); ++i)
        a.data()[i] = static_cast<T>(scale * std::sin(1.3 * static_cast<double>(i * i) + 0.2));
    return a;
}

void expect_same(const auto& found, const auto& wanted, double tolerance) {
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(found.data()[i] == Approx(wanted.data()[i]).margin(tolerance));
    }
}

Dataset points() {
    Numbers inputs{{64, 3}, {}}, targets{{64}, {}};
    for (const float x : numbers<float>({64, 3}, 2)) inputs.values.push_back(x);
    for (std::size_t i = 0; i < 64; ++i)
        targets.values.push_back(inputs.values[3 * i] * inputs.values[3 * i + 1] > 0 ? 1.0F : 0.0F);
    return Dataset(inputs, targets, "points");
}

template <auto activation>
struct Classes : Network<Input(3) + Dense(6) + activation + Dense(4) + activation + Dense(2) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("A custom operation has the values of its functions in both element types") {
    const auto x = numbers({4, 5}, 3);
    expect_same(evaluate([](Tensor v) { return bounded(v); })(x), evaluate(bounded_formula)(x), 1e-15);
    const auto single = numbers<float>({4, 5}, 3);
    expect_same(evaluate([](Tensor v) { return bounded(v); })(single), evaluate(bounded_formula)(single), 1e-7);
    const auto totals = evaluate([](Tensor v) { return sums(v); })(x);
    CHECK(totals(3, 4) == Approx(std::accumulate(x.begin(), x.end(), 0.0)));
    CHECK(evaluate([](Tensor v) { return custom_operation<Count>(v); })(x).size() == 4);
}

TEST_CASE("Gradients of a custom operation are those of differences") {
    const auto x = numbers({3, 4}, 2), row = numbers({6}), rows = numbers({3, 6});
    check_gradients([](Tensor v) { return sum(bounded(v) * sin(v)); })(x).require(1e-7);
    check_gradients([](Tensor v) { return sum(bounded(transpose(v)) * transpose(v)); })(x).require(1e-7);
    check_gradients([](Tensor v) { return sum(sums(v * v) * cos(v)); })(x).require(1e-7);
    check_gradients([](Tensor a, Tensor b) { return sum(square(weighted(a, b))); })(x, rows).require(1e-6);
    // the second operand for all rows of the first
    check_gradients([](Tensor a, Tensor b) { return sum(square(weighted(a, b))); })(x, row).require(1e-6);
    check_gradients([](Tensor a) { return sum(weighted(a, a)); })(x).require(1e-6);
}

TEST_CASE("Without a gradient function, no gradient passes") {
    const auto g = gradient([](Tensor v) { return sum(v * custom_operation<Count>(v)); })(numbers({1, 3}));
    const auto x = numbers({1, 3});
    double positive = 0;
    for (const double v : x) positive += v > 0;
    for (const double v : g) CHECK(v == positive);
}

TEST_CASE("A gradient of a custom operation has no gradient") {
    const auto second = [] { return hessian([](Tensor v) { return sum(bounded(v)); })(numbers({3})); };
    CHECK(error_text<MistakeError>(second) ==
          "the gradient of the custom operation 'bounded' has no gradient itself: "
          "write it in the tensor language");
}

TEST_CASE("Custom operations in loops and mapped functions") {
    const auto of_loop = [](auto f) {
        return gradient([](Tensor x, Tensor h) {
            return sum(last(scan(x, h, [](Tensor now, Tensor before) { return decltype(f){}(0.5 * before + now); })));
        });
    };
    const auto sequence = numbers({2, 5, 3}), first = numbers({2, 3});
    const auto [x, h] = of_loop(bounded)(batched(sequence), batched(first));
    const auto [wanted_x, wanted_h] = of_loop(bounded_formula)(batched(sequence), batched(first));
    expect_same(x, wanted_x, 1e-14);
    expect_same(h, wanted_h, 1e-14);
    const auto slopes_of = [](auto f) {
        return evaluate([](Tensor v) {
            return vmap([](Tensor row) { return gradient([](Tensor w) { return sum(decltype(f){}(w)*w); })(row); })(v);
        });
    };
    expect_same(slopes_of(bounded)(numbers({4, 3})), slopes_of(bounded_formula)(numbers({4, 3})), 1e-14);
}

TEST_CASE("A network with a custom operation trains as with the formula, on any number of threads") {
    const auto error_of = [&](auto net, Device device) {
        Trainer trainer("own", net, Adam{.learning_rate = 0.02}, minibatches(points(), 16));
        trainer.run(device, 40);
        return trainer.evaluate(points()).error;
    };
    const double own = error_of(Classes<bounded>{}, cpu(1));
    CHECK(own == Approx(error_of(Classes<bounded_formula>{}, cpu(1))).epsilon(1e-3));
    CHECK(own < 0.3);
    CHECK(error_of(Classes<bounded>{}, cpu(2)) == own);
}

TEST_CASE("Two custom operations of one name are refused") {
    const auto both = evaluate([](Tensor v) { return custom_operation<Twin>(v) + custom_operation<OtherTwin>(v); });
    CHECK_THAT(error_text<ArgumentError>([&] { (void)both(numbers({2, 2})); }),
               Catch::Contains("have the same name, 'twin'"));
}
