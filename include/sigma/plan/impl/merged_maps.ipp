// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/plan/merged_maps.hpp>
#include <sigma/plan/product_forms.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL bool is_vector(const Instruction& n) {
    return n.level == 2 &&
           (n.opcode == Instruction::Opcode::store || (n.opcode == Instruction::Opcode::load && !n.broadcast));
}

SIGMA_IMPL bool same_place(const Argument& x, const Argument& y) {
    return x.buffer == y.buffer && x.offset == y.offset && x.time == y.time &&
           std::equal(std::begin(x.stride), std::end(x.stride), std::begin(y.stride));
}

SIGMA_IMPL bool in_packs(std::span<const Instruction> code, std::span<const Argument> arguments, const FusedKernel& k,
                         int pack) {
    for (const Instruction& n : code)
        for (int loop = 0; is_vector(n) && loop + 1 < k.rank; ++loop)
            if (arguments[static_cast<std::size_t>(n.argument)].stride[loop] % pack != 0) return false;
    return true;
}

class MergeMaps {
public:
    explicit MergeMaps(const PlanView& plan) : plan_(plan), forms_(find_product_forms(plan)) {}

    MergedPlan run() {
        out_.loops.assign(plan_.loops.begin(), plan_.loops.end());
        std::vector<int> place(plan_.kernels.size() + 1);  // new position of each kernel
        for (int i = 0; i < kernel_count(); ++i) {
            place[at(i)] = static_cast<int>(out_.kernels.size());
            if (is_copy_after_product(i)) {
                store_at_copy(i);
            } else if (i > 0 && joins(i)) {
                join(i);
            } else {
                keep(i);
            }
        }
        place[at(kernel_count())] = static_cast<int>(out_.kernels.size());
        for (PlannedLoop& loop : out_.loops) loop.first = place[at(loop.first)], loop.end = place[at(loop.end)];
        drop_needless_stores();
        return std::move(out_);
    }

private:
    using Opcode = Instruction::Opcode;

    const PlanView& plan_;
    const std::vector<ProductForm> forms_;
    MergedPlan out_;
    std::vector<char> is_merged_;  // for each kernel of `out_`
    static constexpr int most_instructions = 256, most_arguments = 32;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int kernel_count() const { return static_cast<int>(plan_.kernels.size()); }
    const Kernel& kernel(int i) const { return plan_.kernels[at(i)]; }

    void keep(int i) {
        Kernel k = kernel(i);
        const auto code = plan_.instructions_of(k);
        const auto arguments = plan_.arguments_of(k);
        if (k.is_fused()) {
            k.fused.instruction = static_cast<int>(out_.instructions.size());
            k.fused.canonical = -1;
        }
        k.argument = static_cast<int>(out_.arguments.size());
        out_.instructions.insert(out_.instructions.end(), code.begin(), code.end());
        out_.arguments.insert(out_.arguments.end(), arguments.begin(), arguments.end());
        out_.kernels.push_back(k);
        out_.numbers.push_back(i);
        is_merged_.push_back(0);
    }

    // ---- a map after a map ----

