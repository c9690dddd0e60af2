// SPDX-License-Identifier: BSL-1.0
// Functions, reductions and products beside loops written by hand: `functions [rounds [first letters of rows]]`. Both
// take turns; medians of processor time. The hand's loops have four accumulators and old memory; they know nothing of
// NaN.
#include "support/clocks.hpp"
#include "support/contender.hpp"

#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace sigma;
using clocks::median;
using contender::array;

namespace {

#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif
typedef float Vector __attribute__((vector_size(4 * width), aligned(4), may_alias));
Vector load(const float* p) { return *reinterpret_cast<const Vector*>(p); }
void store(float* p, Vector v) { *reinterpret_cast<Vector*>(p) = v; }
Vector greater(Vector x, Vector y) { return x > y ? x : y; }
Vector every(float x) { return x - Vector{}; }

// ---- by hand ----

template <class Combine>
float reduce(const float* x, std::size_t n, Combine combine) {
    Vector t[4] = {load(x), load(x + width), load(x + 2 * width), load(x + 3 * width)};
    std::size_t i = 4 * width;
    for (; i + 4 * width <= n; i += 4 * width)
        for (int u = 0; u < 4; ++u) t[u] = combine(t[u], load(x + i + u * width));
    for (; i + width <= n; i += width) t[0] = combine(t[0], load(x + i));
    const Vector all = combine(combine(t[0], t[1]), combine(t[2], t[3]));
    Vector last = every(all[0]);
    for (int l = 1; l < width; ++l) last = combine(last, every(all[l]));
    for (; i < n; ++i) last = combine(last, every(x[i]));
    return last[0];
}
float sum_of(const float* x, std::size_t n) {
    return reduce(x, n, [](Vector a, Vector b) { return a + b; });
}
float greatest_of(const float* x, std::size_t n) { return reduce(x, n, greater); }
float dot_of(const float* x, const float* y, std::size_t n) {
    Vector t[4] = {};
    std::size_t i = 0;
    for (; i + 4 * width <= n; i += 4 * width)
        for (int u = 0; u < 4; ++u) t[u] += load(x + i + u * width) * load(y + i + u * width);
    const Vector all = (t[0] + t[1]) + (t[2] + t[3]);
    float sum = 0;
    for (int l = 0; l < width; ++l) sum += all[l];
    for (; i < n; ++i) sum += x[i] * y[i];
    return sum;
}
std::size_t place_of_greatest(const float* x, std::size_t n) {
    float m = x[0];
    if (n >= 4 * width) m = greatest_of(x, n);
    else
        for (std::size_t i = 1; i < n; ++i) m = x[i] > m ? x[i] : m;
    std::size_t i = 0;
    while (x[i] != m) ++i;
    return i;
}
Vector exponential(Vector v) {  // a few ulp, no special cases
    typedef int Integers __attribute__((vector_size(4 * width)));
    const Vector shift = every(12582912.0f), n = (v * 1.44269504f + shift) - shift;
    const Vector r = v - n * 0.693359375f + n * 2.12194440e-4f;
    Vector p = every(1.9875691500e-4f);
    for (const float c : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 0.5f, 1.0f, 1.0f})
        p = p * r + c;
    return p * Vector((__builtin_convertvector(n, Integers) + 127) << 23);
}
void chain_of(const float* a, const float* b, const float* c, float* d, std::size_t n) {
    std::size_t i = 0;
    for (; i + width <= n; i += width)
        store(d + i, load(a + i) * load(b + i) + load(c + i) * exponential(-load(a + i)));
    for (; i < n; ++i) d[i] = a[i] * b[i] + c[i] * std::exp(-a[i]);
}
/// C (m, n) = A Bᵀ by dots of rows, eight columns at a time.
void product_of(const float* a, const float* b, std::ptrdiff_t row, float* c, int m, int n, int k) {
    for (int j = 0; j < n; j += 8)
        for (int i = 0; i < m; ++i) {
            Vector t[8] = {};
            const int most = std::min(8, n - j);
            if (most == 8)
                for (int x = 0; x < k; x += width)
                    for (int u = 0; u < 8; ++u) t[u] += load(a + i * k + x) * load(b + (j + u) * row + x);
            else
                for (int u = 0; u < most; ++u)
                    for (int x = 0; x < k; x += width) t[u] += load(a + i * k + x) * load(b + (j + u) * row + x);
            for (int u = 0; u < most; ++u) {
                float sum = 0;
                for (int l = 0; l < width; ++l) sum += t[u][l];
                c[i * n + j + u] = sum;
            }
        }
}

// ---- rows ----

struct Row {
    std::string name;
    std::function<void()> own, hand;
};

