// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/geometry.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/kernels/image.hpp>
#include <sigma/device/gpu/kernels/pooling.hpp>

namespace sigma::on_gpu {

/// Returns the launches of maximum pooling or one of its adjoints. Arguments: x, y; x, y, d, result; x, y, values,
/// result.
inline GeneratedKernel generate_pooling(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::PoolingKernel& k = kernel.pooling;
    const sigma::detail::Pooling& p = k.geometry;
    int v = pack_of(bytes_of(plan.element));
    for (int i = 0; i < kernel.arguments; ++i)
        if (k.pixel[i] % v != 0) v = 1;

    ConstantsText constants;
    constants("height", k.height)("width", k.width)("channels", k.channels)("v", v);
    constants("windows_high", k.windows_high)("windows_wide", k.windows_wide);
    constants("window0", p.window[0])("window1", p.window[1])("stride0", p.stride[0])("stride1", p.stride[1]);
    constants("before0", p.before[0])("before1", p.before[1]);
    constexpr const char* pixels[] = {"pixel0", "pixel1", "pixel2", "pixel3"};
    for (int i = 0; i < kernel.arguments; ++i) constants(pixels[i], k.pixel[i]);

    const bool is_unpool = k.operation == sigma::detail::Operation::unpool,
               is_max = k.operation == sigma::detail::Operation::pool_max;
    Generated launch;
    launch.text = image_kernels;
    launch.text += pooling_kernels;
    launch.text += constants.named("@_geometry");
    launch.text += words_text(plan.element, kernel.arguments);
    launch.text += "SIGMA_KERNEL(@, 256, @_words) { ";
    launch.text += is_max ? "sigma_pool_max<" : is_unpool ? "sigma_unpool<" : "sigma_pool_select<";
    launch.text += type_text(plan.element);
    launch.text += is_max ? ", @_geometry>(w.p0, w.p1, " : ", @_geometry>(w.p0, w.p1, w.p2, w.p3, ";
    launch.text += coded_text(k.images);
    launch.text += "); }\n";

    const bool apart = p.stride[0] >= p.window[0] && p.stride[1] >= p.window[1];
    long long places = static_cast<long long>(k.windows_high) * k.windows_wide;
    if (is_unpool && apart)  // a thread for each window, and for the pixels behind the last windows
        places = static_cast<long long>((k.height + p.before[0] + p.stride[0] - 1) / p.stride[0]) *
                 ((k.width + p.before[1] + p.stride[1] - 1) / p.stride[1]);
    else if (is_unpool) places = static_cast<long long>(k.height) * k.width;
    launch.items = k.images * places * ((k.channels + v - 1) / v);
    launch.items_a_block = launch.threads;
    GeneratedKernel result;
    result.launches.push_back(launch);
    return result;
}

}  // namespace sigma::on_gpu
