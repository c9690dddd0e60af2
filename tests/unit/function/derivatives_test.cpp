// SPDX-License-Identifier: BSL-1.0
// Products of derivatives with vectors, Jacobians, Hessians, and functions of each row, beside loops over evaluations.
#include "support.hpp"

#include <sigma/derivatives.hpp>
#include <sigma/sigma.hpp>
#include <xtensor/xview.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

using Any = xt::xarray<double>;

Any random_any(std::uint64_t seed, const Index& extents, double low = -2, double high = 2) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> part(low, high);
    Any x(Any::shape_type(extents.begin(), extents.end()));
    for (auto& v : x) v = part(bits);
    return x;
}
Any row_of(const Any& x, std::size_t i) {
    Any row(Any::shape_type(x.shape().begin() + 1, x.shape().end()));
    std::copy_n(x.data() + i * row.size(), row.size(), row.data());
    return row;
}
/// The distance of two arrays, relative to the greatest number of the second. Other extents count as infinitely far.
double distance(const Any& found, const Any& wanted) {
    if (extents_of(found) != extents_of(wanted)) return std::numeric_limits<double>::infinity();
    double most = 1e-300, off = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        most = std::max(most, std::abs(wanted.data()[i]));
        const double d = std::abs(found.data()[i] - wanted.data()[i]);
        off = std::max(off, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
    }
    return off / most;
}
/// Returns the distance of a call of f for all rows from calls for each.
template <class F>
double error_of_rows(F f, const Any& x) {
    const Any all = vmap(f)(x);
    double worst = 0;
    for (std::size_t i = 0; i < x.shape(0); ++i)
        worst = std::max(worst, distance(row_of(all, i), evaluate(f)(row_of(x, i))));
    return worst;
}
/// The same of a function of two arguments: with rows of both, of the first and of the second.
template <class F>
double error_of_rows(F f, const Any& x, const Any& y) {
    const Any all = vmap(f)(x, y), first = vmap(f, over_rows_of<0>)(x, row_of(y, 0)),
              second = vmap(f, over_rows_of<1>)(row_of(x, 0), y);
    double worst = 0;
    for (std::size_t i = 0; i < x.shape(0); ++i) {
        worst = std::max(worst, distance(row_of(all, i), evaluate(f)(row_of(x, i), row_of(y, i))));
        worst = std::max(worst, distance(row_of(first, i), evaluate(f)(row_of(x, i), row_of(y, 0))));
        worst = std::max(worst, distance(row_of(second, i), evaluate(f)(row_of(x, 0), row_of(y, i))));
    }
    return worst;
}

/// Returns the distance of derivatives of f along `v` from a central difference, and of its Jacobian from these.
template <class F>
double error_of_derivatives(F f, const Any& x, std::uint64_t seed = 7) {
    const Index extents = extents_of(x);
    const Any v = random_any(seed, extents);
    const double step = 1e-5;
    const Any along = jvp(f)(x, v), up = evaluate(f)(Any(x + step * v)), down = evaluate(f)(Any(x - step * v));
    double worst = distance(along, Any((up - down) / (2 * step)));
    const Any j = jacobian(f)(x);
    const Any u = random_any(seed + 1, extents_of(along)), back = vjp(f)(x, u);
    Index both = extents_of(along);
    both.insert(both.end(), extents.begin(), extents.end());
    if (extents_of(j) != both) return std::numeric_limits<double>::infinity();
    Any forwards = along, backwards = x;
    forwards.fill(0);
    backwards.fill(0);
    for (std::size_t r = 0; r < along.size(); ++r)
        for (std::size_t c = 0; c < x.size(); ++c) {
            forwards.data()[r] += j.data()[r * x.size() + c] * v.data()[c];
            backwards.data()[c] += j.data()[r * x.size() + c] * u.data()[r];
        }
    worst = std::max(worst, 1e4 * distance(along, forwards));
    return std::max(worst, 1e4 * distance(back, backwards));
}

constexpr double few_ulp = 1e-13, of_differences = 1e-7;

}  // namespace

