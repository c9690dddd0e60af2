// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/kernels/blocks.hpp>

namespace sigma::on_gpu {

/// Arguments: operands, result. A thread computes a block at a time.
inline GeneratedKernel generate_blocks(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    const sigma::detail::BlockKernel& b = k.block;
    const auto arguments = plan.arguments_of(k);
    const std::string type = type_text(plan.element), block = "sigma_math::Block<" + type + ">";
    std::string total = "1ll", steps;
    Generated g;
    g.threads = 64;
    for (int i = b.rank - 1; i >= 0; --i) {
        g.items = coded_times(g.items, b.extent[i]);
        const std::string extent = coded_text(b.extent[i]);
        total.append(" * ").append(extent);
        steps.append("        {\n            const long long x = rest % ")
            .append(extent)
            .append(";\n            rest /= ");
        steps.append(extent).append(";\n");
        for (std::size_t a = 0; a < arguments.size(); ++a)
            if (arguments[a].stride[i] != 0)
                steps += sentence("            p", a, " += x * ", coded_text(arguments[a].stride[i]), ";\n");
        steps.append("        }\n");
    }
    std::string pointers, blocks;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const sigma::detail::BlockKernel::Block& x = b.blocks[a];
        pointers += sentence("        ", type, "* p", a, " = w.p", a, ";\n");
        const std::string own = sentence(
            block, "{",
            listed(sentence("p", a), sentence(x.rows), sentence(x.columns), sentence(x.row), sentence(x.column)),
            "}, ");
        blocks = a + 1 == arguments.size() ? own + blocks : blocks + own;
    }
    for (std::size_t a = arguments.size(); a < 4; ++a) blocks.append(block).append("{}, ");
    g.text = std::string(math) + blocks_text + words_text(plan.element, k.arguments);
    g.text.append("SIGMA_KERNEL(@, 64, @_words) {\n    const long long total = ")
        .append(total)
        .append(", all = SIGMA_BLOCKS * SIGMA_THREADS;\n")
        .append("    for (long long at = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; at < total; at += all) {\n")
        .append(pointers)
        .append(b.rank > 0 ? "        long long rest = at;\n" : "")
        .append(steps)
        .append("        sigma_math::")
        .append(name(b.operation))
        .append("<")
        .append(type)
        .append(">(")
        .append(blocks)
        .append(b.option ? "true" : "false")
        .append(");\n    }\n}\n");
    g.items_a_block = 64;
    return {{std::move(g)}, 0};
}

}  // namespace sigma::on_gpu