/// A function into old memory, as planned and fused.
template <Shape... S, class F>
std::function<void()> planned(F, std::size_t records, std::vector<const float*> inputs, float* to) {
    using P = detail::Planned<detail::FunctionProgram<F, S...>, on_cpu::lanes<float>>;
    const auto executor = std::make_shared<on_cpu::Executor<float>>(on_cpu::compiled_program<P, float>);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor->bind_input(static_cast<int>(i), inputs[i]);
    executor->bind_output(0, to);
    executor->prepare(static_cast<std::ptrdiff_t>(records));
    return [executor] { executor->run(); };
}
void keep(float x) { asm volatile("" ::"x"(x)); }

constexpr auto chain = [](auto a, auto b, auto c) { return a * b + c * exp(-a); };
constexpr auto wave = [](auto a, auto b, auto x) { return sum(tanh(a * x + b) * exp(-x * x)); };
using Numbers = xt::xtensor<float, 1>;
std::shared_ptr<Numbers> numbers(std::size_t n) {
    auto v = std::make_shared<Numbers>(std::array<std::size_t, 1>{n});
    contender::Numbers{}.fill(v->data(), n, -1, 1);
    return v;
}

void add_functions(std::vector<Row>& rows) {
    for (const std::size_t n : {std::size_t{1000}, std::size_t{10'000'000}}) {
        const auto a = numbers(n), b = numbers(n), c = numbers(n), d = numbers(n);
        const auto hand = [=] { chain_of(a->data(), b->data(), c->data(), d->data(), n); };
        rows.push_back({sentence("new d = a*b + c*exp(-a), n = ", n),
                        [=] {
                            auto result = evaluate(chain)(*a, *b, *c);
                            contender::keep(&result);
                        },
                        hand});
#ifndef SIGMA_BEFORE
        rows.push_back({sentence("the same into d, n = ", n), [=] { evaluate(chain).into (*d)(*a, *b, *c); }, hand});
#endif
        rows.push_back(
            {sentence("kernel alone, n = ", n),
             planned<Shape{batch}, Shape{batch}, Shape{batch}>(chain, n, {a->data(), b->data(), c->data()}, d->data()),
             hand});
    }
}
constexpr auto means = [](auto p, auto c) {  // k-means: the loss
    return sum(min(sum(square(reshape(p, {batch, 1, c.shape()[1]}) - c), axis(2)), axis(1)));
};
void means_of(const double* p, const double* c, std::size_t n, std::size_t k, std::size_t d, double* g) {
    std::fill_n(g, k * d, 0.0);
    for (std::size_t i = 0; i < n; ++i, p += d) {
        double least = 1e300;
        std::size_t at = 0;
        for (std::size_t j = 0; j < k; ++j) {
            double s = 0;
            for (std::size_t e = 0; e < d; ++e) s += (p[e] - c[j * d + e]) * (p[e] - c[j * d + e]);
            if (s < least) least = s, at = j;
        }
        for (std::size_t e = 0; e < d; ++e) g[at * d + e] += 2 * (c[at * d + e] - p[e]);
    }
}
void add_stages(std::vector<Row>& rows) {
    constexpr std::size_t k = 10, d = 8;
    for (const std::size_t n : {1000u, 10'000u, 100'000u}) {
        const auto p = std::make_shared<xt::xtensor<double, 2>>(std::array<std::size_t, 2>{n, d});
        const auto c = std::make_shared<xt::xtensor<double, 2>>(std::array<std::size_t, 2>{k, d});
        contender::Numbers draw;
        for (double& x : *p) x = static_cast<double>(draw.draw(-1, 1));
        for (double& x : *c) x = static_cast<double>(draw.draw(-1, 1));
        const auto g = std::make_shared<std::vector<double>>(k * d);
        rows.push_back({sentence("gradient of k-means, 10 of 8, n = ", n),
                        [=] {
                            auto result = value_and_gradient(means, wrt<1>)(shaped<batch, 8>(*p), shaped<10, 8>(*c));
                            contender::keep(&result);
                        },
                        [=] { means_of(p->data(), c->data(), n, k, d, g->data()); }});
    }
    for (const std::size_t n : {1000u, 100'000u}) {
        const auto a = numbers(n), b = numbers(n), x = numbers(n);
        rows.push_back({sentence("gradient of sum tanh(ax+b)exp(-xx), n = ", n),
                        [=] {
                            auto result = value_and_gradient(wave, wrt<2>)(*a, *b, *x);
                            contender::keep(&result);
                        },
                        {}});
    }
}
void add_reductions(std::vector<Row>& rows) {
    const auto x = array(4'194'304, -1, 1), y = array(4'194'304, -1, 1), out = array(16384);
    const float *p = x.get(), *q = y.get();
    for (const std::size_t n : {1024u, 65'536u, 4'194'304u}) {
        const auto add = [&](const char* name, std::function<void()> own, std::function<void()> hand) {
            rows.push_back({sentence(name, n), [own, x, y, out] { own(); }, std::move(hand)});
        };
        add("sum of ", planned<Shape{batch}>([](auto v) { return sum(v); }, n, {p}, out.get()),
            [=] { keep(sum_of(p, n)); });
        add("max of ", planned<Shape{batch}>([](auto v) { return max(v); }, n, {p}, out.get()),
            [=] { keep(greatest_of(p, n)); });
        add("sum of x*y of ",
            planned<Shape{batch}, Shape{batch}>([](auto v, auto w) { return sum(v * w); }, n, {p, q}, out.get()),
            [=] { keep(dot_of(p, q, n)); });
    }
    const auto each_row = [&](std::size_t count, std::size_t length, auto f) {
        return [=] {
            for (std::size_t r = 0; r < count; ++r) out.get()[r] = static_cast<float>(f(p + r * length, length));
        };
    };
    rows.push_back({"sum of rows 1000 x 1000",
                    planned<Shape{batch, 1000}>([](auto v) { return sum(v, axis(1)); }, 1000, {p}, out.get()),
                    each_row(1000, 1000, sum_of)});
    rows.push_back({"max of rows 1000 x 1000",
                    planned<Shape{batch, 1000}>([](auto v) { return max(v, axis(1)); }, 1000, {p}, out.get()),
                    each_row(1000, 1000, greatest_of)});
    rows.push_back({"argmax of rows 1000 x 1000",
                    planned<Shape{batch, 1000}>([](auto v) { return argmax(v); }, 1000, {p}, out.get()),
                    each_row(1000, 1000, place_of_greatest)});
    rows.push_back({"argmax of rows 10000 x 10",
                    planned<Shape{batch, 10}>([](auto v) { return argmax(v); }, 10000, {p}, out.get()),
                    each_row(10000, 10, place_of_greatest)});
}
template <int k, int n>
void add_product(std::vector<Row>& rows, int m, bool turned) {
    const auto a = array(static_cast<std::size_t>(m * k), -1, 1), b = array(static_cast<std::size_t>(n * k), -1, 1),
               c = array(static_cast<std::size_t>(m * n));
    std::function<void()> own, hand;
    if (turned) {
        own = planned<Shape{batch, k}, Shape{n, k}>([](auto x, auto y) { return dot(x, transpose(y)); },
                                                    static_cast<std::size_t>(m), {a.get(), b.get()}, c.get());
        hand = [=] { product_of(a.get(), b.get(), k, c.get(), m, n, k); };
    } else {
        own = planned<Shape{batch, k}, Shape{k, n}>([](auto x, auto y) { return dot(x, y); },
                                                    static_cast<std::size_t>(m), {a.get(), b.get()}, c.get());
        static_assert(n == 1 || k > 0);
        if (n == 1) hand = [=] { product_of(b.get(), a.get(), k, c.get(), 1, m, k); };
    }
    rows.push_back({sentence(m, " x ", k, " x ", n, turned ? ", B transposed" : ""),
                    [=] { (void)a, (void)b, (void)c, own(); }, hand});
}

double seconds_of(const std::function<void()>& f, long times) {
    const auto all = [&] {
        for (long i = 0; i < times; ++i) {
            f();
            asm volatile("" ::: "memory");
        }
    };
    return clocks::time(all).processor / static_cast<double>(times);
}
void measure(const Row& row, int rounds) {
    std::vector<double> own, hand;
    row.own();
    if (row.hand) row.hand();
    const long times = std::max(1L, static_cast<long>(1e-3 / std::max(1e-9, seconds_of(row.own, 2))));
    for (int r = 0; r < rounds; ++r) {
        own.push_back(seconds_of(row.own, times));
        if (row.hand) hand.push_back(seconds_of(row.hand, times));
    }
    std::printf("| %-44s | %10.4g | %10.4g | %5.2f |\n", row.name.c_str(), median(own) * 1e6, median(hand) * 1e6,
                median(hand) / median(own));
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
    const std::string first = count > 2 ? arguments[2] : "";
    std::vector<Row> rows;
    add_functions(rows);
    add_stages(rows);
    add_reductions(rows);
    for (const int m : {16, 128, 1024}) {
        add_product<784, 1>(rows, m, false);
        add_product<1024, 1>(rows, m, false);
    }
    for (const int m : {1, 4, 8, 32, 100}) {
        add_product<784, 128>(rows, m, true);
        add_product<1024, 1024>(rows, m, true);
    }
    std::printf(
        "vectors of %d floats, kernels for %s\n\n| work | Sigma us | by hand us | hand / Sigma |\n|---|---|---|---|\n",
        on_cpu::lanes<float>, on_cpu::kernels<float>().instructions);
    for (const Row& row : rows)
        if (row.name.compare(0, first.size(), first) == 0) measure(row, rounds);
}
