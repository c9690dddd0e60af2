// SPDX-License-Identifier: BSL-1.0
// Kernels of a plan that work on images and tables, from their extents and strides; see plan/lower.hpp for what these
// say.
#pragma once
#include <sigma/device/cpu/kernels.hpp>
#include <sigma/tape/geometry.hpp>

namespace sigma::simd {

template <class T>
void run_convolution(const Kernels<T>& kernels, const Kernel& k, T* const* p, const Strides* s,
                     const std::ptrdiff_t* extent) {
    const Convolution c = Convolution::unpacked(k.stream);
    const bool input = k.operation == Operation::convolve_input, weights = k.operation == Operation::convolve_weights;
    const Strides& x = s[input ? 2 : 0];
    const Strides& y = s[input ? 0 : weights ? 1 : 2];
    const Strides& w = s[weights ? 2 : 1];
    const bool is_turned = input && !Convolution::by_channel(c.groups, static_cast<int>(x[5]));
    const ConvolutionArguments<T> g{extent[0],
                                    x[3],
                                    x[4],
                                    x[5],
                                    extent[1],
                                    extent[2],
                                    extent[3],
                                    w[1],
                                    is_turned ? w[3] : w[2],
                                    {c.stride[0], c.stride[1]},
                                    {c.dilation[0], c.dilation[1]},
                                    c.groups,
                                    x[2],
                                    y[2],
                                    w[0]};
    if (input) kernels.convolve_input(g, p[0], p[1], p[2]);
    else if (weights) kernels.convolve_weights(g, p[0], p[1], p[2], extent[5], extent[4]);
    else kernels.convolve(g, p[0], p[1], p[2]);
}

template <class T>
void run_pooling(const Kernels<T>& kernels, const Kernel& k, T* const* p, const Strides* s,
                 const std::ptrdiff_t* extent) {
    const Pooling c = Pooling::unpacked(k.stream);
    const Strides& x = s[0];
    const PoolingArguments g{extent[0],
                             x[3],
                             x[4],
                             extent[3],
                             extent[1],
                             extent[2],
                             {c.window[0], c.window[1]},
                             {c.stride[0], c.stride[1]},
                             {c.before[0], c.before[1]}};
    const auto pixels = [&](int i) { return Pixels<T>{p[i], s[i][2]}; };
    if (k.operation == Operation::pool_max) kernels.pool_max(g, pixels(0), pixels(1));
    else if (k.operation == Operation::unpool) kernels.unpool(g, pixels(0), pixels(1), pixels(2), pixels(3));
    else kernels.pool_select(g, pixels(0), pixels(1), pixels(2), pixels(3));
}

template <class T>
void run_lookup(const Kernels<T>& kernels, const Kernel& k, T* const* p, const Strides* s,
                const std::ptrdiff_t* extent) {
    const LookupArguments<T> g{extent[0], extent[1], extent[2], p[1], s[1][0], s[1][1]};
    if (k.operation == Operation::gather) kernels.gather(g, p[0], s[0][0], p[2], s[2][0]);
    else kernels.scatter_add(g, p[0], s[0][0], p[2], s[2][0], extent[3], extent[4]);
}

}  // namespace sigma::simd