TEST_CASE("vmap computes each row of elementwise functions and reductions", "[vmap]") {
    const Any x = random_any(1, {5, 3, 4}), y = random_any(2, {5, 4}), column = random_any(3, {5, 3, 1});
    CHECK(error_of_rows([](auto a) { return tanh(a) * a + 1.0; }, x) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return a * b - exp(b); }, x, y) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return max(a, b) / (2.0 + sin(b)); }, x, column) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return where(a > b, a, b * b); }, x, y) < few_ulp);
    CHECK(error_of_rows([](auto a) { return sum(a); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return sum(a, axis(0)); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return mean(a, axis(1), keep) * a; }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return max(a, axis(0)) + min(a); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return argmax(a, axis(0)); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return softmax(a); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return variance(a, axis(0)) + norm(a); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return sum(a, axes(0, 1)) * iota_beside(a, 3); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return a * a; }, y) < few_ulp);
    CHECK(error_of_rows([](auto a) { return a * 2.0; }, random_any(4, {6})) < few_ulp);
    CHECK(error_of_rows([](auto a) { return exp(a); }, random_any(5, {1, 3})) < few_ulp);
}

TEST_CASE("vmap computes each row of movements", "[vmap]") {
    const Any x = random_any(1, {5, 3, 4}), y = random_any(2, {5, 2, 4});
    CHECK(error_of_rows([](auto a) { return transpose(a); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return reshape(a, {2, 6}); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return reshape(a, {1, 1, 3, 4}) + 1.0; }, x) == 0);
    CHECK(error_of_rows([](auto a) { return reshape(slice(a, axis(0), 1, 2), Shape{4}); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return slice(a, axis(1), 1, 3); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return pad(a, axis(0), 1, 2); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return pad(a, axis(1), 2, 2, PadMode::reflect); }, x) == 0);
    CHECK(error_of_rows([](auto a, auto b) { return concatenate(axis(0), a, b, a); }, x, y) == 0);
    CHECK(error_of_rows([](auto a) { return broadcast_to(sum(a, axis(0)), {6, 4}); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return one_hot(floor(abs(a)), 3); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return einsum("ij->ji", a) * 2.0; }, x) == 0);
}

TEST_CASE("vmap computes each row of products", "[vmap]") {
    const Any x = random_any(1, {5, 3, 4}), w = random_any(2, {5, 4, 2}), v = random_any(3, {5, 4}),
              many = random_any(4, {5, 2, 3, 4}), right = random_any(5, {5, 2, 4, 3});
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, b); }, x, w) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, b); }, many, w) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, b); }, many, right) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, b); }, x, v) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, b); }, v, w) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, b); }, v, v) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(transpose(a), b); }, w, random_any(6, {5, 4, 3})) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return dot(a, transpose(b)); }, x, random_any(6, {5, 2, 4})) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return einsum("bij,bjk->bik", a, b); }, many, right) < few_ulp);
    // Gradients of products have transposed ones, of both operands, of one, and of several rows together.
    const auto objective = [](auto a, auto b) { return sum(tanh(dot(a, b))); };
    CHECK(error_of_rows([=](auto a, auto b) { return gradient(objective, wrt<0>)(a, b); }, x, w) < few_ulp);
    CHECK(error_of_rows([=](auto a, auto b) { return gradient(objective, wrt<1>)(a, b); }, x, w) < few_ulp);
    CHECK(error_of_rows([=](auto a, auto b) { return gradient(objective, wrt<1>)(a, b); }, many, w) < few_ulp);
    CHECK(error_of_rows([=](auto a, auto b) { return gradient(objective, wrt<1>)(a, b); }, many, right) < few_ulp);
}

