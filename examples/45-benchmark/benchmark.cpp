// SPDX-License-Identifier: BSL-1.0
// Compares a product of matrices written by hand with Sigma's and, if its headers are installed, with Eigen's. Prints a
// table, and two upper limits of one core.
#include <sigma/benchmark.hpp>
#include <sigma/benchmark/count_allocations.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>

#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#endif

using namespace sigma;

namespace {

using Matrix = xt::xtensor<float, 2>;

// [kernel]
/// Computes c = a · b row by row. All matrices are (n, n).
void own_product(const float* a, const float* b, float* c, std::size_t n) {
    std::fill_n(c, n * n, 0.0f);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// [kernel]

// [eigen]
void add_eigen([[maybe_unused]] Comparison& comparison, [[maybe_unused]] int n, [[maybe_unused]] const Amount& amount) {
#if __has_include(<eigen3/Eigen/Core>)
    using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    comparison.add(
        "Eigen",
        [a = Rows::Ones(n, n).eval(), b = Rows::Ones(n, n).eval(), c = Rows(n, n)]() mutable {
            c.noalias() = a * b;
            keep_result(c.data());
        },
        amount);
#endif
}
// [eigen]

}  // namespace

int main() {
    // [compare]
    constexpr int size = 128;
    const Matrix a = xt::ones<float>({size, size}), b = xt::ones<float>({size, size});
    Matrix own({size, size}), sigmas({size, size});
    const auto product = evaluate([](auto x, auto y) { return dot(x, y); });

    Comparison comparison("product of 128 × 128 matrices", {.seconds = 0.2});
    const Amount amount{.operations = 2.0 * size * size * size};
    comparison.add("own", [&] { own_product(a.data(), b.data(), own.data(), size); }, amount);
    comparison.add("Sigma", [&] { product.into(sigmas)(a, b); }, amount);
    add_eigen(comparison, size, amount);  // if it is installed
    const ComparisonReport report = comparison.run();
    std::printf("%s\n", report.table().c_str());
    // [compare]
    // [limits]
    std::printf("one core: %.0f GFLOP/s of multiply-adds, %.1f GB/s of copies within 1 MB\n",
                1e-9 * multiply_add_rate(), 1e-9 * copy_rate(1 << 20));
    // [limits]
    return own == sigmas && report["Sigma"].ratio > 1 ? 0 : 1;
}
