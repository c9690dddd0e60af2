// SPDX-License-Identifier: BSL-1.0
#include <gpu/host/host_backend.hpp>

#include "host_memory.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace sigma;
using namespace sigma::test;
using on_gpu::Product;

namespace {

template <class T>
std::vector<T> some(std::size_t elements, unsigned seed) {
    std::vector<T> values(elements);
    for (T& x : values) {
        seed = seed * 1664525U + 1013904223U;
        x = static_cast<T>(static_cast<int>(seed >> 16) % 201 - 100) / 64;
    }
    return values;
}
/// Matrices with surplus columns in device memory, and their previous values.
template <class T>
struct Matrices {
    std::vector<T> a, b, c, bias;
    Product product;

    Matrices(HostBackend& device, long long rows, long long columns, long long inner, bool transposed) {
        product.element = sigma::detail::element_type<T>;
        product.rows = rows, product.columns = columns, product.inner = inner;
        product.transposed = transposed;
        product.count[0] = 2, product.count[1] = 3;
        product.a_row = (transposed ? rows : inner) + 3, product.b_row = columns + 2, product.c_row = columns + 1;
        const long long one_a = (transposed ? inner : rows) * product.a_row;
        product.a_stride[0] = 3 * one_a, product.a_stride[1] = one_a;
        product.b_stride[1] = inner * product.b_row;  // the same matrices for all of the first count
        product.c_stride[0] = rows * product.c_row, product.c_stride[1] = 2 * rows * product.c_row;
        const auto elements = [](long long count) { return static_cast<std::size_t>(count); };
        a = some<T>(elements(6 * one_a), 1), b = some<T>(elements(3 * inner * product.b_row), 2);
        c = some<T>(elements(6 * rows * product.c_row), 3), bias = some<T>(elements(columns), 4);
        product.a = uploaded(device, a), product.b = uploaded(device, b), product.c = uploaded(device, c);
        product.bias = uploaded(device, bias);
    }
    /// Returns the largest difference from sums in double. Surplus columns must be unchanged.
    double difference(HostBackend& device, double alpha) const {
        std::vector<T> found(c.size());
        device.download(found.data(), product.c, c.size() * sizeof(T));
        std::vector<double> expected(c.begin(), c.end());
        const auto& p = product;
        for (long long u = 0; u < p.count[0]; ++u)
            for (long long v = 0; v < p.count[1]; ++v)
                for (long long i = 0; i < p.rows; ++i)
                    for (long long j = 0; j < p.columns; ++j) {
                        double sum = 0;
                        for (long long k = 0; k < p.inner; ++k) {
                            const long long at = u * p.a_stride[0] + v * p.a_stride[1] +
                                                 (p.transposed ? k * p.a_row + i : i * p.a_row + k);
                            sum += double(a[std::size_t(at)]) *
                                   double(b[std::size_t(u * p.b_stride[0] + v * p.b_stride[1] + k * p.b_row + j)]);
                        }
                        double& x = expected[std::size_t(u * p.c_stride[0] + v * p.c_stride[1] + i * p.c_row + j)];
                        x = alpha * sum + (p.accumulate ? x : 0);
                        if (p.epilogue == sigma::detail::ProductEpilogue::bias ||
                            p.epilogue == sigma::detail::ProductEpilogue::bias_relu)
                            x += double(bias[std::size_t(j)]);
                        if (p.epilogue == sigma::detail::ProductEpilogue::relu ||
                            p.epilogue == sigma::detail::ProductEpilogue::bias_relu)
                            x = x < 0 ? 0 : x;
                    }
        double most = 0;
        for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, std::abs(double(found[i]) - expected[i]));
        return most;
    }
};

}  // namespace

TEMPLATE_TEST_CASE("host backend: products agree with sums in double", "[gpu]", float, double) {
    HostBackend device;
    for (const bool transposed : {false, true}) {
        for (const bool accumulate : {false, true}) {
            for (const auto epilogue :
                 {sigma::detail::ProductEpilogue::none, sigma::detail::ProductEpilogue::bias,
                  sigma::detail::ProductEpilogue::relu, sigma::detail::ProductEpilogue::bias_relu}) {
                Matrices<TestType> m(device, 5, 19, 33, transposed);
                m.product.accumulate = accumulate;
                m.product.epilogue = epilogue;
                m.product.alpha = -0.5;
                REQUIRE(device.product(m.product));
                CHECK(m.difference(device, -0.5) < (sizeof(TestType) == 4 ? 1e-4 : 1e-12));
            }
        }
    }
    CHECK(device.counters().products == 16);
}

TEST_CASE("host backend: a product reads its factor when it runs, and needs memory of the device", "[gpu]") {
    HostBackend device;
    Matrices<float> m(device, 4, 3, 2, false);
    float* const factor = uploaded(device, std::vector<float>{2});
    m.product.scalar = factor;
    const auto replay = device.capture([&] { device.product(m.product); });
    const float later = 3;
    device.upload(factor, &later, 4);
    replay->run();
    CHECK(m.difference(device, 3) < 1e-4);

    auto wrong = m.product;
    wrong.rows = 5;  // the last of the results would not fit
    CHECK_THROWS_AS(device.product(wrong), DeviceError);
    wrong = m.product;
    wrong.scalar = &later;
    CHECK_THROWS_AS(device.product(wrong), DeviceError);
}

TEST_CASE("host backend: without products of a library", "[gpu]") {
    on_gpu::HostOptions options;
    options.library_products = false;
    HostBackend device(options);
    Matrices<double> m(device, 2, 2, 2, false);
    CHECK_FALSE(device.product_pays(m.product));
    CHECK_FALSE(device.product(m.product));
    std::vector<double> found(m.c.size());
    device.download(found.data(), m.product.c, found.size() * sizeof(double));
    CHECK(found == m.c);
}
