// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/plan/print.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string coded_text(long long n) {
    return n == batch ? "batch" : n < 0 ? sentence(-n, "*batch") : sentence(n);
}

SIGMA_IMPL std::string to_text(const Buffer& b) {
    constexpr const char* names[] = {"none", "input", "output", "parameter", "state", "fixed", "batched"};
    const bool in_arena = b.where == Buffer::Where::fixed || b.where == Buffer::Where::batched;
    return sentence(names[static_cast<int>(b.where)], in_arena ? " at " : " ", b.offset, " ", sigma::to_text(b.shape),
                    b.padded ? sentence(", rows of ", b.row) : "");
}

SIGMA_IMPL const char* name(Kernel::Kind kind) {
    constexpr const char* names[] = {"rows",   "columns",     "product", "transpose", "move", "fill_uniform",
                                     "argmax", "convolution", "pooling", "lookup",    "block"};
    return names[static_cast<int>(kind)];
}

SIGMA_IMPL const char* name(Kernel::Tail tail) {
    constexpr const char* names[] = {"none", "memory", "masked"};
    return names[static_cast<int>(tail)];
}

SIGMA_IMPL std::string loops_text(const Kernel& k) {
    std::string text = "loops";
    if (k.rank == 0) text += " none";
    for (int i = 0; i < k.rank; ++i) {
        const bool bar = i > 0 && (i == k.outer || (k.reduced > 0 && i == k.outer + k.reduced));
        text += (bar ? " | " : " ") + coded_text(k.extent[i]);
    }
    return text;
}

}  // namespace sigma::detail
