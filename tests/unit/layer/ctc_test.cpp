// SPDX-License-Identifier: BSL-1.0
#include "loss_support.hpp"

#include <sigma/layer/ctc.hpp>
#include <sigma/network/network.hpp>
#include <sigma/tape/differentiate.hpp>

#include "support/reference.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

using Labels = std::vector<int>;

/// What a path spells: runs become one, blanks vanish.
Labels spelled_by(const Labels& path) {
    Labels y;
    for (std::size_t t = 0; t < path.size(); ++t)
        if (path[t] != 0 && (t == 0 || path[t] != path[t - 1])) y.push_back(path[t]);
    return y;
}
Labels without_filling(const double* y, std::size_t labels) {
    Labels kept;
    for (std::size_t i = 0; i < labels; ++i)
        if (y[i] > 0) kept.push_back(static_cast<int>(y[i]));
    return kept;
}
/// -log of the probability of every path that spells y, one after the other.
double by_enumeration(const double* z, std::size_t times, std::size_t classes, const Labels& y) {
    Numbers_ p;
    for (std::size_t t = 0; t < times; ++t)
        for (const double l : log_softmax_of(z + t * classes, classes)) p.push_back(l);
    double total = 0;
    Labels path(times, 0);
    while (true) {
        if (spelled_by(path) == y) {
            double l = 0;
            for (std::size_t t = 0; t < times; ++t) l += p[t * classes + static_cast<std::size_t>(path[t])];
            total += std::exp(l);
        }
        std::size_t t = 0;
        while (t < times && ++path[t] == static_cast<int>(classes)) path[t++] = 0;
        if (t == times) return -std::log(total);
    }
}

constexpr std::size_t labels = 2, classes = 3;
const Numbers_ targets{1, 2, 1, 1, 2, 0, 0, 0, 2, -1};  // different, repeated, one, none, one

template <int times, auto layer>
void examine(const Numbers_& y) {
    const std::size_t records = y.size() / labels, steps = static_cast<std::size_t>(times);
    constexpr auto options = layer.options;
    const Numbers_ z = random_numbers(31, records * steps * classes, -3, 3);
    check_loss<layer, Shape{batch, times, 3}, Shape{batch, 2}>(z, y, [&](const Numbers_& x) {
        double total = 0;
        for (std::size_t r = 0; r < records; ++r) {
            const Labels spelled = without_filling(y.data() + r * labels, labels);
            const double l = by_enumeration(x.data() + r * steps * classes, steps, classes, spelled);
            if (!std::isinf(l))
                total += options.reduction == Reduction::over_elements && !spelled.empty()
                             ? l / static_cast<double>(spelled.size())
                             : l;
        }
        return options.reduction == Reduction::total ? total : total / static_cast<double>(records);
    });
}

TEST_CASE("CTC is what enumerating all paths gives") {
    examine<5, CTC(2)>(targets);
    examine<3, CTC(2, {.reduction = Reduction::over_elements})>(targets);
    examine<2, CTC(2, {.skip_impossible = true})>(targets);  // 1, 1 needs three steps
    examine<1, CTC(2, {.skip_impossible = true})>(targets);
}

TEST_CASE("What no path spells has an infinite loss, or none") {
    const Numbers_ z = random_numbers(32, 6);
    constexpr Shape two{batch, 2, 3}, y{batch, 2};
    CHECK(std::isinf(differentiated<CTC(2), two, y>(z, {1, 1}).value));
    CHECK(std::isinf(differentiated<CTC(2), two, y, float>(z, {1, 1}).value));
    const auto skipped = differentiated<CTC(2, {.skip_impossible = true}), two, y>(z, {1, 1});
    CHECK(skipped.value == 0);
    CHECK(skipped.gradient == Numbers_(6, 0));
}

TEMPLATE_TEST_CASE("CTC of saturated scores", "", float, double) {
    // The only likely path is 1, 0, 1; swapping the scores of time 1 costs 2e4.
    const auto found = differentiated<CTC(2), Shape{batch, 3, 3}, Shape{batch, 2}, TestType>(
        {-1e4, 1e4, 0, 1e4, 0, -1e4, 0, 1e4, -1e4}, {1, 1});
    CHECK(found.value == Approx(0).margin(1e-6));
    for (const double g : found.gradient) CHECK(g == Approx(0).margin(1e-6));
    const auto wrong = differentiated<CTC(2), Shape{batch, 3, 3}, Shape{batch, 2}, TestType>(
        {-1e4, 1e4, 0, -1e4, 0, 1e4, 0, 1e4, -1e4}, {1, 1});
    CHECK(wrong.value == Approx(2e4));
    CHECK(wrong.gradient[3] == Approx(-1));
    CHECK(wrong.gradient[5] == Approx(1));
}

TEST_CASE("CTC of classes that cannot be is CTC without them") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Numbers_ z{0.3, 0.1, -infinite, -0.2, 0.4, -infinite, 0.5, 0, -infinite}, spelled_labels{1, 0, 0};
    Numbers_ without;
    for (const double score : z)
        if (score != -infinite) without.push_back(score);
    constexpr Shape three{batch, 3, 3}, two{batch, 3, 2}, spelling{batch, 3};
    const auto found = differentiated<CTC(3), three, spelling>(z, spelled_labels);
    const auto wanted = differentiated<CTC(3), two, spelling>(without, spelled_labels);
    CHECK(found.value == Approx(wanted.value));
    for (std::size_t i = 0; i < 9; ++i)
        CHECK(found.gradient[i] == Approx(i % 3 == 2 ? 0 : wanted.gradient[i / 3 * 2 + i % 3]));
}

