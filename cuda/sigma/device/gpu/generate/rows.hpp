// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/generate/instructions.hpp>

#include <algorithm>

namespace sigma::on_gpu {

namespace detail {

class RowsText : FusedText {
public:
    using FusedText::FusedText;

    GeneratedKernel generate() const {
        if (k.rank == 0) return {{{once_only(), 32, 1, 1, 1}}, 0};
        if (!reduces()) return {{map()}, 0};
        const long long row = coded_count(k, k.outer, k.rank);
        const bool alone = k.outer == 0, long_row = row < 0 ? -row > 4 : row > 16384;
        if (alone && long_row && !reads_after_row_store()) return in_parts(row);
        if (row > 0 && row <= 16) return {{with_rows(worker(Who::thread), 128, 128)}, 0};
        if (row > 0 && row <= (alone ? 256 : 1024)) return {{with_rows(worker(Who::group), 128, 4)}, 0};
        return {{with_rows(worker(Who::block), row < 0 || row > 4096 ? 512 : 256, 1)}, 0};
    }

private:
    enum class Who { thread, group, block };
    /// The threads that process a row, as texts: number and count of the workers, lane and number of lanes of one.
    struct Worker {
        std::string number, count, lane, lanes, meet, reduce;
    };
    static Worker worker(Who who) {
        if (who == Who::thread)
            return {"SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD", "SIGMA_BLOCKS * SIGMA_THREADS", "0", "1", "", ""};
        if (who == Who::group)
            return {"SIGMA_BLOCK * SIGMA_GROUPS + SIGMA_GROUP",
                    "SIGMA_BLOCKS * SIGMA_GROUPS",
                    "SIGMA_LANE",
                    "SIGMA_LANES",
                    "SIGMA_GROUP_SYNC();\n",
                    "sigma_group_reduce"};
        return {"SIGMA_BLOCK",   "SIGMA_BLOCKS",    "SIGMA_THREAD",
                "SIGMA_THREADS", "SIGMA_SYNC();\n", "sigma_block_reduce"};
    }

    // ---- no loops, or no reductions ----

    std::string once_only() const {
        std::string text = math + words_text(element, argument_count()) +
                           "SIGMA_KERNEL(@, 32, @_words) {\nif (SIGMA_BLOCK != 0 || SIGMA_THREAD != 0) return;\n";
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            const std::string place = sentence("w.p", n.argument) + "[0]";
            if (n.opcode == Opcode::load) text += set(i, place);
            if (n.opcode == Opcode::evaluate) text += set(i, value(n));
            if (n.opcode == Opcode::reduce) text += set(i, n.b < 0 ? r(n.a) : r(n.a) + " * " + r(n.b));
            if (n.opcode == Opcode::store) text += place + " = " + r(n.a) + ";\n";
            if (n.opcode == Opcode::reduce && n.argument >= 0) text += place + " = " + r(i) + ";\n";
        }
        return text + "}\n";
    }
    Generated map() const {
        std::string run =
            once() + "const long long units = " + units(0) +
            ";\nfor (long long u = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; u < units; u += SIGMA_BLOCKS * "
            "SIGMA_THREADS) {\n";
        for (int sweep = 0; sweep < k.sweeps; ++sweep) run += sentence("{\n", code_of(sweep, 0, "w.p", true)) + "}\n";
        return {kernel(run + "}\n", 256), 256, coded_count(k, 0, k.rank), packable() ? 256 * pack() : 256, 0};
    }

    // ---- rows with reductions ----

