// SPDX-License-Identifier: BSL-1.0
#include "generated_kernels.hpp"

#include <sigma/device/cpu/product.hpp>
#include <sigma/device/gpu/generate/product.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace sigma;
using generated_kernels::devices;
using generated_kernels::Kernels;
using generated_kernels::OneKernel;

namespace {

struct Case {
    int m, n, k, outer, inner;  // coded
    bool transposed, accumulate, negative, scalar;
    double alpha;
    int a_row, b_row, c_row;
    long long records;
};
const Case cases[] = {
    {-1, 10, 37, 1, 1, false, false, false, false, 1, 40, 16, 16, 70},
    {-3, 65, 33, 1, 1, false, false, false, false, 1, 33, 72, 66, 30},
    {-1, 70, 5, 1, 1, false, false, false, false, 1, 5, 70, 70, 90},     // large tiles
    {33, 17, -1, 1, 1, true, true, true, false, 0.125, 40, 24, 24, 51},  // as gradients of weights
    {20, 40, -2, 1, 1, true, true, false, true, 7, 20, 40, 40, 405},     // blocks along k
    {9, 6, 801, 1, 1, false, false, true, false, -0.5, 808, 8, 8, 1},
    {12, 7, 16, -1, 3, false, false, false, false, 1, 16, 8, 8, 4},  // one for each head
    {5, 33, 9, 2, -1, true, false, false, false, 1, 8, 40, 40, 3},
    {1, 1, 1, 1, 1, false, true, false, true, 1, 1, 1, 1, 1},
};

enum class Sums { in_order, split };

template <class T>
void examine(Sums sums) {
    Kernels kernels;
    for (const Case& c : cases) {
        OneKernel one;
        detail::ProductKernel p;
        p.transposed = c.transposed;
        p.each = c.outer != 1 || c.inner != 1;
        p.accumulate = c.accumulate;
        p.negative = c.negative;
        p.scaled = c.scalar;
        p.m = c.m, p.n = c.n, p.k = c.k;
        p.count[0] = c.outer, p.count[1] = c.inner;
        p.alpha = c.alpha;
        one.kernel = detail::Kernel(p);
        const int sizes[] = {c.a_row * (c.transposed ? c.k : c.m), c.b_row * c.k, c.c_row * c.m},
                  rows[] = {c.a_row, c.b_row, c.c_row};
        for (int i = 0; i < 3; ++i) one.argument({rows[i], c.inner < 0 ? -sizes[i] : sizes[i] * c.inner, sizes[i]});
        if (c.scalar) one.argument({});
        on_gpu::GeneratedKernel generated = on_gpu::generate_product(one.view(detail::element_type<T>), one.kernel);
        if (sums == Sums::split) generated.launches = generated.other;
        kernels.add(generated);
    }
    for (std::size_t number = 0; number < std::size(cases); ++number)
        for (const auto& device : devices()) {
            INFO("case " << number << ", " << device->name() << ", " << device->threads(1024) << " threads");
            const Case& c = cases[number];
            const auto size = [&](int coded) { return static_cast<std::size_t>(detail::resolve(coded, c.records)); };
            const std::size_t m = size(c.m), n = size(c.n), k = size(c.k), count = size(c.outer) * size(c.inner);
            const auto a_row = static_cast<std::size_t>(c.a_row), b_row = static_cast<std::size_t>(c.b_row),
                       c_row = static_cast<std::size_t>(c.c_row);
            std::vector<T> a(count * a_row * (c.transposed ? k : m)), b(count * b_row * k), to(count * c_row * m),
                scalar{T(0.375)};
            for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(std::sin(static_cast<double>(i)));
            for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(std::cos(static_cast<double>(3 * i)));
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(i % 7);
            std::vector<T> found = to, expected = to;
            const T alpha = (c.negative ? T(-1) : T(1)) * (c.scalar ? scalar[0] : static_cast<T>(c.alpha));
            for (std::size_t x = 0; x < count; ++x) {
                const auto integer = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
                on_cpu::product<T>({integer(m), integer(n), integer(k), a.data() + x * a.size() / count,
                                    c.transposed ? 1 : c.a_row, c.transposed ? c.a_row : 1,
                                    b.data() + x * b.size() / count, c.b_row, expected.data() + x * to.size() / count,
                                    c.c_row, alpha, c.accumulate});
            }
            std::vector<generated_kernels::Array<T>> arguments{a, b, found};
            if (c.scalar) arguments.push_back(scalar);
            kernels.run<T>(*device, number, arguments, c.records);
            bool within = true, equal = true, kept = true;
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (i % c_row >= n) {  // padding, which must not be read
                    kept = kept && found[i] == to[i];
                    continue;
                }
                equal = equal && found[i] == expected[i];
                const T scale = static_cast<T>(std::sqrt(static_cast<double>(k))) + std::abs(to[i]);
                within = within && std::abs(found[i] - expected[i]) <= 16 * std::numeric_limits<T>::epsilon() * scale;
            }
            REQUIRE(within);
            REQUIRE(kept);
#if defined(__FMA__)
            if (sums == Sums::in_order) REQUIRE(equal);
#else
            (void)equal;
#endif
        }
}

}  // namespace

TEST_CASE("GPU text: plain products, in the processor's order of sums") {
#if defined(__FMA__)
    // with fused products and sums, as on a GPU, results are bit-identical to the processor's
    setenv("SIGMA_HOST_CXXFLAGS", "-mfma", 1);
#endif
    examine<float>(Sums::in_order);
    examine<double>(Sums::in_order);
    unsetenv("SIGMA_HOST_CXXFLAGS");
}
TEST_CASE("GPU text: products of which threads share k") {
    examine<float>(Sums::split);
    examine<double>(Sums::split);
}
TEST_CASE("GPU text: plain products without fused arithmetic") {
    unsetenv("SIGMA_HOST_CXXFLAGS");
    Kernels kernels;
    OneKernel one;
    detail::ProductKernel p;
    p.m = 70, p.n = 66, p.k = 40;
    one.kernel = detail::Kernel(p);
    for (int i = 0; i < 3; ++i) one.argument({i == 0 ? 40 : 66});
    kernels.add(on_gpu::generate_product(one.view(detail::ElementType::float64), one.kernel));
    std::vector<double> a(70 * 40), b(40 * 66), c(70 * 66);  // integers, so that nothing is rounded
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 11) - 5;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 13) - 6;
    for (const auto& device : devices()) {
        kernels.run<double>(*device, 0, {a, b, c}, 1);
        bool right = true;
        for (std::size_t i = 0; i < 70; ++i)
            for (std::size_t j = 0; j < 66; ++j) {
                double sum = 0;
                for (std::size_t x = 0; x < 40; ++x) sum += a[i * 40 + x] * b[x * 66 + j];
                right = right && c[i * 66 + j] == sum;
            }
        REQUIRE(right);
    }
}
