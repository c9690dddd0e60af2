// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/plan/print_passes.hpp>

#include <span>
#include <vector>

namespace sigma::detail {

/// "  %5 sum"
SIGMA_IMPL std::string node_text(const PassInput& in, int i) {
    return sentence("  %", i, " ", name(in.at(i).operation));
}
/// " %3 %4"
SIGMA_IMPL std::string nodes_text(const List<int>& nodes) {
    std::string text;
    for (const int i : nodes) text += sentence(" %", i);
    return text;
}

SIGMA_IMPL std::string to_text(const PassInput& in, const Liveness& liveness) {
    std::string text;
    for (int i = 0; i < in.size(); ++i) {
        text += detail::node_text(in, i);
        if (!liveness.live[i]) text += ": dead\n";
        else text += sentence(": read ", liveness.uses[i], "x", liveness.in_memory[i] ? ", in memory\n" : "\n");
    }
    return text;
}

SIGMA_IMPL std::string to_text(const PassInput& in, const Views& views) {
    std::string text;
    for (int i = 0; i < in.size(); ++i) {
        if (views.view[i]) text += detail::node_text(in, i) + sentence(": a view of %", in.at(i).a, "\n");
        if (views.destination[i] >= 0)
            text += detail::node_text(in, i) + sentence(": written into %", views.destination[i], "\n");
    }
    return text;
}

SIGMA_IMPL std::string to_text(const PassInput& in, const Liveness& liveness, const Layouts& layouts) {
    std::string text;
    for (int i = 0; i < in.size(); ++i) {
        if (!liveness.live[i] || !liveness.in_memory[i] || layouts.views->root_of(i) != i) continue;
        text += sentence(detail::node_text(in, i), " ", to_text(in.at(i).shape));
        text += layouts.padded[i] ? sentence(": rows of ", layouts.pitch_of(i), "\n") : std::string(": dense\n");
    }
    return text;
}

SIGMA_IMPL std::string to_text(const PassInput& in, const FusedGroups& groups) {
    constexpr const char* kinds[] = {"rows", "columns", "single"};
    std::string text;
    int number = 0;
    for (const FusionGroup& g : groups.groups) {
        text += sentence("  group ", number++, ": ", kinds[static_cast<int>(g.kind)]);
        if (g.kind == FusionGroup::Kind::single) {
            text += sentence(", %", g.node, " ", name(in.at(g.node).operation));
            if (g.assign >= 0) text += sentence(", into %", g.assign);
        } else {
            text += sentence(" over ", to_text(g.domain));
            for (const int r : g.roots)
                text += sentence(", %", r, " ", name(in.at(r).operation)) +
                        (groups.sweep[r] > 0 ? sentence(" in sweep ", groups.sweep[r]) : "");
        }
        text += g.inputs.empty() ? sentence("\n") : sentence("; reads", detail::nodes_text(g.inputs), "\n");
    }
    return text;
}

SIGMA_IMPL std::string to_text(const LoweredKernels& lowered) {
    std::string text;
    int number = 0;
    for (const Kernel& k : lowered.kernels) {
        std::vector<std::string> arguments;
        for (int a = 0; a < k.arguments; ++a)
            arguments.push_back(sentence("t", lowered.arguments[k.argument + a].tensor));
        std::span<const Instruction> code;
        if (k.is_fused())
            code = {lowered.instructions.begin() + k.fused.instruction, static_cast<std::size_t>(k.fused.instructions)};
        text += sentence("  kernel ", number, ": ") + detail::kernel_text(k, number, code, arguments);
        ++number;
    }
    return text;
}

SIGMA_IMPL std::string to_text(const ScheduledKernels& scheduled) {
    std::string text;
    int number = 0, stage = -1;
    for (const Kernel& k : scheduled.kernels) {
        if (k.stage != stage)
            text +=
                sentence("  stage ", static_cast<int>(stage = k.stage), k.local ? ", record by record:" : ":", "\n");
        text += sentence("    kernel ", number++, ": ", detail::operation_name(k)) +
                (k.loop >= 0 ? sentence(", loop ", k.loop, "\n") : "\n");
    }
    return text;
}

SIGMA_IMPL std::string to_text(const MemoryPlan& memory) {
    std::string text = sentence("  ", memory.fixed_size, " elements + ", memory.batched_size, " per record\n");
    for (int i = 0; i < memory.buffer.size(); ++i)
        if (const int b = memory.buffer[i]; b >= 0)
            text += sentence("  t", i, " is b", b, ": ", detail::buffer_text(memory.buffers[b]), "\n");
    return text;
}

}  // namespace sigma::detail
