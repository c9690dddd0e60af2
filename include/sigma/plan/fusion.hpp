// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/views.hpp>

namespace sigma::detail {

/// An update `target = target ± scale · product` that is computed by one accumulating product.
struct FoldedUpdate {
    int product = -1;
    int scale = -1;  ///< node of a scalar, or -1
    bool negative = false;
};

/// A group of nodes that are computed together.
struct FusionGroup {
    enum class Kind : std::uint8_t { rows, columns, single };
    Kind kind = Kind::single;
    Shape domain{};
    int split = -1;           ///< rows: first axis of the row, -1 if undecided
    int begin = 0, end = 0;   ///< columns: reduced axes
    bool over_batch = false;  ///< true if a reduction of the group is over the batch
    int node = -1;            ///< single: the node
    int loop = -1;            ///< loop over time that repeats the group, or -1
    int length = 0;           ///< rows, columns: greatest possible number of operations
    int assign = -1;          ///< single product: the assignment that is folded into it, or -1
    FoldedUpdate update{};    ///< single product: the folded update
    List<int> roots{};        ///< rows, columns: nodes that must be computed, in order
    List<int> inputs{};       ///< stored values of other groups that the group reads

    constexpr Shape row_shape() const {
        Shape s = domain;
        for (int i = split; i < s.rank; ++i) s.extent[i] = 1;
        return s;
    }
    constexpr Shape column_shape() const {
        Shape s = domain;
        for (int i = begin; i < end; ++i) s.extent[i] = 1;
        return s;
    }
};

/// The groups of a program. Lists have one entry for each node.
struct FusedGroups {
    List<FusionGroup> groups{};
    List<int> group{};       ///< group that computes a stored node, or -1
    List<int> sweep{};       ///< sweep of the group in which a node is computed
    List<char> stored{};     ///< nonzero if computed once, and kept in memory or for a later sweep
    List<char> in_memory{};  ///< nonzero if written to memory

    /// Returns whether a node is evaluated by each reader, from registers.
    constexpr bool inlined(const PassInput& in, int i) const {
        return (is_map(in.at(i).operation) || in.at(i).operation == Operation::constant) && !stored[i];
    }
};

class Fusion {
public:
    constexpr Fusion(const PassInput& in, const Liveness& liveness, const Views& views)
        : in_(in), liveness_(liveness), views_(views) {}
    constexpr FusedGroups run() {
        choose_stored();
        result_.groups.reserve(in_.size() / 2);
        order_assignments();
        group_values();
        group_assignments();
        keep_what_is_read();
        return static_cast<FusedGroups&&>(result_);
    }

private:
    const PassInput& in_;
    const Liveness& liveness_;
    const Views& views_;
    FusedGroups result_{};
    List<char> folded_{};      ///< nonzero for products that are folded into an accumulating product
    List<int> assignments_{};  ///< assignments in a possible order
    List<int> seen_{};
    int round_ = 0;

    constexpr void choose_stored() {
        const int n = in_.size();
        result_.in_memory = liveness_.in_memory;
        result_.stored = folded_ = List<char>(n, 0);
        result_.group = result_.sweep = seen_ = List<int>(n, -1);
        for (int i = 0; i < n; ++i)
            if (views_.destination[i] >= 0) result_.in_memory[i] = 1;
        for (const Variable& v : in_.program.assignments) {
            const FoldedUpdate u = folded_update(v.id);
            if (u.product < 0) continue;
            folded_[u.product] = 1;
            if (u.scale >= 0 && in_.at(u.scale).operation != Operation::constant) result_.in_memory[u.scale] = 1;
        }
        for (int i = 0; i < n; ++i)
            result_.stored[i] = liveness_.live[i] && (result_.in_memory[i] || is_reduction(in_.at(i).operation) ||
                                                      (is_costly(in_.at(i).operation) && liveness_.uses[i] > 1));
        settle_what_is_compared();
        store_what_reads_much();
        if (n > most_deep) cut_long_expressions();
    }

