// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/kernels/product.hpp>

namespace sigma::on_gpu {

/// Returns the launches of a product: plain, with the processor's order of sums, and split, see product_text.
inline GeneratedKernel generate_product(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::ProductKernel& k = kernel.product;
    const auto a = plan.arguments_of(kernel);
    const std::string type = type_text(plan.element);
    const long long products = coded_times(k.count[0], k.count[1]);
    const auto tiles = [&](int side) {
        return coded_times(coded_times(coded_parts(k.m, side), coded_parts(k.n, side)), products);
    };
    const std::string alpha = "(" + type + ")" + (k.scaled ? "w.p3[0]" : number_text(k.alpha));
    const auto steps = [&](int loop) {
        return sentence("{", listed(coded_text(a[0].stride[loop]), coded_text(a[1].stride[loop]),
                                    coded_text(a[2].stride[loop]))) +
               "}";
    };
    const auto with = [&](int side, int threads) {
        Generated g;
        g.threads = threads;
        g.text = product_text + words_text(plan.element, kernel.arguments);
        g.text.append(sentence("SIGMA_KERNEL(@, ", threads, ", @_words) {\n    const sigma_factors<"))
            .append(type)
            .append("> p = {")
            .append(listed(coded_text(k.m), coded_text(k.n), coded_text(k.k), "w.p0", coded_text(a[0].stride[0]),
                           "w.p1", coded_text(a[1].stride[0]), "w.p2", coded_text(a[2].stride[0]),
                           (k.negative ? "-" : "") + alpha))
            .append("};\n    const long long outer[3] = ")
            .append(steps(1))
            .append(", inner[3] = ")
            .append(steps(2))
            .append(";\n    sigma_products<")
            .append(listed(type, sentence(side), k.transposed ? "true" : "false", k.accumulate ? "true" : "false"))
            .append(">(p, ")
            .append(listed(coded_text(k.count[0]), coded_text(k.count[1]), "outer", "inner"))
            .append(");\n}\n");
        return g;
    };
    // large tiles read less; small ones keep more of the device busy if there are few
    const bool narrow = (k.m > 0 && k.m <= 32) || (k.n > 0 && k.n <= 32);
    const int side = narrow || (tiles(64) > 0 && tiles(64) < 128) ? 2 : 4;
    GeneratedKernel all{{with(side, 256)}, 0};
    all.launches[0].items = tiles(16 * side);
    all.other.push_back(with(0, 128));
    all.other[0].items = coded_times(coded_times(k.m, coded_parts(k.n, 4)), products);
    all.other[0].items_a_block = 8;
    return all;
}

}  // namespace sigma::on_gpu
