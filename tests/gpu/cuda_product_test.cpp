// SPDX-License-Identifier: BSL-1.0
#include "device.hpp"

#include <algorithm>
#include <cmath>

using sigma::on_gpu::Product;

namespace sigma::test {
namespace {

/// Matrices with surplus columns in device memory, and the product in double.
template <class T>
struct Matrices {
    std::vector<T> a, b, c, bias;
    Product p;
    T* scalar = nullptr;

    Matrices(sigma::detail::ComputeDevice& device, long long rows, long long columns, long long inner, bool transposed,
             long long outer, long long each, bool merges, bool transposed_b = false) {
        p.element = sigma::detail::element_type<T>;
        p.rows = rows, p.columns = columns, p.inner = inner, p.transposed = transposed, p.transposed_b = transposed_b;
        p.count[0] = outer, p.count[1] = each;
        p.a_row = (transposed ? rows : inner) + 3, p.b_row = (transposed_b ? inner : columns) + 2,
        p.c_row = columns + 1;
        const long long one_a = (transposed ? inner : rows) * p.a_row, one_c = rows * p.c_row;
        const long long one_b = (transposed_b ? columns : inner) * p.b_row;
        p.a_stride[0] = each * one_a, p.a_stride[1] = one_a;
        p.b_stride[0] = merges ? each * one_b : 0, p.b_stride[1] = one_b;
        p.c_stride[0] = merges ? each * one_c : one_c, p.c_stride[1] = merges ? one_c : outer * one_c;
        a = some(outer * each * one_a, 1), b = some(outer * each * one_b, 2);
        c = some(outer * each * one_c, 3), bias = some(columns, 4);
        p.a = uploaded(device, a), p.b = uploaded(device, b), p.c = uploaded(device, c),
        p.bias = uploaded(device, bias);
        scalar = uploaded<T>(device, {T(-0.75)});
    }
    void release(sigma::detail::ComputeDevice& device) {
        for (const void* each : {p.a, p.b, static_cast<const void*>(p.c), p.bias, static_cast<const void*>(scalar)})
            device.release(const_cast<void*>(each));
    }