    // ---- values that several readers would compute from many others ----

    /// The most values in memory from which each reader computes a value of its own, and the most operations.
    static constexpr int most_reads = 8, most_operations = 64;

    /// Stores values with several readers that are computed from many others. Otherwise sums that grow in a loop, such
    /// as the state of a differential equation, would be computed from their first term by each step.
    constexpr void store_what_reads_much() {
        for (int i = 0; i < in_.size(); ++i) {
            if (liveness_.uses[i] < 2 || result_.stored[i] || !liveness_.live[i] || !is_map(in_.at(i).operation))
                continue;
            ++round_;
            int reads = 0, operations = 0;
            count_reads(i, reads, operations);
            if (reads > most_reads || operations > most_operations) result_.stored[i] = 1;
        }
    }
    constexpr void count_reads(int i, int& reads, int& operations) {
        PassInput::for_each_operand(in_.at(i), [&](int o) {
            if (seen_[o] == round_ || reads > most_reads || operations > most_operations) return;
            seen_[o] = round_;
            const bool computed = is_map(in_.at(o).operation) && !result_.stored[o];
            if (computed) ++operations, count_reads(o, reads, operations);
            else if (in_.at(o).operation != Operation::constant) ++reads;
        });
    }

    // ---- expressions and kernels of thousands of operations ----

    // Expressions are walked recursively, and compilers allow 512 nested calls. Kernels have 16 bits for a position,
    // and FusedCode 14. An additional memory access among so many operations costs no measurable time.
    static constexpr int most_deep = 100, most_in_expression = 1000, most_in_kernel = 4000;
    List<int> length_{};  ///< length of each node's expression; empty in short programs

    constexpr void cut_long_expressions() {
        List<int> depth(in_.size(), 0);
        length_ = List<int>(in_.size(), 1);
        for (int i = 0; i < in_.size(); ++i) {
            if (!liveness_.live[i]) continue;
            PassInput::for_each_operand(in_.at(i), [&](int o) {
                if (!is_map(in_.at(o).operation) || result_.in_memory[o]) return;
                if (depth[o] >= depth[i]) depth[i] = depth[o] + 1;  // a stored value may turn out to be read here only
                if (!result_.stored[o]) length_[i] += length_[o];
            });
            if (is_map(in_.at(i).operation) && (depth[i] > most_deep || length_[i] > most_in_expression))
                result_.stored[i] = result_.in_memory[i] = 1;
        }
    }

    // ---- compared values are bit-identical for all readers ----

