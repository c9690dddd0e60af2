// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/kernels/movement.hpp>
#include <sigma/device/gpu/kernels/random.hpp>

namespace sigma::on_gpu {

namespace detail {

/// A loop of a movement; all numbers are coded.
struct MoveLoop {
    long long extent, from, to;
};

/// Returns loops without those of one step. Neighboring loops become one if both sides are contiguous over them.
inline std::vector<MoveLoop> merged(const std::vector<MoveLoop>& loops) {
    std::vector<MoveLoop> result;
    for (const MoveLoop& loop : loops) {
        if (loop.extent == 1) continue;
        if (!result.empty()) {
            MoveLoop& last = result.back();
            if (last.from == coded_times(loop.from, loop.extent) && last.to == coded_times(loop.to, loop.extent) &&
                !(last.extent < 0 && loop.extent < 0)) {
                last = {coded_times(last.extent, loop.extent), loop.from, loop.to};
                continue;
            }
        }
        result.push_back(loop);
    }
    return result;
}

/// Returns the launch that copies w.p0 to w.p1. Each thread copies an element, or 16 bytes if the last loop and the
/// addresses permit it.
inline Generated move_launch(sigma::detail::ElementType element, const std::vector<MoveLoop>& all) {
    const std::vector<MoveLoop> loops = merged(all);
    const long long pack = static_cast<long long>(16 / bytes_of(element));
    bool packs = !loops.empty() && loops.back().from == 1 && loops.back().to == 1 && loops.back().extent % pack == 0;
    long long count = 1;
    std::string total = "1ll";
    for (std::size_t i = 0; i < loops.size(); ++i) {
        count = coded_times(count, loops[i].extent);
        total += sentence(" * ", coded_text(loops[i].extent));
        if (i + 1 < loops.size()) packs = packs && loops[i].from % pack == 0 && loops[i].to % pack == 0;
    }
    std::string text = words_text(element, 2);
    text.append("template <class V, class I> SIGMA_DEVICE void @_each(const @_words& w, long long total) {\n")
        .append("    const long long per = sizeof(V) / sizeof(*w.p0);\n")
        .append("    const I count = (I)(total / per), all = (I)(SIGMA_BLOCKS * SIGMA_THREADS);\n")
        .append("    for (I at = (I)(SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD); at < count; at += all) {\n")
        .append(loops.empty() ? "" : "        I rest = at;\n")
        .append("        long long from = 0, to = 0;\n");
    for (std::size_t i = loops.size(); i-- > 0;) {
        const bool last = i + 1 == loops.size();
        const std::string extent = coded_text(loops[i].extent), scale = last ? " * per" : "";
        text.append("        {\n            const I size = (I)(")
            .append(extent)
            .append(last ? " / per" : "")
            .append(");\n");
        text.append(i > 0 ? "            const I x = rest % size;\n            rest /= size;\n"
                          : "            const I x = rest;\n            (void)size;\n");
        text.append("            from += (long long)x * ")
            .append(coded_text(loops[i].from))
            .append(scale)
            .append(";\n");
        text.append("            to += (long long)x * ")
            .append(coded_text(loops[i].to))
            .append(scale)
            .append(";\n        }\n");
    }
    text.append("        *reinterpret_cast<V*>(w.p1 + to) = *reinterpret_cast<const V*>(w.p0 + from);\n    }\n}\n");
    // uses divisions of 32 bits if they are large enough
    const std::string type = type_text(element);
    text.append("template <class V> SIGMA_DEVICE void @_all(const @_words& w, long long total) {\n")
        .append("    if (total < (1ll << 31)) @_each<V, sigma_u32>(w, total);\n")
        .append("    else @_each<V, sigma_u64>(w, total);\n}\n")
        .append("SIGMA_KERNEL(@, 256, @_words) {\n    const long long total = ")
        .append(total)
        .append(";\n");
    if (packs)
        text.append("    if (sigma_aligned(w.p0) && sigma_aligned(w.p1)) return @_all<sigma_pack<")
            .append(type)
            .append(">>(w, total);\n");
    text.append("    @_all<").append(type).append(">(w, total);\n}\n");
    return {movement_text + text, 256, count, packs ? 256 * pack : 256, 0};
}

}  // namespace detail

inline GeneratedKernel generate_transpose(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::TransposeKernel& k = kernel.transpose;
    const auto arguments = plan.arguments_of(kernel);
    const auto& from = arguments[0].stride;
    const auto& to = arguments[1].stride;
    constexpr int narrow = 8;  // narrower matrices would leave most of a tile empty
    if ((k.rows > 0 && k.rows < narrow) || (k.columns > 0 && k.columns < narrow))
        return {{detail::move_launch(plan.element, {{k.count[0], from[1], to[1]},
                                                    {k.count[1], from[2], to[2]},
                                                    {k.columns, 1, to[0]},
                                                    {k.rows, from[0], 1}})},
                0};
    const auto steps = [](const int* s) {
        return sentence("{", listed(coded_text(s[0]), coded_text(s[1]), coded_text(s[2]))) + "}";
    };
    Generated g;
    g.text = movement_text + words_text(plan.element, 2);
    g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    sigma_transpose<")
        .append(type_text(plan.element))
        .append(">(w.p0, ")
        .append(steps(from))
        .append(", w.p1, ")
        .append(steps(to))
        .append(", ")
        .append(listed(coded_text(k.rows), coded_text(k.columns), coded_text(k.count[0]), coded_text(k.count[1])))
        .append(");\n}\n");
    g.items = coded_times(coded_times(coded_parts(k.rows, 32), coded_parts(k.columns, 32)),
                          coded_times(k.count[0], k.count[1]));
    return {{std::move(g)}, 0};
}

/// Returns the launches of a movement. A first launch clears the elements around the block that must be zero.
inline GeneratedKernel generate_move(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::MoveKernel& k = kernel.move;
    const auto arguments = plan.arguments_of(kernel);
    GeneratedKernel result;
    if (k.clear != 0) {
        Generated g;
        g.text = words_text(plan.element, 2);
        g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    ")
            .append(type_text(plan.element))
            .append("* const to = w.p1 - ")
            .append(coded_text(arguments[1].offset))
            .append(";\n    const long long count = ")
            .append(coded_text(k.clear))
            .append(", all = SIGMA_BLOCKS * SIGMA_THREADS;\n")
            .append(
                "    for (long long at = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; at < count; at += all) to[at] = "
                "0;\n}\n");
        g.items = k.clear;
        g.items_a_block = 1024;
        result.launches.push_back(std::move(g));
    }
    std::vector<detail::MoveLoop> loops;
    for (int i = 0; i < k.rank; ++i) loops.push_back({k.extent[i], arguments[0].stride[i], arguments[1].stride[i]});
    result.launches.push_back(detail::move_launch(plan.element, loops));
    return result;
}

/// Returns the launch that draws uniform numbers from w.counters, bit-identical to other devices.
inline GeneratedKernel generate_uniform(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::FillUniformKernel& k = kernel.fill_uniform;
    const std::uint32_t use = static_cast<std::uint32_t>(RandomUse::dropout) << 24;
    Generated g;
    g.text = random_text + words_text(plan.element, 1);
    g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    sigma_fill_uniform<")
        .append(type_text(plan.element))
        .append(">(")
        .append(listed("w.p0", coded_text(k.rows), coded_text(k.columns), coded_text(k.row),
                       sentence(use | static_cast<std::uint32_t>(k.stream), "u"), "w.counters",
                       sentence(k.rows < 0 ? -k.rows : 0, "u")))
        .append(");\n}\n");
    g.items = coded_times(k.rows, k.columns < 0 ? k.columns : (k.columns + 31) / 32 * 8);
    g.items_a_block = 256;
    return {{std::move(g)}, 0};
}

/// Returns the launches of an argmax. A group of threads searches each row.
inline GeneratedKernel generate_argmax(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::ArgmaxKernel& k = kernel.argmax;
    const auto arguments = plan.arguments_of(kernel);
    const int searched = k.rank - 1;
    std::vector<detail::MoveLoop> loops;
    for (int i = 0; i < searched; ++i) loops.push_back({k.extent[i], arguments[0].stride[i], arguments[1].stride[i]});
    loops = detail::merged(loops);
    long long count = 1;
    std::string total = "1ll";
    for (const auto& loop : loops) {
        count = coded_times(count, loop.extent);
        total += sentence(" * ", coded_text(loop.extent));
    }
    Generated g;
    g.text = movement_text + words_text(plan.element, 2);
    const std::string type = type_text(plan.element);
    g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    const long long count = ")
        .append(total)
        .append(
            ";\n    for (long long at = SIGMA_BLOCK * SIGMA_GROUPS + SIGMA_GROUP; at < count; at += SIGMA_BLOCKS * "
            "SIGMA_GROUPS) {\n")
        .append("        const ")
        .append(type)
        .append("* from = w.p0;\n        ")
        .append(type)
        .append("* to = w.p1;\n")
        .append(loops.empty() ? "" : "        long long rest = at;\n");
    for (std::size_t i = loops.size(); i-- > 0;) {
        const std::string extent = coded_text(loops[i].extent), x = i > 0 ? "rest % " + extent : "rest";
        g.text.append("        from += ")
            .append(x)
            .append(" * ")
            .append(coded_text(loops[i].from))
            .append(";\n        to += ")
            .append(x)
            .append(" * ")
            .append(coded_text(loops[i].to))
            .append(";\n");
        if (i > 0) g.text.append("        rest /= ").append(extent).append(";\n");
    }
    g.text.append("        const long long best = sigma_argmax(from, ")
        .append(searched < 0 ? "1, 0"
                             : listed(coded_text(k.extent[searched]), coded_text(arguments[0].stride[searched])))
        .append(");\n        if (SIGMA_LANE == 0) *to = (")
        .append(type)
        .append(")best;\n    }\n}\n");
    g.items = count;
    g.items_a_block = 8;
    return {{std::move(g)}, 0};
}

}  // namespace sigma::on_gpu
