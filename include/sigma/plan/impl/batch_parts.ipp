// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/plan/batch_parts.hpp>
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/loops.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace sigma::detail {

/// The value of a node in a part of the batch: equal in all parts (common), of the part's records (own), or the part's
/// share of a sum over all records (share).
enum class PartKind : std::uint8_t { common, own, share };

class PartSplitter {
public:
    PartSplitter(const Program& program, int inputs)
        : p_(program), tape_(program.tape), members_(tape_), nodes_(static_cast<std::size_t>(tape_.size())) {
        result_.inputs = inputs;
        for (int i = 0; i < tape_.size(); ++i) judge(i);
        find_stages();
        int last = 0;
        for (const Variable& o : p_.outputs) last = std::max(last, at(o.id).stage);
        made_.resize(static_cast<std::size_t>(last) + 1);
        result_.stages.resize(made_.size());
        for (const Variable& o : p_.outputs)
            result_.outputs.push_back(value_of(o.id, at(o.id).kind == PartKind::share, false));
        for (std::size_t s = made_.size(); s-- > 0;) mark(static_cast<int>(s));
        for (std::size_t s = 0; s < made_.size(); ++s) put(static_cast<int>(s));
    }
    PartedProgram result() && { return std::move(result_); }

private:
    struct Judged {
        PartKind kind = PartKind::common;
        int stage = 0;
        std::array<bool, 3> cut{};     ///< true if the operand is read as the sum over all parts
        std::array<bool, 3> shared{};  ///< true if the common operand is replaced by the part's share of it
    };
    /// The nodes and values of a stage.
    struct Made {
        std::set<int> wanted{};
        std::map<int, int> ids{},
            values{};  ///< positions in the stage's program: of nodes, and of values that it reads
        std::map<int, int> loops{};
    };

    const Program& p_;
    const Tape& tape_;
    LoopMembers members_;
    std::vector<Judged> nodes_;
    std::vector<Made> made_;
    std::map<std::pair<int, bool>, int> values_;  ///< value of a node, plain or summed
    std::vector<int> node_of_;                    ///< node of each value
    PartedProgram result_;

    Judged& at(int i) { return nodes_[static_cast<std::size_t>(i)]; }
    static bool batched(const Node& n) { return n.shape.batched(); }

    // ---- kinds ----

    [[noreturn]] static void refuse(const Node& n) {
        throw ArgumentError("a batch in parts", "operations on single records, or sums over records",
                            sentence("'", name(n.operation), "' over the batch"));
    }
    void judge(int i) {
        const Node& n = tape_[i];
        Judged& j = at(i);
        bool any_own = false, any_share = false;
        int operands = 0;
        for (int k = 0; k < 3; ++k) {
            const int o = n.operand(k);
            if (o < 0) continue;
            ++operands;
            any_own = any_own || at(o).kind == PartKind::own;
            any_share = any_share || at(o).kind == PartKind::share;
        }
        const auto is_share = [&](int k) { return n.operand(k) >= 0 && at(n.operand(k)).kind == PartKind::share; };
        const auto cut_all = [&] {
            for (int k = 0; k < 3; ++k) j.cut[static_cast<std::size_t>(k)] = is_share(k);
        };
        const Operation op = n.operation;
        if (op == Operation::assign)
            throw ArgumentError("a batch in parts", "a program without assignments", "an assignment");
        if (is_leaf(op)) {
            if (op == Operation::iota && n.shape[static_cast<int>(n.attribute)] < 0) refuse(n);
            j.kind = batched(n) ? PartKind::own : PartKind::common;
            return;
        }
        if (batched(n) || is_loop_value(op) || op == Operation::advance || members_.of(i) >= 0) {
            if (is_block(op) && n.shape.batch_axis() >= n.shape.rank - block_rank(op)) refuse(n);
            cut_all();
            j.kind = PartKind::own;
            return;
        }
        if (any_own) {  // combines the records of the batch
            const bool sums = op == Operation::sum || is_product(op) || op == Operation::convolve_weights ||
                              op == Operation::scatter_add;
            if (!sums) refuse(n);
            cut_all();
            j.kind = PartKind::share;
            return;
        }
        if (!any_share) return;
        const auto linear = [&] { j.kind = PartKind::share; };
        switch (op) {
            case Operation::copy:
            case Operation::expand:
            case Operation::negate:
            case Operation::stop_gradient:
            case Operation::sum:
            case Operation::reshape:
            case Operation::permute:
            case Operation::slice:
            case Operation::pad: return linear();
            case Operation::multiply:
            case Operation::dot:
            case Operation::transposed_dot:
                if (is_share(0) && is_share(1)) break;
                return linear();
            case Operation::divide:
                if (is_share(1)) break;
                return linear();
            case Operation::add:
            case Operation::subtract:
            case Operation::concatenate:
                for (int k = 0; k < operands; ++k) j.shared[static_cast<std::size_t>(k)] = !is_share(k);
                return linear();
            default: break;
        }
        cut_all();
    }

    // ---- stages ----

    /// Returns whether recomputing a node in a later stage is as cheap as keeping it.
    bool is_light(int i) const {
        const Node& n = tape_[i];
        if (members_.computed_in(tape_, i) >= 0) return false;
        switch (n.operation) {
            case Operation::expand:
            case Operation::reshape:
            case Operation::copy:
            case Operation::stop_gradient: return true;
            default: return is_leaf(n.operation);
        }
    }
    void find_stages() {
        std::vector<int> of_loop(static_cast<std::size_t>(members_.count()), 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < tape_.size(); ++i) {
                const Node& n = tape_[i];
                Judged& j = at(i);
                int stage = j.stage;
                for (int k = 0; k < 3; ++k)
                    if (const int o = n.operand(k); o >= 0)
                        stage = std::max(stage, at(o).stage + (j.cut[static_cast<std::size_t>(k)] ? 1 : 0));
                if (const int loop = loop_at(i); loop >= 0) {
                    int& all = of_loop[static_cast<std::size_t>(loop)];
                    changed = changed || stage > all;
                    stage = all = std::max(all, stage);
                }
                changed = changed || stage > j.stage;
                j.stage = stage;
            }
        }
    }
    int loop_at(int i) const {
        const Operation o = tape_[i].operation;
        return o == Operation::carry ? loop_of(tape_[i]) : members_.computed_in(tape_, i);
    }

    // ---- values and programs ----

    int value_of(int node, bool summed, bool crosses) {
        const auto [it, added] = values_.try_emplace({node, summed}, static_cast<int>(result_.values.size()));
        if (added) {
            result_.values.push_back({tape_[node].shape, at(node).stage, summed, false});
            node_of_.push_back(node);
            made_[static_cast<std::size_t>(at(node).stage)].wanted.insert(node);
        }
        PartedValue& v = result_.values[static_cast<std::size_t>(it->second)];
        v.crosses = v.crosses || crosses;
        return it->second;
    }
    /// Collects the nodes of a stage that its wanted values need. Values that it reads of other stages become wanted
    /// there.
    void mark(int stage) {
        Made& made = made_[static_cast<std::size_t>(stage)];
        std::vector<int> open(made.wanted.begin(), made.wanted.end());
        const auto want = [&](int node) {
            if (made.wanted.insert(node).second) open.push_back(node);
        };
        while (!open.empty()) {
            const int i = open.back();
            open.pop_back();
            const Node& n = tape_[i];
            for (int k = 0; k < 3; ++k)
                if (const int o = n.operand(k); o >= 0) {
                    if (at(i).cut[static_cast<std::size_t>(k)]) value_of(o, true, true);
                    else if (at(o).stage == stage || is_light(o)) want(o);
                    else value_of(o, false, true);
                }
            if (n.operation == Operation::carry)
                for (int other = 0; other < tape_.size(); ++other)
                    if (tape_[other].operation == Operation::advance && tape_[other].a == i) want(other);
        }
    }

    void put(int stage) {
        Made& made = made_[static_cast<std::size_t>(stage)];
        PartedProgram::Stage& to = result_.stages[static_cast<std::size_t>(stage)];
        Program& q = to.program;
        q.tape.identities = false;
        const auto import = [&](int value) {
            const auto [it, added] = made.values.try_emplace(value, -1);
            if (added)
                it->second =
                    input(q, result_.values[static_cast<std::size_t>(value)].shape, result_.input_of(value)).id;
            return it->second;
        };
        int scalars[2]{-1, -1};
        const auto scalar = [&](int number) {
            int& id = scalars[number - result_.inputs];
            if (id < 0) id = input(q, Shape{}, number).id;
            return Variable{&q.tape, id};
        };
        for (const int i : made.wanted) {
            Node n = tape_[i];
            const Judged& j = at(i);
            int operands[3]{-1, -1, -1};
            for (int k = 0; k < 3; ++k) {
                const int o = tape_[i].operand(k);
                if (o < 0) continue;
                int& id = operands[k];
                if (j.cut[static_cast<std::size_t>(k)]) id = import(value_of(o, true, true));
                else if (const auto found = made.ids.find(o); found != made.ids.end()) id = found->second;
                else id = import(value_of(o, false, true));
                if (j.shared[static_cast<std::size_t>(k)]) id = (Variable{&q.tape, id} * scalar(result_.share())).id;
            }
            n.a = operands[0], n.b = operands[1], n.c = operands[2];
            if (is_loop_value(n.operation) || n.operation == Operation::advance) {
                const auto [loop, added] = made.loops.try_emplace(loop_of(n), -1);
                if (added) loop->second = q.tape.add_loop(tape_.loops()[loop_of(n)]);
                n.attribute = (n.attribute & ~std::uint64_t{0xFFFF}) | static_cast<std::uint64_t>(loop->second);
            }
            if (n.operation == Operation::reciprocal_batch) made.ids[i] = scalar(result_.reciprocal()).id;
            else made.ids[i] = q.tape.emit_unshared(n);
        }
        for (std::size_t v = 0; v < result_.values.size(); ++v) {
            if (result_.values[v].stage != stage) continue;
            add_output(q, {&q.tape, made.ids.at(node_of_[v])});
            to.outputs.push_back(static_cast<int>(v));
        }
    }
};

SIGMA_IMPL PartedProgram split_into_parts(const Program& program, int inputs) {
    return PartSplitter(program, inputs).result();
}

}  // namespace sigma::detail