    /// Stores compared values, so that all readers see the same bits. Comparisons determine where gradients go: to the
    /// maximum of a row, to one side of `where` or `max`. If each reader evaluated a compared value, a product could be
    /// merged into a sum for one reader and not for another. Equal values would then differ, and gradients would be
    /// lost or counted twice.
    constexpr void settle_what_is_compared() {
        bool any = false;
        for (int i = 0; i < in_.size(); ++i) any = any || (liveness_.live[i] && compares(i));
        if (!any) return;
        List<char> settled(in_.size(), 0);
        for (int i = 0; i < in_.size(); ++i) {
            if (!liveness_.live[i]) continue;
            settled[i] = result_.stored[i] || is_settled(in_.at(i), settled);
            if (!compares(i)) continue;
            for (int o : {in_.at(i).a, is_comparison(in_.at(i).operation) ? in_.at(i).b : in_.at(i).a}) {
                const int value = unrounded(o);
                if (!settled[value]) settled[value] = result_.stored[value] = 1;
            }
        }
    }
    /// Returns whether a node compares values for several readers. If a single reader compares with a number, as the
    /// gradient of relu does, either side of a kink is correct.
    constexpr bool compares(int i) const {
        const Node& n = in_.at(i);
        if (n.operation == Operation::where) return !is_comparison(in_.at(unrounded(n.a)).operation);
        if (!is_comparison(n.operation)) return false;
        const bool with_number =
            in_.at(n.a).operation == Operation::constant || in_.at(n.b).operation == Operation::constant;
        return !with_number || liveness_.uses[i] > 1;
    }
    /// Returns whether a value is bit-identical in all kernels that evaluate it. That holds for values in memory, and
    /// for one operation on such values, except for a sum that could merge a product, and for functions, which kernels
    /// of different kinds compute differently.
    constexpr bool is_settled(const Node& n, const List<char>& settled) const {
        if (!is_map(n.operation)) return true;
        bool all = !is_function(n.operation);
        PassInput::for_each_operand(n, [&](int o) {
            const Operation from = in_.at(unrounded(o)).operation;
            const bool joins = adds(n.operation) && (from == Operation::multiply || is_function(from));
            all = all && settled[o] && !joins;
        });
        return all;
    }
    static constexpr bool adds(Operation o) { return o == Operation::add || o == Operation::subtract; }
    /// Returns the node with the value of an operand, ignoring signs and places.
    constexpr int unrounded(int i) const {
        while (true) {
            switch (in_.at(i).operation) {
                case Operation::copy:
                case Operation::expand:
                case Operation::stop_gradient:
                case Operation::negate:
                case Operation::absolute:
                case Operation::step:
                case Operation::stack: i = in_.at(i).a; break;
                default: return i;
            }
        }
    }
    constexpr FoldedUpdate folded_update(int assignment) const {
        const int target = in_.at(assignment).a;
        const Node& value = in_.at(in_.at(assignment).b);
        if (value.operation != Operation::add && value.operation != Operation::subtract) return {};
        const bool negative = value.operation == Operation::subtract;
        const int term = value.a == target ? value.b : value.b == target && !negative ? value.a : -1;
        if (term < 0 || liveness_.uses[in_.at(assignment).b] != 1 || liveness_.uses[term] != 1) return {};
        const auto plain = [&](int i) {
            const Node& n = in_.at(i);
            return is_product(n.operation) && n.attribute == 0 && liveness_.uses[i] == 1 &&
                   equivalent(n.shape, in_.at(target).shape) && views_.root_of(n.a) != target &&
                   views_.root_of(n.b) != target;
        };
        if (plain(term)) return {term, -1, negative};
        if (in_.at(term).operation != Operation::multiply) return {};
        const int x = in_.at(term).a, y = in_.at(term).b;
        if (plain(x) && in_.at(y).shape.scalar()) return {x, y, negative};
        if (plain(y) && in_.at(x).shape.scalar()) return {y, x, negative};
        return {};
    }

    /// Calls `f` for every stored value that node `i` reads.
    template <class F>
    constexpr void frontier(int i, F f) {
        PassInput::for_each_operand(in_.at(i), [&](int o) {
            if (seen_[o] == round_) return;
            seen_[o] = round_;
            if (result_.inlined(in_, o)) frontier(o, f);
            else f(o);
        });
    }
    constexpr List<int> inputs_of(int i) {
        List<int> in;
        ++round_;
        if (const int value = in_.source_of(i); value != i) {
            if (!result_.inlined(in_, value)) in.push(value);
            else frontier(value, [&](int v) { in.push(v); });
        } else {
            frontier(i, [&](int v) { in.push(v); });
        }
        return in;
    }

    // ---- groups ----

