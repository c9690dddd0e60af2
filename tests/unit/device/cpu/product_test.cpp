// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/product.hpp>

#include "support/effort.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

using namespace sigma::on_cpu;

namespace {

std::ptrdiff_t padded_to(std::ptrdiff_t n, int width) { return (n + width - 1) / width * width; }

// One product with its matrices. Everything outside the matrices is NaN: reading it changes C, and its bits detect
// stray writes.
template <class T>
struct Case {
    ProductArguments<T> p{};
    std::vector<T> a, b, c;

    Case(std::mt19937& random, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, bool transposed, T alpha,
         bool accumulate, bool padded) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        std::uniform_real_distribution<T> real(-1, 1);
        const std::ptrdiff_t extra = padded ? 0 : static_cast<std::ptrdiff_t>(random() % 4);
        const std::ptrdiff_t row = (padded ? padded_to(n, lanes<T>) : n) + extra;
        const std::ptrdiff_t a_rows = transposed ? k : m, a_columns = transposed ? m : k, a_row = a_columns + extra;
        // Ends with the last element that may be used, so that AddressSanitizer detects accesses behind it.
        const auto fill = [&](std::vector<T>& x, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t length) {
            x.assign(static_cast<std::size_t>(rows == 0 ? 0 : rows * length - (padded ? 0 : length - columns)), nan);
            for (std::ptrdiff_t i = 0; i < rows; ++i)
                for (std::ptrdiff_t j = 0; j < columns; ++j) x[static_cast<std::size_t>(i * length + j)] = real(random);
        };
        fill(b, k, n, row);
        fill(c, m, n, row);
        if (!padded) fill(a, a_rows, a_columns, a_row);
        else {
            a.resize(static_cast<std::size_t>(a_rows * a_row));
            for (T& x : a) x = real(random);
        }
        if (!accumulate)  // C must not be read then
            for (T& x : c) x = nan;
        p = {m,   n,     k,          a.data(), transposed ? 1 : a_row, transposed ? a_row : 1, b.data(), row, c.data(),
             row, alpha, accumulate, padded};
    }

    void examine() {
        const std::vector<T> before = c;
        product(p);
        const double epsilon = std::numeric_limits<T>::epsilon();
        double worst = 0;  // error in units of its bound
        bool guards = true;
        for (std::size_t at = 0; at < c.size(); ++at) {
            const auto i = static_cast<std::ptrdiff_t>(at) / p.c_row, j = static_cast<std::ptrdiff_t>(at) % p.c_row;
            if (j >= p.n) {
                guards = guards && (p.padded || std::memcmp(&c[at], &before[at], sizeof(T)) == 0);
                continue;
            }
            // Sums of k rounded terms: |error| <= (k + 4) * epsilon * sum of |terms| (Higham 2002, section 3.1), with
            // room for the reference's own error.
            double sum = 0, size = 0;
            for (std::ptrdiff_t k = 0; k < p.k; ++k) {
                const double term = double(p.a[i * p.a_row + k * p.a_column]) * double(p.b[k * p.b_row + j]);
                sum += term;
                size += std::abs(term);
            }
            const double old = p.accumulate ? double(before[at]) : 0;
            const double bound = (double(p.k) + 4) * epsilon * (std::abs(double(p.alpha)) * size + std::abs(old));
            const double error = std::abs(double(c[at]) - (double(p.alpha) * sum + old));
            if (!(error <= bound)) worst = std::max(worst, std::isnan(error) ? 1e30 : error / std::max(bound, 1e-300));
        }
        if (p.n >= lanes<T>) {  // bit-identical with all of B packed
            std::vector<T> packed(static_cast<std::size_t>(packed_elements<T>(p.n, p.k))), again = before;
            pack_whole(p.b, p.b_row, p.n, p.k, p.padded, packed.data());
            ProductArguments<T> q = p;
            q.c = again.data();
            q.packed = packed.data();
            product(q);
            for (std::size_t at = 0; at < c.size(); ++at)
                if (static_cast<std::ptrdiff_t>(at) % p.c_row < p.n || !p.padded)
                    guards = guards && std::memcmp(&c[at], &again[at], sizeof(T)) == 0;
        }
        INFO(p.m << " x " << p.k << " x " << p.n << (p.a_column != 1 ? " transposed" : "") << " alpha " << p.alpha
                 << (p.accumulate ? " accumulate" : "") << (p.padded ? " padded" : ""));
        check_turned(before);
        CHECK(worst == 0);
        CHECK(guards);
    }

