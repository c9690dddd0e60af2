// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/plan/product_forms.hpp>
#include <sigma/tape/custom_functions.hpp>

#include <vector>

namespace sigma::detail {

SIGMA_IMPL std::string coded_text(long long n) {
    return n == batch ? "batch" : n < 0 ? sentence(-n, "*batch") : sentence(n);
}

SIGMA_IMPL std::string buffer_text(const Buffer& b) {
    constexpr const char* names[] = {"none", "input", "output", "parameter", "state", "fixed", "batched"};
    const bool in_arena = b.where == Buffer::Where::fixed || b.where == Buffer::Where::batched;
    return sentence(names[static_cast<int>(b.where)], in_arena ? " at " : " ", b.offset, " ",
                    sigma::detail::to_text(b.shape), b.padded ? sentence(", rows of ", b.pitch) : "");
}

SIGMA_IMPL const char* name(Kernel::Kind kind) {
    constexpr const char* names[] = {"rows",   "columns",     "product", "transpose", "move", "fill_uniform",
                                     "argmax", "convolution", "pooling", "lookup",    "block"};
    return names[static_cast<int>(kind)];
}

SIGMA_IMPL const char* operation_name(const Kernel& k) {
    switch (k.kind) {
        case Kernel::Kind::product: return sigma::detail::name(k.product.operation());
        case Kernel::Kind::convolution: return sigma::detail::name(k.convolution.operation);
        case Kernel::Kind::pooling: return sigma::detail::name(k.pooling.operation);
        case Kernel::Kind::lookup: return sigma::detail::name(k.lookup.operation);
        case Kernel::Kind::block:
            return is_custom(k.block.operation) ? custom_functions(k.block.part).name.data()
                                                : sigma::detail::name(k.block.operation);
        default: return name(k.kind);
    }
}

/// Returns extents as text: " batch 9 8 3".
SIGMA_IMPL std::string extents_text(std::span<const int> extents) {
    std::string text;
    for (const int n : extents) text += sentence(" ", coded_text(n));
    return text;
}

/// Returns loops as text: "loops batch | 128, tail none", with bars between loops outside, of the reduction, and along
/// the row.
SIGMA_IMPL std::string loops_text(const FusedKernel& k) {
    constexpr const char* tails[] = {"none", "masked", "padded"};
    std::string text = "loops";
    if (k.rank == 0) text += " none";
    for (int i = 0; i < k.rank; ++i) {
        const bool bar = i > 0 && (i == k.outer || (k.reduced > 0 && i == k.outer + k.reduced));
        text += sentence(bar ? " | " : " ", coded_text(k.extent[i]));
    }
    return text + ", tail " + tails[static_cast<int>(k.tail)];
}

SIGMA_IMPL std::string instruction_text(const Instruction& n, int number, std::span<const std::string> arguments) {
    const auto argument = [&] { return arguments[static_cast<std::size_t>(n.argument)]; };
    constexpr const char* levels[] = {"once:   ", "row:    ", "vector: "};
    std::string text = levels[n.level];
    if (n.opcode == Instruction::Opcode::store) return text + argument() + sentence(" = %", n.a);
    text += sentence("%", number, " = ");
    if (n.opcode == Instruction::Opcode::load) return text + argument() + (n.broadcast ? ", broadcast" : "");
    text += name(n.operation);
    if (n.operation == Operation::constant && n.opcode == Instruction::Opcode::evaluate)
        return text + sentence(" ", n.constant);
    text += n.apart ? ", apart(" : "(";
    for (const int operand : {n.a, n.b, n.c})
        if (operand >= 0) text += sentence(text.back() == '(' ? "%" : ", %", operand);
    text += ")";
    return n.opcode == Instruction::Opcode::reduce && n.argument >= 0 ? text + ", to " + argument() : text;
}

SIGMA_IMPL std::string product_text(const ProductKernel& p, std::span<const std::string> arguments) {
    std::string text = arguments[2] + (!p.accumulate ? (p.negative ? " = -" : " = ") : p.negative ? " -= " : " += ");
    if (p.scaled) text += arguments[3] + " * ";
    else if (p.alpha != 1) text += sentence(p.alpha, " * ");
    text += sentence(name(p.operation()), "(", arguments[0], ", ", arguments[1], "), ");
    text += sentence(coded_text(p.m), " x ", coded_text(p.n), " x ", coded_text(p.k));
    return text + (p.each ? sentence(", ", coded_text(p.count[0]), " x ", coded_text(p.count[1]), " times") : "");
}

/// Returns the properties of a kernel that is not fused as text.
SIGMA_IMPL std::string single_text(const Kernel& k, std::span<const std::string> arguments) {
    const auto copy = [&](std::span<const int> extents) {
        return sentence(arguments[1], " = ", arguments[0], ", extents", extents_text(extents));
    };
    const auto call = [&](std::span<const int> extents) {
        std::string text = sentence(arguments.back(), " = ", operation_name(k));
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i) text += sentence(i ? ", " : "(", arguments[i]);
        return text + "), extents" + extents_text(extents);
    };
    switch (k.kind) {
        case Kernel::Kind::rows:
        case Kernel::Kind::columns: break;  // fused kinds
        case Kernel::Kind::product: return product_text(k.product, arguments);
        case Kernel::Kind::transpose: {
            const TransposeKernel& t = k.transpose;
            const int extents[] = {t.rows, t.columns, t.count[0], t.count[1]};
            return copy(extents);
        }
        case Kernel::Kind::move:
            return copy({k.move.extent, static_cast<std::size_t>(k.move.rank)}) +
                   (k.move.clear != 0 ? ", zeros elsewhere" : "");
        case Kernel::Kind::argmax: return copy({k.argmax.extent, static_cast<std::size_t>(k.argmax.rank)});
        case Kernel::Kind::fill_uniform:
            return arguments[0] + sentence(" = stream ", static_cast<unsigned long long>(k.fill_uniform.stream));
        case Kernel::Kind::convolution: {
            const ConvolutionKernel& c = k.convolution;
            const int extents[] = {c.images, c.result_height, c.result_width, c.outputs, c.weights_rows()};
            return call(extents) + (c.padded() ? ", zeros around" : "");
        }
        case Kernel::Kind::pooling: {
            const PoolingKernel& p = k.pooling;
            const int extents[] = {p.images, p.windows_high, p.windows_wide, p.channels};
            return call(extents);
        }
        case Kernel::Kind::lookup: {
            const int extents[] = {k.lookup.ids, k.lookup.width};
            return call(extents);
        }
        case Kernel::Kind::block: return call({k.block.extent, static_cast<std::size_t>(k.block.rank)});
    }
    return {};
}

