// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/coded.hpp>
#include <sigma/device/gpu/kernels/lookup.hpp>

namespace sigma::on_gpu::detail {

/// Returns a launch of a Sorting. Its body uses `count` pairs: `keys` and `numbers`.
inline Generated sorted_launch(sigma::detail::ElementType element, int arguments, long long count, long long items,
                               const std::string& before, const std::string& body) {
    Generated g;
    g.text = std::string(lookup_text) + sorted_text + words_text(element, arguments) + before;
    g.text.append("SIGMA_KERNEL(@, 256, @_words) {\n    const long long count = ")
        .append(coded_text(count))
        .append(
            ";\n    sigma_u32* const keys = reinterpret_cast<sigma_u32*>(w.scratch);\n"
            "    int* const numbers = reinterpret_cast<int*>(keys + count);\n")
        .append(body)
        .append("}\n");
    g.items = items;
    g.items_a_block = 256;
    return g;
}

/// Returns the code that runs `what` for each `at` from 0 to `end`, divided over the grid.
inline std::string shared_out(const std::string& end, const std::string& what) {
    return sentence("    for (long long at = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; at < ", end,
                    "; at += SIGMA_BLOCKS * SIGMA_THREADS) {\n", what, "    }\n");
}

}  // namespace sigma::on_gpu::detail
