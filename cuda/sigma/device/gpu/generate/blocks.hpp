// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/generate/wide_blocks.hpp>
#include <sigma/device/gpu/kernels/math.hpp>
#include <sigma/tape/block_formulas.hpp>

namespace sigma::on_gpu {

#define SIGMA_TEXT(...) #__VA_ARGS__
#define SIGMA_TEXT_OF(...) SIGMA_TEXT(__VA_ARGS__)

/// The text of operations on whole blocks, one thread per block. It follows `math`.
inline constexpr const char* blocks_text = R"cuda(
#ifndef SIGMA_BLOCKS_TEXT
#define SIGMA_BLOCKS_TEXT
namespace sigma_math {
)cuda" SIGMA_TEXT_OF(SIGMA_BLOCK_FORMULAS) R"cuda(
}
#endif
)cuda";

#undef SIGMA_TEXT_OF
#undef SIGMA_TEXT

/// Returns the launches of an operation on blocks. Arguments: operands, result. A thread computes a block at a time, or
/// an element if the elements of a block are independent.
inline GeneratedKernel generate_blocks(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    const detail::Blocks of = k.block.operation == sigma::detail::Operation::gather_along
                                  ? detail::Blocks(plan, k).by_element({1, 2})
                                  : detail::Blocks(plan, k);
    const sigma::detail::BlockKernel& b = of.kernel;
    const std::string type = type_text(plan.element), block = "sigma_math::Block<" + type + ">";
    std::string blocks;
    for (std::size_t a = 0; a < of.arguments.size(); ++a) {
        const sigma::detail::BlockKernel::Block& x = b.blocks[a];
        const std::string own = sentence(
            block, "{",
            listed(sentence("p.p", a), sentence(x.rows), sentence(x.columns), sentence(x.row), sentence(x.column)),
            "}, ");
        blocks = a + 1 == of.arguments.size() ? own + blocks : blocks + own;
    }
    for (std::size_t a = of.arguments.size(); a < 4; ++a) blocks.append(block).append("{}, ");
    Generated g;
    g.threads = 64;
    g.text = std::string(math) + blocks_text + words_text(plan.element, k.arguments) + of.addresses_text(type);
    g.text.append("SIGMA_KERNEL(@, 64, @_words) {\n")
        .append(detail::shared_out(
            of.count_text(), sentence("        const @_blocks p = @_of(w, at);\n        sigma_math::",
                                      name(b.operation), "<", type, ">(", blocks, b.option ? "true" : "false", ");\n")))
        .append("}\n");
    g.items = of.count();
    g.items_a_block = 64;
    GeneratedKernel all{{std::move(g)}, 0};
    if (b.operation == sigma::detail::Operation::argsort) detail::add_sorted_argsort(all, plan, of);
    if (b.operation == sigma::detail::Operation::scatter_add_along) detail::add_sorted_scatter(all, plan, of);
    return all;
}

}  // namespace sigma::on_gpu