TEST_CASE("vmap computes each row of functions along an axis and of matrices", "[vmap]") {
    const Any x = random_any(1, {5, 3, 4}), square_ones = random_any(2, {5, 3, 3}), v = random_any(3, {5, 3});
    CHECK(error_of_rows([](auto a) { return cumsum(a, axis(0)); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a) { return cumprod(a); }, x) < few_ulp);
    CHECK(error_of_rows([](auto a, auto b) { return linear_recurrence(a, b); }, v, random_any(6, {5, 3})) < few_ulp);
    CHECK(error_of_rows([](auto a) { return sort(a, axis(0), SortOrder::descending); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return top_k(a, 2).values; }, x) == 0);
    CHECK(error_of_rows([](auto a) { return gather(a, argsort(a), axis(1)); }, x) == 0);
    CHECK(error_of_rows([](auto a) { return inverse(a); }, square_ones) < 1e-11);
    CHECK(error_of_rows([](auto a, auto b) { return solve(a, b); }, square_ones, v) < 1e-11);
    CHECK(error_of_rows([](auto a) { return determinant(a) + slogdet(a).logarithm; }, square_ones) < few_ulp);
    CHECK(error_of_rows([](auto a) { return gradient([](auto b) { return determinant(b); })(a); }, square_ones) <
          1e-11);
    // Rows of a table: other ids, another table, or both, which run one after the other.
    const Any table = random_any(4, {5, 6, 2}), ids = xt::floor(random_any(5, {5, 7}, 0, 6));
    CHECK(error_of_rows([](auto t, auto i) { return gather(t, i); }, table, ids) == 0);
    CHECK(error_of_rows(
              [](auto t, auto i) {
                  return gradient([](auto u, auto k) { return sum(square(gather(u, k))); }, wrt<0>)(t, i);
              },
              table, ids) < few_ulp);
}

TEST_CASE("vmap computes each row of images and loops", "[vmap]") {
    const Any x = random_any(1, {3, 2, 6, 5, 2}), w = random_any(2, {3, 3, 3, 2, 4});
    const auto filtered = [](auto a, auto b) {
        return convolve(zero_pad(zero_pad(a, axis(1), 1, 1), axis(2), 1, 1), b);
    };
    CHECK(error_of_rows(filtered, x, w) < few_ulp);
    CHECK(error_of_rows(
              [](auto a, auto b) {
                  return gradient([](auto u, auto v) { return sum(square(convolve(u, v))); }, wrt<0>)(a, b);
              },
              x, w) < few_ulp);
    CHECK(error_of_rows([](auto a) { return max_pool(a, {{2, 2}, {2, 2}}); }, x) == 0);
    CHECK(error_of_rows(
              [](auto a) { return gradient([](auto u) { return sum(square(max_pool(u, {{2, 2}, {2, 2}}))); })(a); },
              x) == 0);
}

TEST_CASE("vmap nests, has several results, and maps records", "[vmap]") {
    const Any x = random_any(1, {4, 3, 5});
    CHECK(distance(vmap(vmap([](auto a) { return sum(a * a); }))(x), xt::sum(x * x, {2})) < few_ulp);
    const auto [least, greatest] = vmap([](auto a) { return std::tuple{min(a), max(a)}; })(x);
    CHECK(distance(least, xt::amin(x, {1, 2})) == 0);
    CHECK(distance(greatest, xt::amax(x, {1, 2})) == 0);

    // A gradient for each record, in one program: shapes known when it is compiled, the records when it is called.
    const auto records = random<double, 2>(2, {7, 3});
    const auto labels = random<double, 1>(3, {7});
    const auto weights = random<double, 2>(4, {3, 2});
    constexpr auto objective = [](auto a, auto b, auto c) { return square(sum(tanh(dot(a, c))) - b); };
    const auto slopes =
        vmap(gradient(objective, wrt<2>), over_rows_of<0, 1>)(shaped<batch, 3>(records), labels, shaped<3, 2>(weights));
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(slopes)>, xt::xtensor<double, 3>>);
    for (std::size_t i = 0; i < 7; ++i) {
        const xt::xtensor<double, 1> record = xt::view(records, i, xt::all());
        const auto one = gradient(objective, wrt<2>)(shaped<3>(record), labels(i), shaped<3, 2>(weights));
        CHECK(distance(row_of(slopes, i), one) < few_ulp);
    }
    const auto jacobians = vmap(jacobian([](auto a) { return a * sum(a); }))(shaped<batch, 3>(records));
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) {
                const double total = records(i, 0) + records(i, 1) + records(i, 2);
                CHECK(jacobians(i, r, c) == Approx(records(i, r) + (r == c ? total : 0)));
            }
}