    /// The properties of a node that its group must match.
    struct Candidate {
        Shape shape{};
        bool reduction = false;
        ReducedAxes run{};
        bool over_batch = false;
    };
    constexpr Candidate candidate(int i) const {
        const Node& x = in_.at(i);
        if (!is_reduction(x.operation)) return {in_.at(in_.source_of(i)).shape, false, {}, false};
        const Shape& from = in_.at(x.a).shape;
        const ReducedAxes run = in_.run_of(x);
        return {from, true, run, !in_.program.sequential && from.batched() && !x.shape.batched()};
    }
    /// Returns whether the shapes of a node allow it in group `g`.
    constexpr bool fits(const Candidate& w, const FusionGroup& g) const {
        if (g.kind == FusionGroup::Kind::single) return false;
        if (g.kind == FusionGroup::Kind::columns) {
            if (!w.reduction) return equivalent(w.shape, g.column_shape());
            return !w.run.trailing && w.shape == g.domain && w.run.begin == g.begin && w.run.end == g.end;
        }
        if (w.reduction)
            return w.run.trailing && w.shape == g.domain && (g.split < 0 || g.split == w.run.begin) &&
                   w.over_batch == g.over_batch;
        if (equivalent(w.shape, g.domain)) return !(g.over_batch && w.shape.batched());
        return g.split >= 0 && equivalent(w.shape, g.row_shape());
    }
    /// Returns whether a node in group `g` may read `v`, which the group computes.
    constexpr bool may_follow(const Candidate& w, const FusionGroup& g, int v) const {
        const Node& x = in_.at(v);
        if (!is_map(x.operation) && !is_reduction(x.operation)) return false;
        if (g.kind == FusionGroup::Kind::columns) return !w.reduction;
        if (is_reduction(x.operation)) return true;
        return equivalent(x.shape, g.domain) ? equivalent(w.shape, g.domain) : true;
    }
    /// Adds a node to the latest possible group from `after` on, or to a new one. The training step of a transformer
    /// block (16 x 32, 4 heads) gets 87 kernels. The numbers below are measured with this step.
    constexpr void join(int i, int after) {
        const Candidate w = candidate(i);
        const int loop = in_.loop_around(i), length = length_.empty() ? 0 : length_[i];
        const List<int> in = inputs_of(i);
        int earliest = after;
        for (int v : in)
            if (result_.group[v] > earliest) earliest = result_.group[v];
        int chosen = -1;
        // Without a limit there are 81 kernels, which read values that have left the cache and are 1.2 % slower; with a
        // limit of 4 there are 89.
        const int look_back = result_.groups.size() - 16;
        for (int c = result_.groups.size() - 1; c >= earliest && c >= look_back && c >= 0 && chosen < 0; --c) {
            const FusionGroup& g = result_.groups[c];
            if (g.loop != loop || !fits(w, g) || g.roots.size() > 64 || g.length + length > most_in_kernel) continue;
            bool allowed = true, related = false;
            for (int v : in) {
                if (result_.group[v] == c) {
                    related = true;
                    allowed = allowed && may_follow(w, g, v);
                } else {
                    // A shared scalar or row does not justify one kernel (77 kernels, 4 % slower). A shared operand
                    // that is read in full does (125 kernels without this rule).
                    const bool worth = !is_leaf(in_.at(v).operation) || equivalent(in_.at(v).shape, g.domain);
                    related = related || (worth && g.inputs.contains(v));
                }
            }
            if (allowed && related) chosen = c;
        }
        if (chosen < 0) {
            FusionGroup g;
            g.kind = w.reduction && !w.run.trailing ? FusionGroup::Kind::columns : FusionGroup::Kind::rows;
            g.loop = loop;
            g.domain = w.shape;
            g.begin = w.run.begin;
            g.end = w.run.end;
            chosen = result_.groups.push(g);
        }
        FusionGroup& g = result_.groups[chosen];
        g.length += length;
        if (w.reduction) {
            g.over_batch = w.over_batch;
            if (w.run.trailing) g.split = w.run.begin;
        }
        int sweep = 0;
        for (int v : in) {
            if (result_.group[v] != chosen) {
                if (!g.inputs.contains(v)) g.inputs.push(v);
                continue;
            }
            const int p = result_.sweep[v] + (is_reduction(in_.at(v).operation) ? 1 : 0);
            if (p > sweep) sweep = p;
        }
        if (g.kind == FusionGroup::Kind::columns && !w.reduction) sweep = 1;
        result_.group[i] = chosen;
        result_.sweep[i] = sweep;
        g.roots.push(i);
    }
    constexpr int add_single(int i) {
        FusionGroup g;
        g.node = i;
        g.loop = in_.loop_around(i);
        PassInput::for_each_operand(in_.at(i), [&](int o) { g.inputs.push(o); });
        return result_.group[i] = result_.groups.push(g);
    }
    constexpr void group_values() {
        for (int i = 0; i < in_.size(); ++i) {
            if (in_.loop_around(i) < 0) group_value(i);
            const int loop = in_.loops.of(i);
            if (loop >= 0 && in_.loops.last(loop) == i) group_loop(loop);
        }
    }
    constexpr void group_value(int i) {
        const Operation o = in_.at(i).operation;
        if (!result_.stored[i] || folded_[i] || (is_leaf(o) && o != Operation::uniform && o != Operation::constant))
            return;
        if (o == Operation::assign || o == Operation::advance) return;
        if (views_.view[i] || (o == Operation::slice && views_.cuts_gradient(i)))
            result_.group[i] = result_.group[in_.at(i).a];
        else if (views_.has_all_parts(i)) result_.group[i] = latest_operand(i);
        else if (is_map(o) || is_reduction(o) || o == Operation::constant || o == Operation::carry) join(i, 0);
        else if (o == Operation::stack && !is_moved_stack(in_.at(i))) join(i, 0);
        else add_single(i);
    }
    constexpr int latest_operand(int i) const {
        int latest = -1;
        PassInput::for_each_operand(in_.at(i),
                                    [&](int o) { latest = result_.group[o] > latest ? result_.group[o] : latest; });
        return latest;
    }
    /// Groups the nodes of one step of a loop, then the values that advance to the next step.
    constexpr void group_loop(int loop) {
        const int first = result_.groups.size();
        for (int i = 0; i < in_.size(); ++i)
            if (in_.loop_around(i) == loop) group_value(i);
        for (int i = 0; i < in_.size(); ++i) {
            const Node& n = in_.at(i);
            if (n.operation != Operation::advance || loop_of(n) != loop || !liveness_.live[i]) continue;
            int after = 0;
            for (int k = first; k < result_.groups.size(); ++k)
                for (int v : result_.groups[k].inputs)
                    if (views_.root_of(v) == n.a) after = reads_in_place(k, n.a) ? k : k + 1;
            join(i, after);
        }
    }