    // Bit-identical with a transposed B, whose rows end with their last element.
    void check_turned(const std::vector<T>& before) {
        const std::ptrdiff_t length = p.k + 3;
        std::vector<T> turned(static_cast<std::size_t>(p.n * length - 3), std::numeric_limits<T>::quiet_NaN());
        for (std::ptrdiff_t k = 0; k < p.k; ++k)
            for (std::ptrdiff_t j = 0; j < p.n; ++j)
                turned[static_cast<std::size_t>(j * length + k)] = p.b[k * p.b_row + j];
        std::vector<T> again = before;
        ProductArguments<T> q = p;
        q.b = turned.data();
        q.b_row = length;
        q.b_transposed = true;
        q.c = again.data();
        product(q);
        bool same = true;
        for (std::size_t at = 0; at < c.size(); ++at)
            if (static_cast<std::ptrdiff_t>(at) % p.c_row < p.n || !p.padded)
                same = same && std::memcmp(&c[at], &again[at], sizeof(T)) == 0;
        CHECK(same);
    }

    // Repeats the product in pieces, with random divisions of rows and columns; the result must be bit-identical.
    void check_pieces(std::mt19937& random) {
        std::vector<T> original = c;
        product(p);
        const std::vector<T> whole = c;
        for (int trial = 0; trial < 4; ++trial) {
            c = original;
            const auto cuts = [&](std::ptrdiff_t extent, std::ptrdiff_t step) {
                std::vector<std::ptrdiff_t> at{0};
                while (at.back() < extent) {
                    const auto length = 1 + static_cast<std::ptrdiff_t>(random() % static_cast<std::size_t>(extent));
                    at.push_back(std::min(extent, at.back() + padded_to(length, static_cast<int>(step))));
                }
                return at;
            };
            const auto rows = cuts(p.m, 1);
            auto columns = cuts(p.n, p.padded ? lanes<T> : 1);
            const bool apart = p.a_column == 1 && p.n > 1;  // a single column would have another order of sums
            for (std::size_t y = 1; apart && y < columns.size();) {
                if (columns[y] - columns[y - 1] > 1) ++y;
                else columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(y > 1 ? y - 1 : y));
            }
            for (std::size_t x = 1; x < rows.size(); ++x)
                for (std::size_t y = 1; y < columns.size(); ++y) {
                    ProductArguments<T> piece = p;
                    piece.m = rows[x] - rows[x - 1];
                    piece.n = columns[y] - columns[y - 1];
                    piece.a += rows[x - 1] * p.a_row;
                    piece.b += columns[y - 1];
                    piece.c += rows[x - 1] * p.c_row + columns[y - 1];
                    product(piece);
                }
            bool same = true;
            for (std::ptrdiff_t i = 0; i < p.m; ++i)
                same = same && std::memcmp(&c[static_cast<std::size_t>(i * p.c_row)],
                                           &whole[static_cast<std::size_t>(i * p.c_row)],
                                           static_cast<std::size_t>(p.n) * sizeof(T)) == 0;
            INFO(p.m << " x " << p.k << " x " << p.n << (p.a_column != 1 ? " transposed" : "")
                     << (p.accumulate ? " accumulate" : "") << (p.padded ? " padded" : ""));
            CHECK(same);
        }
    }
};

using Shape = std::tuple<int, int, int>;  // m, n, k
const Shape large_shapes[] = {{150, 1, 770},   {33, 1, 20},    {2, 128, 1024}, {3, 40, 1024},  {1, 128, 784},
                              {1, 72, 100},    {2, 300, 400},  {32, 128, 784}, {100, 64, 128}, {784, 10, 100},
                              {300, 260, 50},  {97, 259, 769}, {25, 33, 1153}, {400, 300, 33}, {24, 7, 500},
                              {700, 256, 130}, {250, 257, 769}};  // the last: several parts of A in
                                                                  // several blocks of k
}  // namespace

TEMPLATE_TEST_CASE("products of small matrices", "[product]", float, double) {
    std::mt19937 random(1);
    const auto extent = [&] { return static_cast<std::ptrdiff_t>(1 + random() % 40); };
    for (int trial = 0; trial < sigma::test::effort(1500); ++trial) {
        const TestType alphas[] = {1, TestType(-0.01), TestType(2.5)};
        Case<TestType>(random, extent(), extent(), extent(), random() % 2, alphas[random() % 3], random() % 2,
                       random() % 2)
            .examine();
    }
}

TEMPLATE_TEST_CASE("products of large matrices", "[product]", float, double) {
    std::mt19937 random(2);
    for (const auto& [m, n, k] : large_shapes)
        for (int mode = 0; mode < sigma::test::effort(8); ++mode)
            Case<TestType>(random, m, n, k, mode & 1, TestType(-0.5), mode & 2, mode & 4).examine();
}

