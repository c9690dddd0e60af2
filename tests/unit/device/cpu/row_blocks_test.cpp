// SPDX-License-Identifier: BSL-1.0
// Sums over a long loop for several rows of a result run block by block. Each row must have the bits that it has alone.
// Compiled twice: without optimization, all programs are interpreted; with it, those of known extents are fused.
#include <catch2/catch.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace sigma;

namespace {

/// The sum over n, and the greatest one, of w[n][k] (p[n][d] - c[k][d])², plus c[k][d] after the reduction.
constexpr auto scattered = [](auto w, auto p, auto c) {
    const int k = c.shape()[0], d = c.shape()[1];
    const auto apart = square(reshape(p, {p.shape()[0], 1, d}) - c) * reshape(w, {w.shape()[0], k, 1});
    return sum(apart, axis(0)) + max(apart, axis(0)) + c;
};

struct Data {
    xt::xtensor<double, 2> w, p, c;
    Data(std::size_t n, std::size_t rows, std::size_t columns)
        : w(std::array<std::size_t, 2>{n, rows}), p(std::array<std::size_t, 2>{n, columns}),
          c(std::array<std::size_t, 2>{rows, columns}) {
        double at = 0;
        for (auto* const x : {&w, &p, &c})
            for (double& v : *x) v = std::sin(at += 0.7);
    }
    /// The arguments of one row alone.
    Data row(std::size_t k) const {
        Data one(w.shape(0), 1, c.shape(1));
        one.p = p;
        for (std::size_t n = 0; n < w.shape(0); ++n) one.w(n, 0) = w(n, k);
        for (std::size_t d = 0; d < c.shape(1); ++d) one.c(0, d) = c(k, d);
        return one;
    }
    double plain(std::size_t k, std::size_t d) const {
        double total = 0, greatest = -INFINITY;
        for (std::size_t n = 0; n < w.shape(0); ++n) {
            const double term = w(n, k) * std::pow(p(n, d) - c(k, d), 2);
            total += term, greatest = std::fmax(greatest, term);
        }
        return total + greatest + c(k, d);
    }
};

/// Checks all rows. `of` computes the function of the arguments, `alone` that of one row.
template <class Of, class Alone>
void check(const Data& data, const Of& of, const Alone& alone) {
    const xt::xtensor<double, 2> all = of(data);
    double apart = 0;
    int different = 0;
    for (std::size_t k = 0; k < data.c.shape(0); ++k) {
        const xt::xtensor<double, 2> one = alone(data.row(k));
        for (std::size_t d = 0; d < data.c.shape(1); ++d) {
            apart = std::fmax(apart, std::abs(all(k, d) - data.plain(k, d)));
            different += all(k, d) != one(0, d);
        }
    }
    CHECK(apart < 1e-10);
    CHECK(different == 0);
}

template <int rows, int columns>
void check_known(std::size_t n) {
    INFO("known extents, " << n << " x " << rows << " x " << columns);
    const auto of = [](const Data& x) {
        return evaluate(scattered)(shaped<batch, rows>(x.w), shaped<batch, columns>(x.p), shaped<rows, columns>(x.c));
    };
    const auto alone = [](const Data& x) {
        return evaluate(scattered)(shaped<batch, 1>(x.w), shaped<batch, columns>(x.p), shaped<1, columns>(x.c));
    };
    check(Data(n, rows, columns), of, alone);
}

}  // namespace

TEST_CASE("Rows that are summed together have the bits of each alone") {
    for (const std::size_t n : {1u, 255u, 256u, 257u, 512u, 700u, 1025u}) {
        check_known<2, 2>(n);
        check_known<7, 5>(n);
        check_known<10, 8>(n);
        check_known<3, 43>(n);
        const auto traced = [](const Data& x) { return evaluate(scattered)(x.w, x.p, x.c); };
        for (const std::size_t rows : {2u, 9u, 200u})
            for (const std::size_t columns : {2u, 8u, 19u, 90u}) {
                INFO("traced, " << n << " x " << rows << " x " << columns);
                if (rows * columns < 4000) check(Data(n, rows, columns), traced, traced);
            }
    }
}
