// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/product.hpp>
#include <sigma/device/gpu/backend.hpp>

#include <algorithm>
#include <vector>

namespace sigma::on_gpu {

/// Returns the number of elements from the first to the last of all rows × columns matrices of a product.
inline std::size_t product_span(const Product& p, const long long (&stride)[2], long long rows, long long columns,
                                long long row) {
    if (rows <= 0 || columns <= 0) return 0;
    const long long last = (p.count[0] - 1) * stride[0] + (p.count[1] - 1) * stride[1] + (rows - 1) * row + columns;
    return static_cast<std::size_t>(last);
}

/// Computes a product and its epilogue on the processor.
template <class T>
void host_product(const Product& p) {
    const T alpha = p.scalar ? *static_cast<const T*>(p.scalar) : static_cast<T>(p.alpha);
    const bool biased =
        p.epilogue == sigma::detail::ProductEpilogue::bias || p.epilogue == sigma::detail::ProductEpilogue::bias_relu;
    const bool relu =
        p.epilogue == sigma::detail::ProductEpilogue::relu || p.epilogue == sigma::detail::ProductEpilogue::bias_relu;
    const T* const bias = static_cast<const T*>(p.bias);
    for (long long u = 0; u < p.count[0]; ++u) {
        for (long long v = 0; v < p.count[1]; ++v) {
            const T* const a = static_cast<const T*>(p.a) + u * p.a_stride[0] + v * p.a_stride[1];
            const T* const b = static_cast<const T*>(p.b) + u * p.b_stride[0] + v * p.b_stride[1];
            T* const c = static_cast<T*>(p.c) + u * p.c_stride[0] + v * p.c_stride[1];
            std::vector<T> turned(static_cast<std::size_t>(p.transposed_b ? p.inner * p.columns : 0));
            for (std::size_t i = 0; i < turned.size(); ++i) {
                const auto e = static_cast<long long>(i);
                turned[i] = b[e % p.columns * p.b_row + e / p.columns];
            }
            on_cpu::product(on_cpu::ProductArguments<T>{p.rows, p.columns, p.inner, a, p.transposed ? 1 : p.a_row,
                                                        p.transposed ? p.a_row : 1, p.transposed_b ? turned.data() : b,
                                                        p.transposed_b ? p.columns : p.b_row, c, p.c_row, alpha,
                                                        p.accumulate});
            if (p.epilogue == sigma::detail::ProductEpilogue::none) continue;
            for (long long i = 0; i < p.rows; ++i) {
                T* const row = c + i * p.c_row;
                for (long long j = 0; j < p.columns; ++j) {
                    const T x = biased ? row[j] + bias[j] : row[j];
                    row[j] = relu && x < T{0} ? T{0} : x;  // NaN stays NaN
                }
            }
        }
    }
}

}  // namespace sigma::on_gpu