TEMPLATE_TEST_CASE("a piece of a product has the same bits as the whole", "[product]", float, double) {
    std::mt19937 random(3);
    const auto extent = [&] { return static_cast<std::ptrdiff_t>(1 + random() % 40); };
    for (int trial = 0; trial < sigma::test::effort(400); ++trial)
        Case<TestType>(random, extent(), extent(), extent(), random() % 2, TestType(0.3), random() % 2, random() % 2)
            .check_pieces(random);
    for (const auto& [m, n, k] : large_shapes)
        for (int mode = 0; mode < sigma::test::effort(8); ++mode)
            Case<TestType>(random, m, n, k, mode & 1, TestType(-0.3), mode & 2, mode & 4).check_pieces(random);
}

TEMPLATE_TEST_CASE("padding does not change the bits", "[product]", float, double) {
    using T = TestType;
    std::mt19937 random(4);
    for (int trial = 0; trial < sigma::test::effort(200); ++trial) {
        const auto m = static_cast<std::ptrdiff_t>(1 + random() % 30),
                   n = static_cast<std::ptrdiff_t>(1 + random() % 30);
        Case<T> padded(random, m, n, 1 + static_cast<std::ptrdiff_t>(random() % 30), random() % 2, T(0.7), random() % 2,
                       true);
        Case<T> tight = padded;
        tight.p.c = tight.c.data();
        tight.p.padded = false;
        product(padded.p);
        product(tight.p);
        bool same = true;
        for (std::ptrdiff_t i = 0; i < m; ++i)
            same = same && std::memcmp(padded.p.c + i * padded.p.c_row, tight.p.c + i * tight.p.c_row,
                                       static_cast<std::size_t>(n) * sizeof(T)) == 0;
        CHECK(same);
    }
}

// The order of product_dots.hpp, with any width of registers, and the same for one row and for many.
TEMPLATE_TEST_CASE("a plain matrix by one column sums in sixty-four bytes of lanes", "[product]", float, double) {
    using T = TestType;
    constexpr auto width = static_cast<std::size_t>(dot_lanes<T>);
    const auto multiply_add = [](T x, T y, T z) {
        return fused_multiply_add<T>(Vector<T>(x), Vector<T>(y), Vector<T>(z)).data[0];
    };
    std::mt19937 random(5);
    for (const int k : {0, 1, 3, 15, 16, 17, 31, 100, 784, static_cast<int>(column_depth<T>) + 5})
        for (const bool accumulate : {false, true}) {
            Case<T> c(random, 7, 1, k, false, T(-0.3), accumulate, random() % 2);
            std::vector<T> wanted;
            for (std::ptrdiff_t i = 0; i < c.p.m; ++i) {
                T result = c.p.accumulate ? c.p.c[i * c.p.c_row] : T(0);
                bool add = c.p.accumulate;
                for (std::ptrdiff_t from = 0; from == 0 || from < k; from += column_depth<T>, add = true) {
                    std::vector<T> sums(width, T(0));
                    for (std::ptrdiff_t x = from; x < std::min<std::ptrdiff_t>(k, from + column_depth<T>); ++x) {
                        T& sum = sums[static_cast<std::size_t>(x - from) % width];
                        sum = multiply_add(c.p.a[i * c.p.a_row + x], c.p.b[x * c.p.b_row], sum);
                    }
                    for (std::size_t half = width / 2; half > 0; half /= 2)
                        for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
                    result = add ? multiply_add(c.p.alpha, sums[0], result) : c.p.alpha * sums[0];
                }
                wanted.push_back(result);
            }
            std::vector<T> alone;
            for (std::ptrdiff_t i = 0; i < c.p.m; ++i) {
                ProductArguments<T> one = c.p;
                T result = c.p.c[i * c.p.c_row];
                one.m = 1, one.a += i * c.p.a_row, one.c = &result, one.padded = false;
                product(one);
                alone.push_back(result);
            }
            product(c.p);
            bool same = true;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const T found = c.p.c[static_cast<std::ptrdiff_t>(i) * c.p.c_row];
                same = same && std::memcmp(&found, &wanted[i], sizeof(T)) == 0 &&
                       std::memcmp(&found, &alone[i], sizeof(T)) == 0;
            }
            INFO("k = " << k << (accumulate ? " accumulate" : ""));
            CHECK(same);
        }
}

TEMPLATE_TEST_CASE("empty products", "[product]", float, double) {
    using T = TestType;
    std::vector<T> c(6, T(5));
    const T none[1] = {};
    ProductArguments<T> p{2, 3, 0, none, 0, 1, none, 3, c.data(), 3, T(1), true, false};
    product(p);
    CHECK(c == std::vector<T>(6, T(5)));
    p.accumulate = false;
    product(p);
    CHECK(c == std::vector<T>(6, T(0)));
    c.assign(6, T(5));
    p.m = 0, p.k = 4;
    product(p);
    p.m = 2, p.n = 0;
    product(p);
    CHECK(c == std::vector<T>(6, T(5)));
}
