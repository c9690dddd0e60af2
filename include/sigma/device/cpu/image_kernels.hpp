// SPDX-License-Identifier: BSL-1.0
// Kernels of a plan over images and tables, called with their description in the plan and their arguments `p`. If the
// rows of a result are divided among threads, they compute `count` rows from `first` on.
#pragma once
#include <sigma/device/cpu/kernels.hpp>
#include <sigma/plan/plan.hpp>

namespace sigma::on_cpu {

template <class T>
void run_convolution(const Kernels<T>& kernels, const sigma::detail::ConvolutionKernel& k, T* const* p,
                     std::ptrdiff_t records, std::ptrdiff_t first, std::ptrdiff_t count,
                     const OtherProducts<T>* others = nullptr, int parameter = -1) {
    const sigma::detail::Convolution& c = k.geometry;
    const ConvolutionArguments<T> g{sigma::detail::resolve(k.images, records),
                                    k.height,
                                    k.width,
                                    k.channels,
                                    k.result_height,
                                    k.result_width,
                                    k.outputs,
                                    k.kernel_height,
                                    k.kernel_width,
                                    {c.stride[0], c.stride[1]},
                                    {c.dilation[0], c.dilation[1]},
                                    c.groups,
                                    k.pixel,
                                    k.y_pixel,
                                    k.weights_row,
                                    {k.before[0], k.before[1]}};
    if (k.operation == sigma::detail::Operation::convolve_input) kernels.convolve_input(g, p[0], p[1], p[2]);
    else if (k.operation == sigma::detail::Operation::convolve_weights)
        kernels.convolve_weights(g, p[0], p[1], p[2], first, count);
    else if (!others || parameter < 0 || !others->convolve(parameter, g, p[0], p[2]))
        kernels.convolve(g, p[0], p[1], p[2]);
}

template <class T>
void run_pooling(const Kernels<T>& kernels, const sigma::detail::PoolingKernel& k, T* const* p,
                 std::ptrdiff_t records) {
    const sigma::detail::Pooling& c = k.geometry;
    const PoolingArguments g{sigma::detail::resolve(k.images, records),
                             k.height,
                             k.width,
                             k.channels,
                             k.windows_high,
                             k.windows_wide,
                             {c.window[0], c.window[1]},
                             {c.stride[0], c.stride[1]},
                             {c.before[0], c.before[1]}};
    const auto pixels = [&](int i) { return Pixels<T>{p[i], k.pixel[i]}; };
    if (k.operation == sigma::detail::Operation::pool_max) kernels.pool_max(g, pixels(0), pixels(1));
    else if (k.operation == sigma::detail::Operation::unpool)
        kernels.unpool(g, pixels(0), pixels(1), pixels(2), pixels(3));
    else kernels.pool_select(g, pixels(0), pixels(1), pixels(2), pixels(3));
}

template <class T>
void run_lookup(const Kernels<T>& kernels, const sigma::detail::LookupKernel& k, T* const* p, std::ptrdiff_t records,
                std::ptrdiff_t first, std::ptrdiff_t count) {
    const auto size = [&](int coded) { return static_cast<std::ptrdiff_t>(sigma::detail::resolve(coded, records)); };
    const LookupArguments<T> g{size(k.ids), size(k.width), size(k.rows), p[1], size(k.ids_row), size(k.ids_each)};
    const std::ptrdiff_t table_row = size(k.table_row), values_row = size(k.values_row);
    if (k.operation == sigma::detail::Operation::gather) kernels.gather(g, p[0], table_row, p[2], values_row);
    else kernels.scatter_add(g, p[0], values_row, p[2], table_row, first, count);
}

}  // namespace sigma::on_cpu