    // ---- assignments: after every reader of the old value ----

    /// Returns the targets of other assignments that an assignment reads from memory.
    constexpr List<int> targets_read_by(int assignment, const List<char>& is_target) {
        List<int> found;
        const auto note = [&](int v) {
            const int root = views_.root_of(v);
            if (is_target[root] && root != in_.at(assignment).a && !found.contains(root)) found.push(root);
        };
        const FoldedUpdate u = folded_update(assignment);
        if (u.product >= 0 && folded_[u.product]) {
            note(in_.at(u.product).a);
            note(in_.at(u.product).b);
            if (u.scale >= 0) note(u.scale);
        } else {
            for (int v : inputs_of(assignment)) note(v);
        }
        return found;
    }
    /// Orders assignments: one that reads the target of another comes first. If assignments read each other's targets
    /// in a cycle, some values are stored before any target is written.
    constexpr void order_assignments() {
        const auto& all = in_.program.assignments;
        List<char> is_target(in_.size(), 0), done(all.size(), 0);
        List<int> readers(in_.size(), 0);  // for each target: number of remaining assignments that read it
        List<List<int>> read;
        for (const Variable& v : all) is_target[in_.at(v.id).a] = 1;
        for (const Variable& v : all) {
            read.push(targets_read_by(v.id, is_target));
            for (int t : read[read.size() - 1]) ++readers[t];
        }
        const auto reads_no_more = [&](int i) {
            for (int t : read[i]) --readers[t];
            read[i].clear();
        };
        int first = 0;
        for (int count = 0; count < all.size(); ++count) {
            while (done[first]) ++first;
            int next = first;
            while (next < all.size() && (done[next] || readers[in_.at(all[next].id).a] > 0)) ++next;
            if (next == all.size()) {
                next = first;
                for (int i = 0; i < all.size(); ++i) {
                    if (done[i] || i == next || !read[i].contains(in_.at(all[next].id).a)) continue;
                    store_value(all[i].id);
                    reads_no_more(i);
                }
            }
            done[next] = 1;
            reads_no_more(next);
            assignments_.push(all[next].id);
        }
    }
    constexpr void store_value(int assignment) {
        const FoldedUpdate u = folded_update(assignment);
        if (u.product >= 0) folded_[u.product] = 0;
        const int value = in_.at(assignment).b;
        result_.in_memory[value] = result_.stored[value] = 1;
    }
    constexpr void group_assignments() {
        List<int> last_reader(in_.size(), -1);
        for (int k = 0; k < result_.groups.size(); ++k)
            for (int v : result_.groups[k].inputs) last_reader[views_.root_of(v)] = k;
        for (int a : assignments_) {
            const int target = in_.at(a).a;
            const FoldedUpdate u = folded_update(a);
            if (u.product >= 0 && folded_[u.product]) {
                FusionGroup g;
                g.node = u.product;
                g.assign = a;
                g.update = u;
                g.inputs.push(in_.at(u.product).a);
                g.inputs.push(in_.at(u.product).b);
                if (u.scale >= 0 && in_.at(u.scale).operation != Operation::constant) g.inputs.push(u.scale);
                result_.group[u.product] = result_.group[a] = result_.groups.push(g);
            } else {
                join(a, last_reader[target] < 0                       ? 0
                        : reads_in_place(last_reader[target], target) ? last_reader[target]
                                                                      : last_reader[target] + 1);
            }
            for (int v : result_.groups[result_.group[a]].inputs)
                if (last_reader[views_.root_of(v)] < result_.group[a])
                    last_reader[views_.root_of(v)] = result_.group[a];
        }
    }
    /// Returns whether a group reads a target element by element, so that it may write the target in the same sweep.
    constexpr bool reads_in_place(int group, int target) const {
        const FusionGroup& g = result_.groups[group];
        for (int v : g.inputs)  // a read with another shape is not elementwise
            if (views_.root_of(v) == target && v != target) {
                const Operation o = in_.at(v).operation;
                if (o != Operation::reshape || !equivalent(in_.at(v).shape, in_.at(target).shape)) return false;
            }
        if (g.kind == FusionGroup::Kind::rows) return equivalent(g.domain, in_.at(target).shape) && g.split < 0;
        if (g.kind == FusionGroup::Kind::columns) return equivalent(g.column_shape(), in_.at(target).shape);
        return false;
    }