    static std::vector<T> some(long long elements, unsigned seed) {
        std::vector<T> values(static_cast<std::size_t>(elements));
        for (T& x : values) {
            seed = seed * 1664525U + 1013904223U;
            x = static_cast<T>(static_cast<int>(seed >> 16) % 201 - 100) / 64;
        }
        return values;
    }
    /// Returns the largest difference. Surplus columns must be unchanged.
    double difference(sigma::detail::ComputeDevice& device) const {
        std::vector<double> expected(c.begin(), c.end());
        const double alpha = p.scalar ? -0.75 : p.alpha;
        const auto at = [](long long i) { return static_cast<std::size_t>(i); };
        for (long long n = 0; n < p.count[0] * p.count[1]; ++n) {
            const long long n0 = n / p.count[1], n1 = n % p.count[1];
            const auto begin = [&](const long long* stride) { return n0 * stride[0] + n1 * stride[1]; };
            for (long long i = 0; i < p.rows; ++i)
                for (long long j = 0; j < p.columns; ++j) {
                    double sum = 0;
                    for (long long k = 0; k < p.inner; ++k)
                        sum += double(a[at(begin(p.a_stride) + (p.transposed ? k * p.a_row + i : i * p.a_row + k))]) *
                               double(b[at(begin(p.b_stride) + (p.transposed_b ? j * p.b_row + k : k * p.b_row + j))]);
                    double& to = expected[at(begin(p.c_stride) + i * p.c_row + j)];
                    to = alpha * sum + (p.accumulate ? to : 0);
                    if (p.epilogue == sigma::detail::ProductEpilogue::bias ||
                        p.epilogue == sigma::detail::ProductEpilogue::bias_relu)
                        to += double(bias[at(j)]);
                    if (p.epilogue == sigma::detail::ProductEpilogue::relu ||
                        p.epilogue == sigma::detail::ProductEpilogue::bias_relu)
                        to = std::max(to, 0.0);
                }
        }
        const auto found = downloaded(device, static_cast<const T*>(p.c), c.size());
        double most = 0;
        for (std::size_t i = 0; i < c.size(); ++i) most = std::max(most, std::abs(double(found[i]) - expected[i]));
        return most;
    }
    void put_back(sigma::detail::ComputeDevice& device) const { device.upload(p.c, c.data(), c.size() * sizeof(T)); }
};

struct ProductShape {
    long long rows, columns, inner, outer, each;
    bool merges;
};
const ProductShape shapes[] = {{1, 1, 1, 1, 1, true},   {5, 3, 7, 1, 1, true},  {64, 48, 33, 1, 1, true},
                               {1, 17, 40, 1, 1, true}, {31, 1, 8, 1, 1, true}, {6, 5, 4, 2, 3, false},
                               {6, 5, 4, 3, 2, false},  {8, 8, 8, 2, 3, true},  {130, 70, 19, 1, 4, true}};

template <class T>
void check_products(on_gpu::Backend& device) {
    const double close = sizeof(T) == 4 ? 1e-3 : 1e-11;
    int refused = 0, turned = 0;
    for (const ProductShape& s : shapes)
        for (const bool transposed : {false, true, false, true}) {
            Matrices<T> m(device, s.rows, s.columns, s.inner, transposed, s.outer, s.each, s.merges, turned++ % 4 > 1);
            for (const int kind : {0, 1, 2, 3, 4, 5, 6}) {
                Product& p = m.p;
                p.accumulate = kind == 1 || kind == 3;
                p.alpha = kind == 1 ? -2 : 1;
                p.scalar = kind == 2 || kind == 3 ? m.scalar : nullptr;
                p.epilogue = kind == 4   ? sigma::detail::ProductEpilogue::bias
                             : kind == 5 ? sigma::detail::ProductEpilogue::relu
                             : kind == 6 ? sigma::detail::ProductEpilogue::bias_relu
                                         : sigma::detail::ProductEpilogue::none;
                INFO(s.rows << " x " << s.columns << " over " << s.inner << ", " << s.outer << " x " << s.each
                            << ", kind " << kind);
                m.put_back(device);
                if (!device.product(p)) {
                    ++refused;
                    CHECK(p.epilogue != sigma::detail::ProductEpilogue::none);
                    continue;
                }
                CHECK(m.difference(device) < close);
                m.put_back(device);
                const auto replay = device.capture([&] { CHECK(device.product(p)); });
                replay->run();
                CHECK(m.difference(device) < close);
            }
            m.release(device);
        }
    if (refused > 0)
        WARN(refused << " epilogues of " << name(sigma::detail::element_type<T>) << " are not in the library");
}

}  // namespace

TEST_CASE("CUDA products are those in double, of all kinds", "[cuda_product_test]") {
    for (const bool examine : {false, true}) {
        GpuOptions options;
        options.check_each_kernel = examine;
        const auto device = cuda_device(options);
        if (!device) return;
        check_products<float>(*device);
        check_products<double>(*device);
    }
}

TEST_CASE("CUDA products add up where they share their result, in single rows, and of nothing", "[cuda_product_test]") {
    const auto device = cuda_device();
    if (!device) return;
    Matrices<float> m(*device, 4, 4, 4, false, 3, 2, true);
    Product& p = m.p;
    p.c_stride[0] = p.c_stride[1] = 0;
    p.accumulate = true;
    CHECK(device->product(p));
    CHECK(m.difference(*device) < 1e-3);

    m.put_back(*device);
    p.count[0] = p.count[1] = p.rows = 1;
    p.a_row = p.c_row = 0;  // a single row has no distance
    CHECK(device->product(p));
    CHECK(m.difference(*device) < 1e-3);

    p.rows = 4;  // the library does not accept overlapping rows
    CHECK_FALSE(device->product(p));
    p.rows = 0;
    CHECK(device->product(p));
    p.rows = 4, p.inner = 0;
    CHECK_FALSE(device->product(p));
    m.release(*device);
}

TEST_CASE("less precise CUDA products are near", "[cuda_product_test]") {
    for (const Precision precision : {Precision::tf32, Precision::bf16}) {
        GpuOptions options;
        options.precision = precision;
        const auto device = cuda_device(options);
        if (!device) return;
        Matrices<float> m(*device, 128, 64, 96, false, 1, 1, true);
        CHECK(device->product(m.p));
        CHECK(m.difference(*device) < 0.5);
        m.release(*device);
    }
}

TEST_CASE("large products pay, tiny ones and those in many calls do not", "[cuda_product_test]") {
    Product p;
    p.rows = p.columns = p.inner = 128;
    CHECK(on_gpu::cuda::Products::pays(p));
    p.count[0] = 100, p.count[1] = 90;
    p.a_stride[1] = p.b_stride[1] = p.c_stride[1] = 16384;
    p.a_stride[0] = p.b_stride[0] = p.c_stride[0] = 90 * 16384;
    CHECK(on_gpu::cuda::Products::pays(p));
    p.a_stride[0] = 0;
    CHECK_FALSE(on_gpu::cuda::Products::pays(p));
    p = {};
    p.rows = p.columns = p.inner = 8;
    CHECK_FALSE(on_gpu::cuda::Products::pays(p));
}

}  // namespace sigma::test