TEST_CASE("CTC predicts the softmax of each time") {
    const Numbers_ p = predicted<CTC(2), Shape{batch, 2, 2}>({0, 0, 1e4, 0});
    CHECK(p == Numbers_{0.5, 0.5, 1, 0});
    static_assert(CTC(7).target(Shape{batch, 20, 5}) == Shape{batch, 7});
}

/// Forward and backward variables in extended precision (the paper's equations 6, 10 and 15): loss and gradient.
double forward_backward(const double* z, std::size_t times, std::size_t symbols, const Labels& y, double* gradient) {
    const auto add = [](long double a, long double b) {
        const long double most = std::max(a, b);
        return std::isinf(most) ? most : most + std::log1p(std::exp(-std::abs(a - b)));
    };
    constexpr long double none = -std::numeric_limits<long double>::infinity();
    const std::size_t states = 2 * y.size() + 1;
    const auto symbol = [&](std::size_t s) { return s % 2 ? static_cast<std::size_t>(y[s / 2]) : std::size_t{0}; };
    const auto skips = [&](std::size_t s) { return s >= 2 && s % 2 && symbol(s) != symbol(s - 2); };
    std::vector<Numbers_> p;
    for (std::size_t t = 0; t < times; ++t) p.push_back(log_softmax_of(z + t * symbols, symbols));
    std::vector<std::vector<long double>> alpha(times, std::vector<long double>(states, none)), beta = alpha;
    for (std::size_t t = 0; t < times; ++t)
        for (std::size_t s = 0; s < states; ++s) {
            long double a = t == 0 ? (s < 2 ? 0.0L : none) : alpha[t - 1][s];
            if (t > 0 && s > 0) a = add(a, alpha[t - 1][s - 1]);
            if (t > 0 && skips(s)) a = add(a, alpha[t - 1][s - 2]);
            alpha[t][s] = a + p[t][symbol(s)];
        }
    for (std::size_t t = times; t-- > 0;)
        for (std::size_t s = states; s-- > 0;) {
            const bool last = t + 1 == times;
            long double b = last ? (s + 2 >= states ? 0.0L : none) : beta[t + 1][s] + p[t + 1][symbol(s)];
            if (!last && s + 1 < states) b = add(b, beta[t + 1][s + 1] + p[t + 1][symbol(s + 1)]);
            if (!last && s + 2 < states && skips(s + 2)) b = add(b, beta[t + 1][s + 2] + p[t + 1][symbol(s + 2)]);
            beta[t][s] = b;
        }
    long double all = alpha[times - 1][states - 1];
    if (states > 1) all = add(all, alpha[times - 1][states - 2]);
    for (std::size_t t = 0; t < times; ++t)
        for (std::size_t c = 0; c < symbols; ++c) {
            long double posterior = 0;
            for (std::size_t s = 0; s < states; ++s)
                if (symbol(s) == c) posterior += std::exp(alpha[t][s] + beta[t][s] - all);
            gradient[t * symbols + c] = std::exp(p[t][c]) - static_cast<double>(posterior);
        }
    return -static_cast<double>(all);
}

TEST_CASE("CTC over 200 steps does not underflow") {
    // As a tape, in the interpreter.
    constexpr Shape scores{batch, 200, 5}, targets_{batch, 20};
    constexpr std::size_t size = 200 * 5;
    sigma::detail::Program p;
    const Tensor z{detail::input(p, scores, 0)};
    const Tensor y{detail::input(p, targets_, 1)};
    const auto l = CTC(20, {.reduction = Reduction::total}).loss(z, y);
    sigma::detail::List<Variable> wrt;
    wrt.push(z.variable);
    p.outputs.push(l.variable);
    p.outputs.push(differentiate(l.variable, constant(&p.tape, 1), wrt)[0]);

    const Numbers_ numbers = random_numbers(33, 2 * size, -6, 6);
    Numbers_ label_numbers(40, 0);
    for (std::size_t i = 0; i < 33; ++i) label_numbers[i] = static_cast<double>(1 + i * i % 4);
    const auto found = interpret(p, {{numbers, label_numbers}, {}, {}, {}}, 2);
    Numbers_ wanted(2 * size);
    double total = 0;
    for (std::size_t r = 0; r < 2; ++r)
        total += forward_backward(numbers.data() + r * size, 200, 5, without_filling(label_numbers.data() + r * 20, 20),
                                  wanted.data() + r * size);
    CHECK(total > 800);  // exp(-800) is no double
    CHECK(found.outputs[0][0] == Approx(total).epsilon(1e-12));
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(found.outputs[1][i] - wanted[i]));
    CHECK(worst < 1e-10);
}

TEST_CASE("The reference of the long sequences agrees with enumeration") {
    const Numbers_ z = random_numbers(34, 15);
    Numbers_ gradient(15);
    for (const Labels& y : {Labels{1, 2}, Labels{1, 1}, Labels{2}, Labels{}})
        CHECK(forward_backward(z.data(), 5, 3, y, gradient.data()) == Approx(by_enumeration(z.data(), 5, 3, y)));
}

}  // namespace