TEST_CASE("derivatives along tangents and Jacobians agree with differences", "[jacobian]") {
    const Any v = random_any(1, {4}), m = random_any(2, {3, 3}), p = random_any(3, {2, 3}, 0.5, 2);
    // More results than arguments, as many, fewer, one.
    CHECK(error_of_derivatives([](auto a) { return concatenate(axis(0), sin(a), a * sum(a), exp(-a)); }, v) <
          of_differences);
    CHECK(error_of_derivatives([](auto a) { return a * sum(a) + cumsum(a); }, v) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return sum(reshape(a, {2, 2}), axis(0)); }, v) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return logsumexp(a); }, v) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return sum(a, axis(0)); }, m) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return dot(a, transpose(a)); }, m) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return concatenate(axis(1), dot(transpose(a), a), a); }, m) <
          of_differences);
    CHECK(error_of_derivatives([](auto a) { return inverse(a); }, m) < 1e-6);
    CHECK(error_of_derivatives([](auto a) { return determinant(a); }, m) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return slogdet(a).logarithm; }, m) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return pow(a, 1.7) / log1p(a) + mod(a, 0.3) + rsqrt(a); }, p) <
          of_differences);
    CHECK(error_of_derivatives([](auto a) { return softmax(a) * max(a, axis(0)); }, p) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return sort(a) + where(a > 1.0, a * a, 2.0 * a) + abs(a); }, p) <
          of_differences);
    CHECK(error_of_derivatives([](auto a) { return linear_recurrence(a, sin(a)); }, p) < of_differences);
    CHECK(error_of_derivatives([](auto a) { return gather(a, floor(slice(a, axis(1), 0, 1) * 0.9), axis(1)); }, p) <
          of_differences);
    CHECK(error_of_derivatives(
              [](auto a) {
                  const auto image = reshape(a, {1, 3, 3, 1});
                  return max_pool(concatenate(axis(3),
                                              convolve(zero_pad(zero_pad(image, axis(1), 1, 1), axis(2), 1, 1),
                                                       reshape(tanh(a), {3, 3, 1, 1})),
                                              image),
                                  {{2, 2}, {2, 2}});
              },
              m) < of_differences);
}

TEST_CASE("Hessians and their products agree with gradients and differences", "[hessian]") {
    constexpr auto f = [](auto a, auto b) { return sum(tanh(dot(a, b)) * b) * sum(square(a)) + sum(logsumexp(a)); };
    const auto a = random<double, 2>(1, {3, 3}), v = random<double, 2>(3, {3, 3});
    const auto b = random<double, 1>(2, {3});
    const auto h = hessian(f)(shaped<3, 3>(a), shaped<3>(b));
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(h)>, xt::xtensor<double, 4>>);
    const auto along = hvp(f, wrt<0>)(shaped<3, 3>(a), shaped<3>(b), shaped<3, 3>(v));
    const double step = 1e-5;
    const xt::xtensor<double, 2> up = a + step * v, down = a - step * v;
    const auto slope = gradient(f, wrt<0>);
    const Any difference =
        (slope(shaped<3, 3>(up), shaped<3>(b)) - slope(shaped<3, 3>(down), shaped<3>(b))) / (2 * step);
    CHECK(distance(along, difference) < of_differences);
    Any summed = along;
    summed.fill(0);
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 9; ++j) {
            summed.data()[i] += h.data()[i * 9 + j] * v.data()[j];
            CHECK(h.data()[i * 9 + j] == Approx(h.data()[j * 9 + i]).epsilon(1e-12).margin(1e-12));
        }
    CHECK(distance(along, summed) < 1e-12);
    // With two arguments, second derivatives in the first and the second are the transposed ones in other order.
    const auto mixed = jacobian(gradient(f, wrt<0>), wrt<1>)(shaped<3, 3>(a), shaped<3>(b));
    const auto turned = jacobian(gradient(f, wrt<1>), wrt<0>)(shaped<3, 3>(a), shaped<3>(b));
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(mixed.data()[i * 3 + k] == Approx(turned.data()[k * 9 + i]).epsilon(1e-12).margin(1e-12));
    const auto [to_a, to_b] = hvp(f)(shaped<3, 3>(a), shaped<3>(b), shaped<3, 3>(v), shaped<3>(b));
    Any both = to_b;
    both.fill(0);
    const auto in_b = hessian(f, wrt<1>)(shaped<3, 3>(a), shaped<3>(b));
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < 9; ++i) both.data()[k] += mixed.data()[i * 3 + k] * v.data()[i];
        for (std::size_t l = 0; l < 3; ++l) both.data()[k] += in_b(k, l) * b(l);
    }
    CHECK(distance(to_b, both) < 1e-12);
    CHECK(extents_of(to_a) == Index{3, 3});
}

