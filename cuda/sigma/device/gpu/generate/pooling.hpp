// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/geometry.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/kernels/image.hpp>
#include <sigma/device/gpu/kernels/pooling.hpp>
#include <sigma/tape/geometry.hpp>

namespace sigma::on_gpu {

/// The maximum over windows or one of its adjoints. Arguments: x, y; x, y, d, result; x, y, values, result.
inline GeneratedKernel generate_pooling(const PlanView& plan, const Kernel& k) {
    const Pooling p = Pooling::unpacked(k.stream);
    const auto arguments = plan.arguments_of(k);
    const int height = arguments[0].stride[3], width = arguments[0].stride[4], channels = k.extent[3];
    int v = pack_of(bytes_of(plan.element));
    for (const Argument& a : arguments)
        if (a.stride[2] % v != 0) v = 1;

    ConstantsText constants;
    constants("height", height)("width", width)("channels", channels)("v", v);
    constants("windows_high", k.extent[1])("windows_wide", k.extent[2]);
    constants("window0", p.window[0])("window1", p.window[1])("stride0", p.stride[0])("stride1", p.stride[1]);
    constants("before0", p.before[0])("before1", p.before[1]);
    constexpr const char* pixels[] = {"pixel0", "pixel1", "pixel2", "pixel3"};
    for (std::size_t i = 0; i < arguments.size(); ++i) constants(pixels[i], arguments[i].stride[2]);

    const bool is_unpool = k.operation == Operation::unpool, is_max = k.operation == Operation::pool_max;
    Generated launch;
    launch.text = image_kernels;
    launch.text += pooling_kernels;
    launch.text += constants.named("@_geometry");
    launch.text += words_text(plan.element, k.arguments);
    launch.text += "SIGMA_KERNEL(@, 256, @_words) { ";
    launch.text += is_max ? "sigma_pool_max<" : is_unpool ? "sigma_unpool<" : "sigma_pool_select<";
    launch.text += type_text(plan.element);
    launch.text += is_max ? ", @_geometry>(w.p0, w.p1, " : ", @_geometry>(w.p0, w.p1, w.p2, w.p3, ";
    launch.text += coded_text(k.extent[0]);
    launch.text += "); }\n";

    const bool apart = p.stride[0] >= p.window[0] && p.stride[1] >= p.window[1];
    long long places = static_cast<long long>(k.extent[1]) * k.extent[2];
    if (is_unpool && apart)  // a thread for each window, and for what lies behind the last ones
        places = static_cast<long long>((height + p.before[0] + p.stride[0] - 1) / p.stride[0]) *
                 ((width + p.before[1] + p.stride[1] - 1) / p.stride[1]);
    else if (is_unpool) places = static_cast<long long>(height) * width;
    launch.items = k.extent[0] * places * ((channels + v - 1) / v);
    launch.items_a_block = launch.threads;
    GeneratedKernel result;
    result.launches.push_back(launch);
    return result;
}

}  // namespace sigma::on_gpu
