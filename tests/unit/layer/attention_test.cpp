// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Plain : Network<Input(5, 6) + Elementwise() + Attention(2) + SquaredDiff()> {};
struct Causal : Network<Input(7, 3) + Elementwise() + Attention(3, {.causal = true, .bias = false}) + SquaredDiff()> {};
struct Single : Network<Input(1, 4) + Elementwise() + Attention(1, {.causal = true}) + SquaredDiff()> {};
struct Dropped : Network<Input(5, 6) + Elementwise() + Attention(2, {.dropout = 0.3}) + SquaredDiff()> {};

/// Records of (time, width + 1): the last column is the mask.
template <bool causal>
struct Masked : Layer {
    static constexpr Text kind = "masked";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const int times = x.shape()[1], width = x.shape()[2] - 1;
        const auto mask = stop_gradient(reshape(slice(x, axis(2), width, width + 1), {batch, times}));
        return inner(Attention(2, {.causal = causal}), context, "attention", slice(x, axis(2), 0, width), mask);
    }
};
struct Padded : Network<Input(5, 7) + Masked<false>() + SquaredDiff()> {};
struct PaddedCausal : Network<Input(5, 7) + Masked<true>() + SquaredDiff()> {};

/// The first three times look at the other four, of which a mask in the last column hides some.
template <bool masked>
struct Crossed : Layer {
    static constexpr Text kind = "crossed";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const int width = x.shape()[2] - 1;
        const auto all = slice(x, axis(2), 0, width);
        const auto here = slice(all, axis(1), 0, 3);
        const auto memory = slice(slice(all, axis(1), 3, 7), axis(2), 0, width - 1);  // of another width
        if constexpr (masked) {
            const auto mask =
                stop_gradient(reshape(slice(slice(x, axis(2), width, width + 1), axis(1), 3, 7), {batch, 4}));
            return inner(Attention(2), context, "attention", here, memory, mask);
        } else {
            return inner(Attention(2), context, "attention", here, memory);
        }
    }
};
struct Cross : Network<Input(7, 5) + Elementwise() + Crossed<false>() + SquaredDiff()> {};
struct CrossMasked : Network<Input(7, 5) + Crossed<true>() + SquaredDiff()> {};

/// In an expression, two values side by side are the input and its memory.
struct SideBySide : Network<(Input(3, 4) & Input(5, 6)) + Attention(2) + SquaredDiff()> {};
static_assert(SideBySide::output == Shape{batch, 3, 4});

struct Matrix {
    std::size_t rows = 0, columns = 0;
    Values data{};
    Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), data(r * c) {}
    double& operator()(std::size_t i, std::size_t j) { return data[i * columns + j]; }
    double operator()(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
};

/// Attention of one record by its definition, one query, head and key at a time.
struct Naive {
    Matrix w[4]{{0, 0}, {0, 0}, {0, 0}, {0, 0}};  // query, key, value, output
    Values b[4];

    template <class M>
    explicit Naive(M& model) {
        constexpr const char* names[] = {"query", "key", "value", "output"};
        for (int i = 0; i < model.parameter_count; ++i)
            for (std::size_t k = 0; k < 4; ++k) {
                const std::string_view name = model.records.parameters[i].name.view();
                const auto p = model.parameter(i);
                if (name.ends_with(std::string(names[k]) + "_weights")) {
                    w[k] = Matrix(p.shape(0), p.shape(1));
                    w[k].data = values(p);
                    if (b[k].empty()) b[k] = Values(p.shape(1));
                } else if (name.ends_with(std::string(names[k]) + "_biases")) {
                    b[k] = values(p);
                }
            }
    }
    Matrix project(const Matrix& x, std::size_t k) const {
        Matrix y(x.rows, w[k].columns);
        for (std::size_t i = 0; i < y.rows; ++i)
            for (std::size_t j = 0; j < y.columns; ++j) {
                y(i, j) = b[k][j];
                for (std::size_t c = 0; c < x.columns; ++c) y(i, j) += x(i, c) * w[k](c, j);
            }
        return y;
    }
    Values operator()(const Matrix& x, const Matrix& memory, std::size_t heads, auto allowed) const {
        const Matrix q = project(x, 0), k = project(memory, 1), v = project(memory, 2);
        const std::size_t part = q.columns / heads;
        Matrix joined(q.rows, q.columns);
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t t = 0; t < q.rows; ++t) {
                Values e(k.rows);
                double sum = 0;
                for (std::size_t s = 0; s < k.rows; ++s) {
                    if (!allowed(t, s)) continue;
                    double score = 0;
                    for (std::size_t c = h * part; c < (h + 1) * part; ++c) score += q(t, c) * k(s, c);
                    sum += e[s] = std::exp(score / std::sqrt(static_cast<double>(part)));
                }
                for (std::size_t s = 0; s < k.rows && sum > 0; ++s)
                    for (std::size_t c = h * part; c < (h + 1) * part; ++c) joined(t, c) += e[s] / sum * v(s, c);
            }
        return project(joined, 3).data;
    }
};
/// Columns `first` … `end` - 1 of rows `top` … `bottom` - 1.
Matrix part_of(const Matrix& x, std::size_t top, std::size_t bottom, std::size_t end) {
    Matrix y(bottom - top, end);
    for (std::size_t i = top; i < bottom; ++i)
        for (std::size_t j = 0; j < end; ++j) y(i - top, j) = x(i, j);
    return y;
}

