// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/kernels/lookup.hpp>

namespace sigma::on_gpu {

namespace detail {

inline Generated gather_launch(const PlanView& plan, const Kernel& k) {
    const auto a = plan.arguments_of(k);
    const std::string type = type_text(plan.element);
    const long long pack = static_cast<long long>(16 / bytes_of(plan.element));
    const std::string arguments = listed("w.p0", coded_text(a[0].stride[0]), "w.p1", coded_text(a[1].stride[0]),
                                         coded_text(a[1].stride[1]), "w.p2", coded_text(a[2].stride[0]),
                                         coded_text(k.extent[0]), coded_text(k.extent[1]), coded_text(k.extent[2]));
    const bool packs = k.extent[1] % pack == 0 && a[0].stride[0] % pack == 0 && a[2].stride[0] % pack == 0;
    Generated g;
    g.text = lookup_text + words_text(plan.element, 3);
    g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n");
    if (packs)
        g.text.append("    if (sigma_sixteen(w.p0) && sigma_sixteen(w.p2)) return sigma_lookup<sigma_pack<")
            .append(type)
            .append(">>(")
            .append(arguments)
            .append(");\n");
    g.text.append("    sigma_lookup<").append(type).append(">(").append(arguments).append(");\n}\n");
    g.items = coded_times(k.extent[0], k.extent[1]);
    g.items_a_block = packs ? 256 * pack : 256;
    return g;
}

}  // namespace detail

/// gather: table, ids, result. scatter_add: what is added, ids, table; sums in the order of ids, as on the processor.
inline GeneratedKernel generate_lookup(const PlanView& plan, const Kernel& k) {
    if (k.operation == Operation::gather) return {{detail::gather_launch(plan, k)}, 0};
    const auto a = plan.arguments_of(k);
    const std::string count = coded_text(k.extent[0]);
    Generated numbers;
    numbers.text = lookup_text + words_text(plan.element, 3);
    numbers.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    sigma_number_rows(")
        .append(listed("w.p1", coded_text(a[1].stride[0]), coded_text(a[1].stride[1]),
                       "reinterpret_cast<int*>(w.scratch)", count, coded_text(k.extent[2])))
        .append(");\n}\n");
    numbers.items = k.extent[0];
    numbers.items_a_block = 256;
    Generated sums;
    const std::string to_row = coded_text(a[2].stride[0]);
    sums.text = lookup_text + words_text(plan.element, 3);
    sums.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    const long long first = ")
        .append(coded_text(k.extent[3]))
        .append(", rows = ")
        .append(coded_text(k.extent[4]))
        .append(
            ";\n    for (long long at = SIGMA_BLOCK * SIGMA_GROUPS + SIGMA_GROUP; at < rows; at += SIGMA_BLOCKS * "
            "SIGMA_GROUPS)\n")
        .append("        sigma_sum_rows(w.p0, ")
        .append(coded_text(a[0].stride[0]))
        .append(", w.p2 + (first + at) * ")
        .append(to_row)
        .append(", ")
        .append(coded_text(k.extent[1]))
        .append(", reinterpret_cast<const int*>(w.scratch), ")
        .append(count)
        .append(", (int)(first + at));\n}\n");
    sums.items = k.extent[4];
    sums.items_a_block = 8;
    return {{std::move(numbers), std::move(sums)}, k.extent[0]};
}

}  // namespace sigma::on_gpu