SIGMA_IMPL std::string kernel_text(const Kernel& k, int number, std::span<const Instruction> instructions,
                                   std::span<const std::string> arguments) {
    std::string text = sentence(name(k.kind), k.local ? ", local: " : ": ");
    if (!k.is_fused()) return text + single_text(k, arguments) + "\n";
    text += loops_text(k.fused);
    if (k.fused.canonical >= 0 && k.fused.canonical != number) text += sentence(", code of kernel ", k.fused.canonical);
    text += "\n";
    int sweep = -1, i = 0;
    for (const Instruction& n : instructions) {
        if (k.fused.sweeps > 1 && n.sweep != sweep)
            text += sentence("    sweep ", static_cast<int>(sweep = n.sweep), "\n");
        text += sentence("      ", instruction_text(n, i++, arguments), "\n");
    }
    return text;
}

SIGMA_IMPL std::string to_text(const PlanView& plan) {
    std::string text = sentence("arena: ", plan.fixed_size, " elements + ", plan.batched_size, " per record\n");
    int number = 0;
    for (const Buffer& b : plan.buffers) text += sentence("  b", number++, ": ", detail::buffer_text(b), "\n");
    int stage = -1;
    number = 0;
    for (const Kernel& k : plan.kernels) {
        if (k.stage != stage) text += sentence("stage ", static_cast<int>(stage = k.stage), "\n");
        for (const PlannedLoop& loop : plan.loops)
            if (loop.first == number)
                text += sentence("  ", loop.count, " positions", loop.backwards ? " backwards" : "", ", kernels ",
                                 loop.first, " to ", loop.end - 1, ":\n");
        std::vector<std::string> arguments;
        for (const Argument& a : plan.arguments_of(k)) arguments.push_back(sentence("b", a.buffer));
        text += sentence("  kernel ", number, ": ");
        text += detail::kernel_text(k, number++, plan.instructions_of(k), arguments);
    }
    const std::string forms = to_text(find_product_forms(plan));
    return forms.empty() ? text : text + "products may do more\n" + forms;
}

/// Returns the beginning of a node's line: "  %5 sum".
SIGMA_IMPL std::string node_text(const PassInput& in, int i) {
    return sentence("  %", i, " ", name(in.at(i).operation));
}
/// Returns a list of nodes: " %3 %4".
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
