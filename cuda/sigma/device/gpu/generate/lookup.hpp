// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/sorted.hpp>

#include <cstdlib>

namespace sigma::on_gpu {

namespace detail {

inline Generated gather_launch(const sigma::detail::PlanView& plan, const sigma::detail::LookupKernel& k) {
    const std::string type = type_text(plan.element);
    const long long pack = static_cast<long long>(16 / bytes_of(plan.element));
    const std::string arguments =
        listed("w.p0", coded_text(k.table_row), "w.p1", coded_text(k.ids_row), coded_text(k.ids_each), "w.p2",
               coded_text(k.values_row), coded_text(k.ids), coded_text(k.width), coded_text(k.rows));
    const bool packs = k.width % pack == 0 && k.table_row % pack == 0 && k.values_row % pack == 0;
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
    g.items = coded_times(k.ids, k.width);
    g.items_a_block = packs ? 256 * pack : 256;
    return g;
}

/// Returns the launches of sums with a sort. They read each id once; kernels without a sort read all ids for each row.
inline std::vector<Generated> sorted_sums(const sigma::detail::PlanView& plan, const sigma::detail::LookupKernel& k) {
    const std::string type = type_text(plan.element), width = coded_text(k.width), rows = coded_text(k.rows);
    const std::string row = coded_text(k.table_row);
    const std::string pairs =
        listed("    sigma_pair_rows(w.p1", coded_text(k.ids_row), coded_text(k.ids_each), "keys, numbers, count", rows);
    const std::string clear =
        shared_out(sentence("(long long)", rows, " * ", width),
                   sentence("        w.p2[at / ", width, " * ", row, " + at % ", width, "] = 0;\n"));
    const std::string segments =
        sentence("struct @_segments {\n    const ", type, "* from;\n    ", type, "* table;\n    SIGMA_MEMBER ", type,
                 " value(long long number, long long column) const { return from[number * ", coded_text(k.values_row),
                 " + column]; }\n    SIGMA_MEMBER ", type,
                 "* to(long long key, long long column) const { return table + key * ", row, " + column; }\n};\n");
    const std::string sums = sentence("    sigma_sum_segments<", type,
                                      ">(@_segments{w.p0, w.p2}, keys, numbers, count, ", width, ", ", rows, ");\n");
    std::vector<Generated> launches;
    launches.push_back(
        sorted_launch(plan.element, 3, k.ids, coded_times(k.ids, k.rows), "", sentence(pairs, ");\n", clear)));
    launches.push_back(sorted_launch(plan.element, 3, k.ids, coded_times(k.ids, k.width), segments, sums));
    return launches;
}

/// Number of comparisons from which on a sort pays. Kernels without a sort compare each row with each id, some 2^20 in
/// a microsecond; a sort of few pairs takes about 30 microseconds (estimated).
inline constexpr long long comparisons_of_a_sort = 1ll << 25;

}  // namespace detail

/// Returns the launches of a lookup. Sums are in the order of ids, as on the processor.
inline GeneratedKernel generate_lookup(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::LookupKernel& k = kernel.lookup;
    if (k.operation == sigma::detail::Operation::gather) return {{detail::gather_launch(plan, k)}, 0};
    const std::string count = coded_text(k.ids);
    Generated numbers;
    numbers.text = lookup_text + words_text(plan.element, 3);
    numbers.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    sigma_number_rows(")
        .append(listed("w.p1", coded_text(k.ids_row), coded_text(k.ids_each), "reinterpret_cast<int*>(w.scratch)",
                       count, coded_text(k.rows)))
        .append(");\n}\n");
    numbers.items = k.ids;
    numbers.items_a_block = 256;
    Generated sums;
    sums.text = lookup_text + words_text(plan.element, 3);
    sums.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    const long long rows = ")
        .append(coded_text(k.rows))
        .append(
            ";\n    for (long long at = SIGMA_BLOCK * SIGMA_GROUPS + SIGMA_GROUP; at < rows; at += SIGMA_BLOCKS * "
            "SIGMA_GROUPS)\n")
        .append("        sigma_sum_rows(w.p0, ")
        .append(coded_text(k.values_row))
        .append(", w.p2 + at * ")
        .append(coded_text(k.table_row))
        .append(", ")
        .append(coded_text(k.width))
        .append(", reinterpret_cast<const int*>(w.scratch), ")
        .append(count)
        .append(", (int)at);\n}\n");
    sums.items = k.rows;
    sums.items_a_block = 8;
    return {{std::move(numbers), std::move(sums)},
            k.ids,
            detail::sorted_sums(plan, k),
            {k.ids, k.rows, detail::comparisons_of_a_sort / std::abs(k.rows)}};
}

}  // namespace sigma::on_gpu
