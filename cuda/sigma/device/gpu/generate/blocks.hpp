// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/generate/wide_blocks.hpp>
#include <sigma/device/gpu/kernels/math.hpp>
#include <sigma/tape/block_formulas.hpp>
#include <sigma/tape/custom_functions.hpp>

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

/// The text that precedes the source of custom operations.
inline constexpr const char* custom_text = R"cuda(
#ifndef SIGMA_CUSTOM_TEXT
#define SIGMA_CUSTOM_TEXT
#ifndef SIGMA_HOST
namespace std {
using sigma_math::abs; using sigma_math::exp; using sigma_math::log; using sigma_math::log1p; using sigma_math::expm1;
using sigma_math::sqrt; using sigma_math::tanh; using sigma_math::sin; using sigma_math::cos; using sigma_math::fma;
using sigma_math::pow; using sigma_math::fmod;
}
#endif
template <class V> using BlockView = sigma_math::Block<V>;
#endif
)cuda";

/// Returns the text of a custom operation's functions, and its name in the text.
inline std::string custom_source(const sigma::detail::CustomFunctions& f, const std::string& name) {
    if (f.source == nullptr)
        throw ArgumentError::with_text(sentence("the custom operation '", f.name,
                                                "' has no source for a GPU: write its functions in SIGMA_SOURCE"),
                                       "functions in SIGMA_SOURCE", "none");
    return sentence(custom_text, "#ifndef ", name, "_TEXT\n#define ", name, "_TEXT\nstruct ", name, " {\n", f.source,
                    "\n};\n#endif\n");
}

/// Returns the function of a part of a custom operation.
inline std::string custom_function(const sigma::detail::CustomFunctions& f, std::uint64_t part) {
    const auto number = static_cast<int>(part & 3);
    if (number == 0) return "forward";
    return f.numbered ? sentence("gradient<", number - 1, ">") : "gradient";
}

/// Returns the launches of an operation on blocks. Arguments: operands, result. A thread computes a block at a time, or
/// an element if the elements of a block are independent.
inline GeneratedKernel generate_blocks(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    const detail::Blocks of = k.block.operation == sigma::detail::Operation::gather_along
                                  ? detail::Blocks(plan, k).by_element({1, 2})
                                  : detail::Blocks(plan, k);
    const sigma::detail::BlockKernel& b = of.kernel;
    const std::string type = type_text(plan.element), block = "sigma_math::Block<" + type + ">";
    std::vector<std::string> blocks;  // the result, then operands
    const auto add = [&](std::size_t a, const sigma::detail::BlockKernel::Block& x, long long first = 0) {
        const std::string data = first == 0 ? sentence("p.p", a) : sentence("p.p", a, " + ", first);
        blocks.push_back(sentence(
            block, "{", listed(data, sentence(x.rows), sentence(x.columns), sentence(x.row), sentence(x.column)), "}"));
    };
    const std::size_t operands = of.arguments.size() - 1;
    add(operands, b.blocks[operands]);
    for (std::size_t a = 0; a < operands; ++a) add(a, b.blocks[a]);
    Generated g;
    g.threads = 64;
    g.text = std::string(math) + blocks_text;
    std::string function = sentence("sigma_math::", name(b.operation), "<", type, ">");
    if (is_custom(b.operation)) {
        const sigma::detail::CustomFunctions& f = sigma::detail::custom_functions(b.part);
        const std::string own = sentence("sigma_custom_", f.number);
        g.text += custom_source(f, own);
        function = sentence(own, "::", custom_function(f, b.part));
        if (f.operands == 2 && (b.part & 3) != 0) {  // the result and its gradient are one block, side by side
            sigma::detail::BlockKernel::Block half = b.blocks[2];
            half.columns /= 2;
            blocks.pop_back();
            add(2, half);
            add(2, half, static_cast<long long>(half.columns) * half.column);
        }
    } else {
        blocks.resize(4, block + "{}");
        blocks.push_back(b.option ? "true" : "false");
    }
    std::string call;
    for (const std::string& each : blocks) call += (call.empty() ? "" : ", ") + each;
    g.text += words_text(plan.element, k.arguments) + of.addresses_text(type);
    g.text.append("SIGMA_KERNEL(@, 64, @_words) {\n")
        .append(detail::shared_out(of.count_text(), sentence("        const @_blocks p = @_of(w, at);\n        ",
                                                             function, "(", call, ");\n")))
        .append("}\n");
    g.items = of.count();
    g.items_a_block = 64;
    GeneratedKernel all{{std::move(g)}, 0};
    if (b.operation == sigma::detail::Operation::argsort) detail::add_sorted_argsort(all, plan, of);
    if (b.operation == sigma::detail::Operation::scatter_add_along) detail::add_sorted_scatter(all, plan, of);
    return all;
}

}  // namespace sigma::on_gpu
