// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/kernels/product.hpp>

namespace sigma::on_gpu {

/// Arguments: A, B, C and, where alpha is no constant, a scalar. Extents: m, n, k and two counts of products.
inline GeneratedKernel generate_product(const PlanView& plan, const Kernel& k) {
    const auto a = plan.arguments_of(k);
    const std::string type = type_text(plan.element);
    const int* extent = k.extent;
    const bool transposed = k.operation == Operation::transposed_dot;
    // large tiles read less; small ones keep more of the device busy where there are few
    const auto tiles = [&](int side) {
        return coded_times(coded_parts(extent[0], side), coded_parts(extent[1], side));
    };
    const bool narrow = (extent[0] > 0 && extent[0] <= 32) || (extent[1] > 0 && extent[1] <= 32);
    const long long large = coded_times(tiles(64), coded_times(extent[3], extent[4]));
    const int side = narrow || (large > 0 && large < 128) ? 2 : 4;
    const std::string alpha = "(" + type + ")" + (k.arguments == 4 ? "w.p3[0]" : number_text(k.alpha));
    const auto steps = [&](int loop) {
        return sentence("{", listed(coded_text(a[0].stride[loop]), coded_text(a[1].stride[loop]),
                                    coded_text(a[2].stride[loop]))) +
               "}";
    };
    Generated g;
    g.text = product_text + words_text(plan.element, k.arguments);
    g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    const sigma_factors<")
        .append(type)
        .append("> p = {")
        .append(listed(coded_text(extent[0]), coded_text(extent[1]), coded_text(extent[2]), "w.p0",
                       coded_text(a[0].stride[0]), "w.p1", coded_text(a[1].stride[0]), "w.p2",
                       coded_text(a[2].stride[0]), (k.negative ? "-" : "") + alpha))
        .append("};\n    const long long outer[3] = ")
        .append(steps(1))
        .append(", inner[3] = ")
        .append(steps(2))
        .append(";\n    sigma_products<")
        .append(listed(type, sentence(side), transposed ? "true" : "false", k.accumulate ? "true" : "false"))
        .append(">(p, ")
        .append(listed(coded_text(extent[3]), coded_text(extent[4]), "outer", "inner"))
        .append(");\n}\n");
    g.items = coded_times(tiles(16 * side), coded_times(extent[3], extent[4]));
    return {{std::move(g)}, 0};
}

}  // namespace sigma::on_gpu