    /// Returns the code that runs once per row at the beginning of a sweep, from pointers `from`0, `from`1, ….
    std::string row_values(int sweep, const std::string& from) const {
        std::string text;
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.level != 1 || n.sweep != sweep) continue;
            if (n.opcode == Opcode::load) text += set(i, sentence(from, n.argument, "[0]"));
            if (n.opcode == Opcode::evaluate) text += set(i, value(n));
        }
        return text;
    }
    /// Returns the code in which one thread stores values of a row that others may have read and may read again.
    std::string row_stores(int sweep, const std::string& from, const Worker& who) const {
        std::string text;
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.level == 1 && n.sweep == sweep && n.opcode == Opcode::store)
                text += sentence(from, n.argument, "[0] = ", r(n.a), ";\n");
        }
        return text.empty() ? text : who.meet + "if (" + who.lane + " == 0) {\n" + text + "}\n" + who.meet;
    }
    std::string reduced(int i, const Worker& who) const {
        return who.reduce.empty() ? t(i) : who.reduce + "<" + reduction(at(i).operation) + ">(" + t(i) + ")";
    }
    std::string close(int sweep, const std::string& from, const Worker& who) const {
        std::string text;
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.opcode != Opcode::reduce || n.sweep != sweep) continue;
            text += set(i, reduced(i, who));
            if (n.argument >= 0) text += sentence("if (", who.lane, " == 0) ", from, n.argument, "[0] = ", r(i), ";\n");
        }
        return text;
    }

    /// Most registers of a thread, in words, that rows may use.
    static constexpr int most_words = 64;

    bool same_place(int a, int b) const { return sigma::detail::same_place(argument(a), argument(b)); }
    /// Returns whether all stores to the buffer of argument `a` are elementwise to this same place.
    bool stores_nowhere_else(int a) const {
        for (const sigma::detail::Instruction& n : instructions) {
            const bool stores = n.opcode == Opcode::store || (n.opcode == Opcode::reduce && n.argument >= 0);
            if (!stores || argument(n.argument).buffer != argument(a).buffer) continue;
            if (!is_vector(n) || !same_place(n.argument, a)) return false;
        }
        return true;
    }
    /// Returns whether no other kernel uses the buffer of argument `a`, and this kernel reads only its own stores.
    bool is_private(int a, int from_sweep) const {
        const int b = argument(a).buffer;
        const sigma::detail::Buffer::Where where = plan.buffers[static_cast<std::size_t>(b)].where;
        if (where != sigma::detail::Buffer::Where::fixed && where != sigma::detail::Buffer::Where::batched)
            return false;
        if (std::find(plan.outputs.begin(), plan.outputs.end(), b) != plan.outputs.end()) return false;
        for (const sigma::detail::Instruction& n : instructions)
            if (n.opcode == Opcode::load && argument(n.argument).buffer == b &&
                (!is_vector(n) || !same_place(n.argument, a) || n.sweep <= from_sweep))
                return false;
        const auto mentions = [&](const sigma::detail::Argument& x) { return x.buffer == b; };
        return std::count_if(plan.arguments.begin(), plan.arguments.end(), mentions) ==
               std::count_if(arguments.begin(), arguments.end(), mentions);
    }
    /// Returns the values that stay in registers of the `lanes` threads of a row of known length: those that several
    /// sweeps read, or that one sweep stores and a later one reads. Later sweeps would otherwise wait for memory.
    std::vector<Kept> kept(int lanes) const {
        if (lanes == 1 || coded_count(k, k.outer, k.rank) < 0) return {};
        const auto words_in = [&](int pack) {  // for so many elements at once
            const long long units = coded_count(k, k.outer, k.rank - 1) * ((k.extent[k.rank - 1] + pack - 1) / pack);
            return (units + lanes - 1) / lanes * pack * static_cast<long long>(bytes_of(element) / 4);
        };
        const long long words = std::max(words_in(1), words_in(packable() ? pack() : 1));
        std::vector<Kept> all(instructions.size());
        int slots = 0;
        for (int i = 0; i < size(); ++i) {
            if (!is_vector(at(i)) || all[static_cast<std::size_t>(i)].slot >= 0) continue;
            const int a = at(i).argument, sweep = at(i).sweep;
            if ((slots + 1) * words > most_words || !stores_nowhere_else(a)) continue;
            const auto finds = [&](const sigma::detail::Instruction& n) {
                return n.opcode == Opcode::load && is_vector(n) && same_place(n.argument, a) && n.sweep > sweep;
            };
            if (std::none_of(instructions.begin(), instructions.end(), finds)) continue;
            for (int j = i; j < size(); ++j)
                if (is_vector(at(j)) && same_place(at(j).argument, a))
                    all[static_cast<std::size_t>(j)] = {slots, finds(at(j)),
                                                        at(j).opcode == Opcode::store && is_private(a, sweep)};
            ++slots;
        }
        return slots > 0 ? all : std::vector<Kept>();
    }
    Generated with_rows(const Worker& who, int threads, int rows_a_block) const {
        const long long rows = coded_count(k, 0, k.outer);
        const std::vector<Kept> keeps = kept(threads / rows_a_block);
        std::string each = "for (long long u = " + who.lane + "; u < units; u += " + who.lanes + ") {\n";
        std::string run = once() + "const long long units = " + units(k.outer) + ";\n";
        if (!keeps.empty()) {
            run += sentence("constexpr int steps = SIGMA_STEPS(", units(k.outer), ", ", threads / rows_a_block, ");\n");
            each = "SIGMA_UNROLL\nfor (int j = 0; j < steps; ++j) {\nconst long long u = " + who.lane +
                   " + j * (long long)" + who.lanes + ";\nif (u >= units) continue;\n";
        }
        run += "for (long long row = " + who.number + "; row < " + coded_text(rows) + "; row += " + who.count +
               ") {\n" + positions("row", 0, k.outer) + pointers("w.p", 0, k.outer);
        int slots = 0;
        for (const Kept& each_kept : keeps)
            if (each_kept.slot == slots) run += sentence("sigma_vector<", type, ", V> h", slots++, "[steps];\n");
        for (int sweep = 0; sweep < k.sweeps; ++sweep) {
            run += row_values(sweep, "q") + row_stores(sweep, "q", who) + open(sweep);
            if (has_sweep(sweep)) run += each + code_of(sweep, k.outer, "q", false, keeps) + "}\n";
            run += close(sweep, "q", who);
        }
        return {kernel(run + "}\n", threads), threads, rows, rows_a_block, 0};
    }

    // ---- one long row, by many blocks: a launch for each sweep over the row, and one for the code after it ----

    static constexpr int most_parts = 512, part = 8192;

    /// Returns whether a value read once per row is read after a store to it. Each launch reads such values again, so
    /// they must not change.
    bool reads_after_row_store() const {
        const auto same_memory = [&](const sigma::detail::Instruction& x, const sigma::detail::Instruction& y) {
            return argument(x.argument).buffer == argument(y.argument).buffer;
        };
        for (int i = 0; i < size(); ++i)
            for (int j = i + 1; j < size(); ++j) {
                const bool stores =
                    (at(i).opcode == Opcode::store && at(i).level == 1) || at(i).opcode == Opcode::reduce;
                if (stores && at(i).argument >= 0 && at(j).opcode == Opcode::load && same_memory(at(i), at(j)))
                    return true;
            }
        return false;
    }
    /// Returns the code that computes the number of parts, the same in all launches.
    std::string parts(long long row) const {
        return sentence("const long long elements = ", coded_text(row), ";\nconst long long wanted = (elements + ",
                        part - 1, ") / ", part, ";\nconst long long parts = wanted > ", most_parts, " ? ", most_parts,
                        " : wanted < 1 ? 1 : wanted;\n");
    }
    std::string place_of_parts(int i) const { return sentence("w.scratch[", slot(i) * most_parts) + " + "; }
    /// Returns the code that combines the reductions of a sweep from those of the parts.
    std::string combine(int sweep) const {
        std::string text = open(sweep);
        for (int i = 0; i < size(); ++i)
            if (at(i).opcode == Opcode::reduce && at(i).sweep == sweep)
                text += sentence("for (long long i = SIGMA_THREAD; i < parts; i += SIGMA_THREADS) ",
                                 gather(i, place_of_parts(i) + "i]")) +
                        set(i, reduced(i, worker(Who::block)));
        return text;
    }
    std::string sweep_parts(int sweep) const {
        std::string text = sentence("const long long units = ", units(0)) +
                           ", each = (units + parts - 1) / parts;\n"
                           "for (long long part = SIGMA_BLOCK; part < parts; part += SIGMA_BLOCKS) {\n" +
                           open(sweep) +
                           "const long long end = (part + 1) * each < units ? (part + 1) * each : units;\n"
                           "for (long long u = part * each + SIGMA_THREAD; u < end; u += SIGMA_THREADS) {\n" +
                           code_of(sweep, 0, "w.p", false) + "}\n";
        for (int i = 0; i < size(); ++i)
            if (at(i).opcode == Opcode::reduce && at(i).sweep == sweep)
                text += sentence("const ", type, " s", i, " = ", reduced(i, worker(Who::block)),
                                 ";\nif (SIGMA_THREAD == 0) ", place_of_parts(i), "part] = s", i, ";\n");
        return text + "}\n";
    }
    GeneratedKernel in_parts(long long row) const {
        GeneratedKernel all;
        const Worker block = worker(Who::block);
        std::string before = once() + parts(row);
        bool stores = false;
        for (int sweep = 0; sweep < k.sweeps; ++sweep) {
            before += row_values(sweep, "w.p");
            if (has_sweep(sweep))
                all.launches.push_back({kernel(before + sweep_parts(sweep), 256), 256, row, part, most_parts});
            before += combine(sweep);
        }
        std::string last = math + words_text(element, argument_count()) +
                           "SIGMA_KERNEL(@, 256, @_words) {\nif (SIGMA_BLOCK != 0) return;\n" + once() + parts(row);
        for (int sweep = 0; sweep < k.sweeps; ++sweep) {
            last += row_values(sweep, "w.p") + row_stores(sweep, "w.p", block) + combine(sweep);
            stores = stores || !row_stores(sweep, "w.p", block).empty();
            for (int i = 0; i < size(); ++i) {
                const sigma::detail::Instruction& n = at(i);
                if (n.opcode != Opcode::reduce || n.sweep != sweep || n.argument < 0) continue;
                last += sentence("if (SIGMA_THREAD == 0) w.p", n.argument) + "[0] = " + r(i) + ";\n";
                stores = true;
            }
        }
        if (stores) all.launches.push_back({last + "}\n", 256, 1, 1, 1});
        int reductions = 0;
        for (const sigma::detail::Instruction& n : instructions) reductions += n.opcode == Opcode::reduce;
        all.scratch = static_cast<long long>(reductions) * most_parts;
        return all;
    }
};

}  // namespace detail

/// Returns the launches of a map over all loops, or of rows with reductions: a thread, a group or a block for each row,
/// or many blocks for one long row.
inline GeneratedKernel generate_rows(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    return detail::RowsText(plan, k).generate();
}

}  // namespace sigma::on_gpu