    bool is_map(const Kernel& k) const {
        if (k.kind != Kernel::Kind::rows || k.fused.rank == 0 || k.fused.sweeps != 1) return false;
        for (const Instruction& n : plan_.instructions_of(k))
            if (n.opcode == Opcode::reduce) return false;
        return true;
    }
    bool is_epilogue(int i) const { return i > 0 && forms_[at(i - 1)].epilogue != ProductEpilogue::none; }
    /// Returns whether kernel `i` can join the last kept kernel: it has the same loops, and uses only the same
    /// elements.
    bool joins(int i) const {
        const Kernel &k = kernel(i), &last = out_.kernels.back();
        // The last kept kernel contains kernel i - 1, if that was a map.
        if (!is_map(k) || !is_map(kernel(i - 1)) || last.kind != Kernel::Kind::rows || k.loop != last.loop)
            return false;
        if (is_epilogue(i) || is_epilogue(i - 1)) return false;
        const FusedKernel &x = last.fused, &y = k.fused;
        if (x.rank != y.rank || x.tail != y.tail || !std::equal(x.extent, x.extent + x.rank, y.extent)) return false;
        if (x.instructions + y.instructions > most_instructions || last.arguments + k.arguments > most_arguments)
            return false;
        const auto last_code = std::span(out_.instructions).subspan(at(x.instruction));
        const auto last_arguments = std::span(out_.arguments).subspan(at(last.argument));
        const auto code = plan_.instructions_of(k);
        const auto arguments = plan_.arguments_of(k);
        const int pack = static_cast<int>(16 / bytes_of(plan_.element));
        if (in_packs(last_code, last_arguments, x, pack) != in_packs(code, arguments, y, pack)) return false;
        for (const Instruction& n : last_code)
            for (const Instruction& m : code) {
                if (n.argument < 0 || m.argument < 0) continue;
                const Argument &a = last_arguments[at(n.argument)], &b = arguments[at(m.argument)];
                if (n.opcode == Opcode::load && m.opcode == Opcode::load) continue;
                if (plan_.overlap(a.buffer, b.buffer) && !(is_vector(n) && is_vector(m) && same_place(a, b)))
                    return false;
            }
        return true;
    }
    void join(int i) {
        const Kernel& k = kernel(i);
        Kernel& last = out_.kernels.back();
        const auto code = plan_.instructions_of(k);
        const auto arguments = plan_.arguments_of(k);
        const int first = last.fused.instruction;
        std::vector<short> argument(arguments.size()), value(code.size(), -1);
        for (std::size_t a = 0; a < arguments.size(); ++a) argument[a] = argument_of(last, arguments[a]);
        const auto moved = [&](short old) { return old < 0 ? old : value[static_cast<std::size_t>(old)]; };
        for (std::size_t j = 0; j < code.size(); ++j) {
            Instruction n = code[j];
            if (n.argument >= 0) n.argument = argument[at(n.argument)];
            n.a = moved(n.a), n.b = moved(n.b), n.c = moved(n.c);
            if (n.opcode == Opcode::load && is_vector(n))
                value[j] = held(last, out_.arguments[at(last.argument + n.argument)]);
            if (value[j] >= 0) continue;
            value[j] = static_cast<short>(out_.instructions.size() - at(first));
            out_.instructions.push_back(n);
        }
        last.fused.instructions = static_cast<int>(out_.instructions.size()) - first;
        last.local = last.local && k.local;
        is_merged_.back() = 1;
    }
    short argument_of(Kernel& last, const Argument& a) {
        for (int i = 0; i < last.arguments; ++i) {
            Argument& known = out_.arguments[at(last.argument + i)];
            if (!same_place(known, a)) continue;
            known.written = known.written || a.written;
            return static_cast<short>(i);
        }
        out_.arguments.push_back(a);
        return static_cast<short>(last.arguments++);
    }
    /// Returns the instruction of the last kernel that has the current value of a place, or -1.
    short held(const Kernel& last, const Argument& place) const {
        const std::size_t first = at(last.fused.instruction);
        for (std::size_t i = out_.instructions.size(); i-- > first;) {
            const Instruction& n = out_.instructions[i];
            if (is_vector(n) && same_place(out_.arguments[at(last.argument + n.argument)], place))
                return n.opcode == Opcode::store ? n.a : static_cast<short>(i - first);
        }
        return -1;
    }
    /// Removes stores that only kernels read that are merged now.
    void drop_needless_stores() {
        std::vector<int> mentions(plan_.buffers.size());
        for (const Argument& a : out_.arguments) ++mentions[at(a.buffer)];
        for (const int b : plan_.outputs) ++mentions[at(b)];
        for (Kernel& k : out_.kernels) {
            if (!is_merged_[at(static_cast<int>(&k - out_.kernels.data()))]) continue;
            const auto code = std::span(out_.instructions).subspan(at(k.fused.instruction), at(k.fused.instructions));
            const auto needless = [&](const Instruction& n) {
                if (n.opcode != Opcode::store || !is_vector(n)) return false;
                const int buffer = out_.arguments[at(k.argument + n.argument)].buffer;
                const auto reads = [&](const Instruction& m) {
                    return m.opcode == Opcode::load && m.argument == n.argument;
                };
                return plan_.in_arena(buffer) && mentions[at(buffer)] == 1 &&
                       std::none_of(code.begin(), code.end(), reads);
            };
            std::vector<char> gone(code.size());
            std::transform(code.begin(), code.end(), gone.begin(), needless);
            std::vector<short> place(code.size());
            short left = 0;
            for (std::size_t i = 0; i < code.size(); ++i) {
                place[i] = left;
                if (gone[i]) continue;
                Instruction n = code[i];
                for (short* const operand : {&n.a, &n.b, &n.c})
                    if (*operand >= 0) *operand = place[at(*operand)];
                code[at(left++)] = n;
            }
            k.fused.instructions = left;
        }
    }