    // ---- registers for values that only their own sweep reads ----

    constexpr void keep_what_is_read() {
        List<char> crosses(in_.size(), 0);
        for (int k = 0; k < result_.groups.size(); ++k) {
            const FusionGroup& g = result_.groups[k];
            for (int v : g.inputs) crosses[v] = 1;
            for (int r : g.roots)
                for (int v : inputs_of(r))
                    if (result_.group[v] == k && result_.sweep[v] < result_.sweep[r] &&
                        !is_reduction(in_.at(v).operation) && equivalent(in_.at(v).shape, g.domain))
                        crosses[v] = 1;
        }
        for (FusionGroup& g : result_.groups) {
            List<int> kept;
            for (int r : g.roots) {
                const Operation o = in_.at(r).operation;
                if (result_.in_memory[r] || crosses[r] || o == Operation::assign || o == Operation::advance ||
                    is_reduction(o))
                    kept.push(r);
                else result_.stored[r] = 0;
            }
            g.roots = static_cast<List<int>&&>(kept);
        }
        for (int i = 0; i < in_.size(); ++i) result_.in_memory[i] = result_.in_memory[i] || crosses[i];
    }
};

/// Fourth pass: chooses the values in memory, and the nodes that are computed together.
constexpr FusedGroups fuse(const PassInput& in, const Liveness& liveness, const Views& views) {
    return detail::Fusion(in, liveness, views).run();
}

}  // namespace sigma::detail