constexpr auto everything = [](std::size_t, std::size_t) { return true; };
constexpr auto past = [](std::size_t t, std::size_t s) { return s <= t; };

template <class N>
void examine(std::size_t heads, auto allowed) {
    constexpr std::size_t times = N::input[1], width = N::input[2], records = 3;
    Model<N, double> model(1);
    scramble(model, 5);
    const Naive naive(model);
    const Values x = normal(times * width * records, 7), found = predict(model, x);
    const Values w = values(model.parameter(0)), b = values(model.parameter(1));
    Values wanted;
    for (std::size_t r = 0; r < records; ++r) {
        Matrix z(times, width);
        for (std::size_t i = 0; i < z.data.size(); ++i) z.data[i] = x[r * z.data.size() + i] * w[i] + b[i];
        const Values y = naive(z, z, heads, allowed);
        wanted.insert(wanted.end(), y.begin(), y.end());
    }
    CHECK(distance(found, wanted) < 1e-12);
    CHECK(gradient_error<N>(2) < gradient_tolerance);
}

}  // namespace

TEST_CASE("Attention is what a loop over queries, heads and keys computes") {
    examine<Plain>(2, everything);
    examine<Causal>(3, past);
    examine<Single>(1, past);
}

TEST_CASE("Dropout of attention weights has gradients, and is off in prediction") {
    CHECK(gradient_error<Dropped>(2) < gradient_tolerance);
    Model<Plain, double> plain(1);
    Model<Dropped, double> dropped(1);
    const Values x = normal(60, 2);
    CHECK(predict(plain, x) == predict(dropped, x));
}

TEST_CASE("The future does not change the past, bit for bit") {
    Model<Causal, double> model(1);
    Model<Plain, double> open(1);
    for (std::size_t changed = 0; changed < 7; ++changed) {
        Values x = normal(21, 7);
        const Values before = predict(model, x);
        for (std::size_t i = 3 * changed; i < 21; ++i) x[i] = -5 * x[i] + 1;
        const Values after = predict(model, x);
        CHECK(Values(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(3 * changed)) ==
              Values(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(3 * changed)));
        CHECK(before[3 * changed] != after[3 * changed]);
    }
    Values x = normal(30, 7);
    const Values before = predict(open, x);
    x[29] += 1;
    CHECK(before[0] != predict(open, x)[0]);
}