    // ---- a copy after a product ----

    bool is_copy_after_product(int i) const {
        if (i == 0 || kernel(i - 1).kind != Kernel::Kind::product || kernel(i - 1).product.accumulate) return false;
        const Kernel &p = kernel(i - 1), &k = kernel(i);
        if (!is_map(k) || k.loop != p.loop || k.arguments != 2) return false;
        const auto code = plan_.instructions_of(k);
        const auto arguments = plan_.arguments_of(k), operands = plan_.arguments_of(p);
        if (code.size() != 2 || !is_vector(code[0]) || !is_vector(code[1]) || code[0].opcode != Opcode::load ||
            code[1].opcode != Opcode::store || code[1].a != 0)
            return false;
        const Argument &c = operands[2], &from = arguments[at(code[0].argument)], &to = arguments[at(code[1].argument)];
        const Buffer &source = plan_.buffers[at(from.buffer)], &target = plan_.buffers[at(to.buffer)];
        long long copied = 1;
        for (int loop = 0; loop < k.fused.rank; ++loop) copied *= std::abs(k.fused.extent[loop]);
        const auto mentions = [&](const Argument& a) { return a.buffer == c.buffer; };
        // The copy must read the whole result and be its only reader.
        return plan_.in_arena(c.buffer) && from.buffer == c.buffer && source.shape == target.shape &&
               source.pitch == target.pitch &&
               (copied == std::abs(source.shape.count()) || copied == stored_count(source.shape, source.pitch)) &&
               std::equal(std::begin(from.stride), std::end(from.stride), std::begin(to.stride)) && from.offset == 0 &&
               to.offset == 0 && from.time == 0 && to.time == 0 && c.offset == 0 && c.time == 0 &&
               std::count_if(plan_.arguments.begin(), plan_.arguments.end(), mentions) == 2 &&
               std::find(plan_.outputs.begin(), plan_.outputs.end(), c.buffer) == plan_.outputs.end() &&
               !plan_.overlap(to.buffer, operands[0].buffer) && !plan_.overlap(to.buffer, operands[1].buffer) &&
               !(p.arguments > 3 && plan_.overlap(to.buffer, operands[3].buffer));
    }
    void store_at_copy(int i) {
        const auto arguments = plan_.arguments_of(kernel(i));
        Argument& c = out_.arguments[at(out_.kernels.back().argument + 2)];
        const Argument& to = arguments[at(plan_.instructions_of(kernel(i))[1].argument)];
        c.buffer = to.buffer;
        c.record = to.record;
    }
};

SIGMA_IMPL PlanView MergedPlan::view(PlanView of) const {
    of.kernels = kernels;
    of.instructions = instructions;
    of.arguments = arguments;
    of.loops = loops;
    return of;
}

SIGMA_IMPL MergedPlan merge_maps(const PlanView& plan) { return MergeMaps(plan).run(); }

}  // namespace sigma::detail