TEST_CASE("products of derivatives take chosen arguments and several results", "[jvp]") {
    constexpr auto f = [](auto a, auto b) { return std::tuple{a * b, sum(a) * b}; };
    const xt::xtensor<double, 1> a{1, 2, 3}, b{4, 5, 6}, da{1, 0, 2}, db{0, 1, 1};
    const auto [product, total] = jvp(f)(a, b, da, db);
    CHECK(flat(product) == std::vector<double>{4, 2, 15});
    CHECK(flat(total) == std::vector<double>{12, 21, 24});
    const auto [of_b, total_of_b] = jvp(f, wrt<1>)(a, b, db);
    CHECK(flat(of_b) == std::vector<double>{0, 2, 3});
    CHECK(flat(total_of_b) == std::vector<double>{0, 6, 6});
    const auto [to_a, to_b] = vjp(f)(a, b, da, db);
    CHECK(flat(to_a) == std::vector<double>{15, 11, 23});
    CHECK(flat(to_b) == std::vector<double>{1, 6, 12});
    CHECK(flat(vjp(f, wrt<1>)(a, b, da, db)) == flat(to_b));
    // Numbers; a function that does not depend on its argument; a function within another one.
    CHECK(jvp([](auto x) { return x * x; })(3.0, 2.0) == 12);
    CHECK(flat(jvp([](auto x) { return x * 0.0 + 1.0; })(a, da)) == std::vector<double>{0, 0, 0});
    const auto nested = [](auto x) { return sum(jvp([](auto y) { return y * y * y; })(x, x)); };  // 3x³
    CHECK(flat(gradient(nested)(a)) == std::vector<double>{9, 36, 81});
    // Captured values are constants, also if they are the argument.
    CHECK(flat(evaluate([](auto x) { return jvp([x](auto y) { return x * y; })(x, x); })(a)) ==
          std::vector<double>{1, 4, 9});
}

namespace {

constexpr auto tanh_sum = [](auto x, auto w) { return sum(tanh(dot(x, w))); };
constexpr auto several = [](auto x, auto w) {
    return std::tuple{tanh_sum(x, w), gradient(tanh_sum, wrt<1>)(x, w), hessian(tanh_sum, wrt<1>)(x, w)};
};

}  // namespace