template <class N>
void check_padded(bool causal) {
    Model<N, double> model(1);
    scramble(model, 5);
    const Naive naive(model);
    // The last record allows nothing at all: what is left is the bias of the output.
    const int mask[4][5] = {{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}, {0, 0, 1, 0, 1}, {0, 0, 0, 0, 0}};
    Values x = normal(4 * 35, 7), wanted;
    for (std::size_t r = 0; r < 4; ++r) {
        Matrix z(5, 7);
        for (std::size_t t = 0; t < 5; ++t) x[r * 35 + t * 7 + 6] = mask[r][t];
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(r) * 35, 35, z.data.begin());
        Matrix in = part_of(z, 0, 5, 6);
        for (std::size_t i = 0; i < 30; ++i)  // whoever is masked asks nothing either
            if (!mask[r][i / 6]) in.data[i] = 0;
        const Values y =
            naive(in, in, 2, [&](std::size_t t, std::size_t s) { return mask[r][s] != 0 && (!causal || s <= t); });
        wanted.insert(wanted.end(), y.begin(), y.end());
    }
    CHECK(distance(predict(model, x), wanted) < 1e-12);
    // Nobody looks at what is masked, bit for bit.
    Values other = x;
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t t = 0; t < 5; ++t)
            for (std::size_t c = 0; c < 6; ++c)
                if (!mask[r][t]) other[r * 35 + t * 7 + c] = c == 0 ? std::numeric_limits<double>::quiet_NaN() : 1e3;
    const Values before = predict(model, x), after = predict(model, other);
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t t = 0; t < 5; ++t)
            for (std::size_t c = 0; c < 6; ++c)
                if (mask[r][t]) CHECK(before[r * 30 + t * 6 + c] == after[r * 30 + t * 6 + c]);
}

TEST_CASE("A mask hides times, and a row that sees nothing gives no NaN") {
    check_padded<Padded>(false);
    check_padded<PaddedCausal>(true);
}

TEST_CASE("Padding has gradients, and a batch of nothing but padding too") {
    Model<PaddedCausal, double> model(1);
    scramble(model, 5);
    Values x = normal(2 * 35, 7);
    const Values y = normal(2 * 30, 8);
    for (std::size_t t = 0; t < 10; ++t) x[7 * t + 6] = t % 3 != 0 && t > 6 ? 1 : 0;  // record 0 sees nothing
    Inspection<PaddedCausal, double> look(model);
    look.run(x.data(), y.data(), 2);
    std::vector<Values> gradients;
    for (int i = 0; i < model.parameter_count; ++i) gradients.push_back(values(look.gradient(i)));
    for (int i = 0; i < model.parameter_count; ++i) {
        const Values& gradient = gradients[static_cast<std::size_t>(i)];
        auto w = model.parameter(i);
        std::size_t k = 0;
        double worst = 0;
        for (auto& v : w) {
            const double middle = v;
            v = middle + 1e-5;
            const double above = look.run(x.data(), y.data(), 2);
            v = middle - 1e-5;
            const double below = look.run(x.data(), y.data(), 2);
            v = middle;
            worst = std::max(worst, std::abs((above - below) / 2e-5 - gradient[k++]));
        }
        CHECK(worst < gradient_tolerance);
    }
}

TEST_CASE("Queries look at another memory") {
    Model<Cross, double> model(1);
    scramble(model, 5);
    const Values w = values(model.parameter(0)), b = values(model.parameter(1));
    const Values x = normal(2 * 35, 7);
    Values wanted;
    for (std::size_t r = 0; r < 2; ++r) {
        Matrix z(7, 5);
        for (std::size_t i = 0; i < 35; ++i) z.data[i] = x[r * 35 + i] * w[i] + b[i];
        const Values y = Naive(model)(part_of(z, 0, 3, 4), part_of(z, 3, 7, 3), 2, everything);
        wanted.insert(wanted.end(), y.begin(), y.end());
    }
    CHECK(distance(predict(model, x), wanted) < 1e-12);
    CHECK(gradient_error<Cross>(2) < gradient_tolerance);

    Model<CrossMasked, double> masked(1);
    scramble(masked, 5);
    Values xm = normal(35, 9);
    Matrix z(7, 5);
    for (std::size_t t = 3; t < 7; ++t) xm[5 * t + 4] = t % 2 == 1 ? 1 : 0;
    z.data = xm;
    CHECK(distance(predict(masked, xm), Naive(masked)(part_of(z, 0, 3, 4), part_of(z, 3, 7, 3), 2,
                                                      [](std::size_t, std::size_t s) { return (s + 3) % 2 == 1; })) <
          1e-12);
}

TEST_CASE("Scores far apart overflow nothing") {
    Model<Plain, float> model(1);
    model.initialize("*.query_weights", constant(30));
    model.initialize("*.key_weights", constant(30));
    std::vector<float> x(30), y(30);
    for (std::size_t i = 0; i < 30; ++i) x[i] = static_cast<float>(i) - 15;
    model.predict(x.data(), y.data(), 1);
    for (float v : y) CHECK(std::isfinite(v));
}