TEST_CASE("a value that several derivatives need is computed once", "[hessian]") {
    // The value, its gradient and its Hessian each record the function.
    const detail::Program p = detail::FunctionProgram<std::decay_t<decltype(several)>, Shape(5, 3), Shape(3)>()();
    int functions = 0;
    for (const detail::Node& n : p.tape) functions += n.operation == detail::Operation::tanh;
    CHECK(functions == 1);
    const auto x = random<double, 2>(1, {5, 3});
    const auto w = random<double, 1>(2, {3});
    const auto [value, slope, curvature] = evaluate(several)(shaped<5, 3>(x), shaped<3>(w));
    CHECK(value == Approx(evaluate(tanh_sum)(shaped<5, 3>(x), shaped<3>(w))));
    CHECK(distance(slope, gradient(tanh_sum, wrt<1>)(shaped<5, 3>(x), shaped<3>(w))) < few_ulp);
    CHECK(distance(curvature, hessian(tanh_sum, wrt<1>)(shaped<5, 3>(x), shaped<3>(w))) < few_ulp);
    // An argument that is returned, and one value as two results.
    const auto [copied, twice, again] = evaluate([](auto v) { return std::tuple{v, 2.0 * v, 2.0 * v}; })(w);
    CHECK((copied == w && twice == again && twice == 2 * w));
}

TEST_CASE("Jacobians of vectors need no shape", "[jacobian]") {
    const xt::xtensor<double, 1> x{1, 2};
    const xt::xarray<double> j = jacobian([](auto a) { return a * sum(a); })(x);
    CHECK(extents_of(j) == Index{2, 2});
    CHECK(flat(j) == std::vector<double>{4, 1, 2, 5});
    CHECK(flat(hessian([](auto a) { return sum(a * a * a); })(x)) == std::vector<double>{6, 0, 0, 12});
    // Beside an array with records: the number of records is an extent, too.
    const auto records = random<double, 2>(1, {3, 2});
    const auto scaled = jacobian([](auto a, auto r) { return dot(r, a); }, wrt<0>)(x, shaped<batch, 2>(records));
    CHECK(flat(scaled) == flat(records));
}

TEST_CASE("loops have Jacobians and Hessians, row after row", "[jacobian]") {
    constexpr auto f = [](auto x, auto w) {
        return sum(
            scan(x, filled(x, 0.5, {batch, 2}), [&](auto now, auto state) { return tanh(dot(state, w) + now); }));
    };
    const auto x = random<double, 3>(1, {3, 4, 2});
    const auto w = random<double, 2>(2, {2, 2}), v = random<double, 2>(3, {2, 2});
    const auto h = hessian(f, wrt<1>)(shaped<batch, 4, 2>(x), shaped<2, 2>(w));
    const auto along = hvp(f, wrt<1>)(shaped<batch, 4, 2>(x), shaped<2, 2>(w), shaped<2, 2>(v));
    const double step = 1e-5;
    const xt::xtensor<double, 2> up = w + step * v, down = w - step * v;
    const auto slope = gradient(f, wrt<1>);
    const Any difference =
        (slope(shaped<batch, 4, 2>(x), shaped<2, 2>(up)) - slope(shaped<batch, 4, 2>(x), shaped<2, 2>(down))) /
        (2 * step);
    CHECK(distance(along, difference) < of_differences);
    Any summed = along;
    summed.fill(0);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) summed.data()[i] += h.data()[i * 4 + j] * v.data()[j];
    CHECK(distance(along, summed) < 1e-12);
}

TEST_CASE("mistakes in shapes of derivatives are thrown when shapes are known only then", "[jacobian]") {
    const Any three = random_any(1, {3}), four = random_any(2, {4}), matrix = random_any(3, {2, 2, 2, 2});
    const auto twice = [](auto a) { return 2.0 * a; };
    CHECK_THROWS_WITH(jvp(twice)(three, four), Catch::Contains("a tangent must have the shape of its argument"));
    CHECK_THROWS_WITH(vjp(twice)(three, four), Catch::Contains("a factor must have the shape of its result"));
    CHECK_THROWS_WITH(hvp(twice)(three, three), Catch::Contains("a gradient needs a function that returns one number"));
    CHECK_THROWS_WITH(jacobian(twice)(matrix), Catch::Contains("at most 6"));
    CHECK_THROWS_WITH(vmap([](auto a, auto b) { return a * b; })(three, four),
                      Catch::Contains("as many rows of each mapped argument"));
    CHECK_THROWS_WITH(vmap(twice)(Any(2.0)), Catch::Contains("at least one axis"));
}
