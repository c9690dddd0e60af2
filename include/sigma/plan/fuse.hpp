// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/draft.hpp>
#include <sigma/plan/views.hpp>

namespace sigma {

/// Decides what is computed at all (dead code falls away), what must exist in memory, and what is computed together.
class Fusion {
public:
    constexpr explicit Fusion(Draft& draft) : d(draft) {}
    constexpr void run() {
        mark();
        d.groups.reserve(d.size() / 2);
        order_assignments();
        place_values();
        place_assignments();
        keep_what_is_read();
    }

private:
    Draft& d;
    List<int> assignments_{};  ///< in an order in which they can be done
    List<int> seen_{};
    int round_ = 0;

    // ---- liveness, and what has to be in memory ----

    constexpr void mark() {
        const int n = d.size();
        d.live = d.stored = d.forced = d.folded = List<char>(n, 0);
        d.uses = List<int>(n, 0);
        d.position = d.phase = seen_ = List<int>(n, -1);
        for (const Variable& v : d.program.outputs) d.live[v.id] = d.forced[v.id] = 1, ++d.uses[v.id];
        for (const Variable& v : d.program.assignments) d.live[v.id] = 1;
        List<char> done(n, 0);
        for (bool again = true; again;) {  // a carry that is read makes what it becomes live, and all that this needs
            again = false;
            for (int i = n - 1; i >= 0; --i) {
                if (!d.live[i] || done[i]) continue;
                mark_operands(i);
                done[i] = 1;
            }
            for (int i = 0; i < n && d.loops.count() > 0; ++i)
                if (d.at(i).operation == Operation::advance && d.live[d.at(i).a] && !d.live[i])
                    d.live[i] = again = true;
        }
        Views(d).choose();
        for (const Variable& v : d.program.assignments) {
            const FoldedUpdate u = d.folded_update(v.id);
            if (u.product < 0) continue;
            d.folded[u.product] = 1;
            if (u.scale >= 0 && d.at(u.scale).operation != Operation::constant) d.forced[u.scale] = 1;
        }
        for (int i = 0; i < n; ++i)
            d.stored[i] = d.live[i] && (d.forced[i] || is_reduction(d.at(i).operation) ||
                                        (is_costly(d.at(i).operation) && d.uses[i] > 1));
    }

    constexpr void mark_operands(int i) {
        const Node& x = d.at(i);
        const Operation o = x.operation;
        const bool from_memory = is_product(o) || is_movement(o) || o == Operation::reshape || o == Operation::argmax ||
                                 is_convolution(o) || is_pooling(o) || is_lookup(o) || is_block(o) ||
                                 o == Operation::step || (o == Operation::stack && is_moved_stack(x));
        Draft::for_each_operand(x, [&](int operand) {
            d.live[operand] = 1;
            ++d.uses[operand];
            if (from_memory) d.forced[operand] = 1;
        });
        if (o == Operation::advance) d.forced[x.b] = 1;  // computed before any carry goes on
        const bool leaf = is_leaf(o) && o != Operation::constant;
        if (from_memory || leaf || is_loop_value(o)) d.forced[i] = 1;
    }

    /// Calls `f` for every stored value that node `i` is computed from.
    template <class F>
    constexpr void frontier(int i, F f) {
        Draft::for_each_operand(d.at(i), [&](int o) {
            if (seen_[o] == round_) return;
            seen_[o] = round_;
            if (d.inlined(o)) frontier(o, f);
            else f(o);
        });
    }
    constexpr List<int> inputs_of(int i) {
        List<int> in;
        ++round_;
        if (const int value = d.source_of(i); value != i) {
            if (!d.inlined(value)) in.push(value);
            else frontier(value, [&](int v) { in.push(v); });
        } else {
            frontier(i, [&](int v) { in.push(v); });
        }
        return in;
    }

    // ---- groups ----

    struct Wish {  // what a node needs of the group it joins
        Shape shape{};
        bool reduction = false;
        Run run{};
        bool over_batch = false;
    };
    constexpr Wish wish_of(int i) const {
        const Node& x = d.at(i);
        if (!is_reduction(x.operation)) return {d.at(d.source_of(i)).shape, false, {}, false};
        const Shape& from = d.at(x.a).shape;
        const Run run = d.run_of(x);
        return {from, true, run, !d.program.sequential && from.batched() && !x.shape.batched()};
    }
    /// May a node with this wish be computed in group `g`, shapes considered?
    constexpr bool fits(const Wish& w, const Group& g) const {
        if (g.kind == Group::Kind::single) return false;
        if (g.kind == Group::Kind::columns) {
            if (!w.reduction) return equivalent(w.shape, g.column_shape());
            return !w.run.trailing && w.shape == g.domain && w.run.begin == g.begin && w.run.end == g.end;
        }
        if (w.reduction)
            return w.run.trailing && w.shape == g.domain && (g.split < 0 || g.split == w.run.begin) &&
                   w.over_batch == g.over_batch;
        if (equivalent(w.shape, g.domain)) return !(g.over_batch && w.shape.batched());
        return g.split >= 0 && equivalent(w.shape, g.row_shape());
    }
    /// May it read `v`, which group `g` itself computes?
    constexpr bool may_follow(const Wish& w, const Group& g, int v) const {
        const Node& x = d.at(v);
        if (!is_map(x.operation) && !is_reduction(x.operation)) return false;
        if (g.kind == Group::Kind::columns) return !w.reduction;
        if (is_reduction(x.operation)) return true;
        return equivalent(x.shape, g.domain) ? equivalent(w.shape, g.domain) : true;
    }
    constexpr void place(int i, int after) {
        const Wish w = wish_of(i);
        const int loop = d.loops.computed_in(d.program.tape, i);
        const List<int> in = inputs_of(i);
        int earliest = after;
        for (int v : in)
            if (d.position[v] > earliest) earliest = d.position[v];
        int chosen = -1;
        const int window = d.groups.size() - 16;  // looking further back costs compile time and finds nothing
        for (int c = d.groups.size() - 1; c >= earliest && c >= window && c >= 0 && chosen < 0; --c) {
            const Group& g = d.groups[c];
            if (g.loop != loop || !fits(w, g) || g.roots.size() > 64) continue;
            bool allowed = true, related = false;
            for (int v : in) {
                if (d.position[v] == c) {
                    related = true;
                    allowed = allowed && may_follow(w, g, v);
                } else {
                    // sharing a scalar or a row is no reason to be one kernel; sharing what is read in full is
                    const bool worth = !is_leaf(d.at(v).operation) || equivalent(d.at(v).shape, g.domain);
                    related = related || (worth && g.inputs.contains(v));
                }
            }
            if (allowed && related) chosen = c;
        }
        if (chosen < 0) {
            Group g;
            g.kind = w.reduction && !w.run.trailing ? Group::Kind::columns : Group::Kind::rows;
            g.loop = loop;
            g.domain = w.shape;
            g.begin = w.run.begin;
            g.end = w.run.end;
            chosen = d.groups.push(g);
        }
        Group& g = d.groups[chosen];
        if (w.reduction) {
            g.over_batch = w.over_batch;
            if (w.run.trailing) g.split = w.run.begin;
        }
        int phase = 0;
        for (int v : in) {
            if (d.position[v] != chosen) {
                if (!g.inputs.contains(v)) g.inputs.push(v);
                continue;
            }
            const int p = d.phase[v] + (is_reduction(d.at(v).operation) ? 1 : 0);
            if (p > phase) phase = p;
        }
        if (g.kind == Group::Kind::columns && !w.reduction) phase = 1;
        d.position[i] = chosen;
        d.phase[i] = phase;
        g.roots.push(i);
    }
    constexpr int place_single(int i) {
        Group g;
        g.node = i;
        g.loop = d.loops.computed_in(d.program.tape, i);
        Draft::for_each_operand(d.at(i), [&](int o) { g.inputs.push(o); });
        return d.position[i] = d.groups.push(g);
    }
    constexpr void place_values() {
        for (int i = 0; i < d.size(); ++i) {
            if (d.loops.computed_in(d.program.tape, i) < 0) place_value(i);
            const int loop = d.loops.of(i);
            if (loop >= 0 && d.loops.last(loop) == i) place_loop(loop);
        }
    }
    constexpr void place_value(int i) {
        const Operation o = d.at(i).operation;
        if (!d.stored[i] || d.folded[i] || (is_leaf(o) && o != Operation::uniform && o != Operation::constant)) return;
        if (o == Operation::assign || o == Operation::advance) return;
        if (d.view[i]) d.position[i] = d.position[d.at(i).a];
        else if (d.all_at_home(i)) d.position[i] = latest_operand(i);
        else if (is_map(o) || is_reduction(o) || o == Operation::constant || o == Operation::carry) place(i, 0);
        else if (o == Operation::stack && !is_moved_stack(d.at(i))) place(i, 0);
        else place_single(i);
    }
    constexpr int latest_operand(int i) const {
        int latest = -1;
        Draft::for_each_operand(d.at(i), [&](int o) { latest = d.position[o] > latest ? d.position[o] : latest; });
        return latest;
    }
    /// All that one step of a loop computes, one group after the other, and then what goes on to the next step.
    constexpr void place_loop(int loop) {
        const int first = d.groups.size();
        for (int i = 0; i < d.size(); ++i)
            if (d.loops.computed_in(d.program.tape, i) == loop) place_value(i);
        for (int i = 0; i < d.size(); ++i) {
            const Node& n = d.at(i);
            if (n.operation != Operation::advance || loop_of(n) != loop || !d.live[i]) continue;
            int after = 0;
            for (int k = first; k < d.groups.size(); ++k)
                for (int v : d.groups[k].inputs)
                    if (d.root_of(v) == n.a) after = reads_in_place(k, n.a) ? k : k + 1;
            place(i, after);
        }
    }

    // ---- assignments: after every reader of the old value ----

    /// Targets of other assignments that this one reads from memory.
    constexpr List<int> targets_read_by(int assignment, const List<char>& is_target) {
        List<int> found;
        const auto note = [&](int v) {
            const int root = d.root_of(v);
            if (is_target[root] && root != d.at(assignment).a && !found.contains(root)) found.push(root);
        };
        const FoldedUpdate u = d.folded_update(assignment);
        if (u.product >= 0 && d.folded[u.product]) {
            note(d.at(u.product).a);
            note(d.at(u.product).b);
            if (u.scale >= 0) note(u.scale);
        } else {
            for (int v : inputs_of(assignment)) note(v);
        }
        return found;
    }
    /// Whoever reads the target of another comes before it. Where assignments read each other's targets in a circle,
    /// the values of some are stored before any target is written.
    constexpr void order_assignments() {
        const auto& all = d.program.assignments;
        List<char> is_target(d.size(), 0), done(all.size(), 0);
        List<int> readers(d.size(), 0);  // of each target: how many assignments still to come
        List<List<int>> read;
        for (const Variable& v : all) is_target[d.at(v.id).a] = 1;
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
            while (next < all.size() && (done[next] || readers[d.at(all[next].id).a] > 0)) ++next;
            if (next == all.size()) {
                next = first;
                for (int i = 0; i < all.size(); ++i) {
                    if (done[i] || i == next || !read[i].contains(d.at(all[next].id).a)) continue;
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
        const FoldedUpdate u = d.folded_update(assignment);
        if (u.product >= 0) d.folded[u.product] = 0;
        const int value = d.at(assignment).b;
        d.forced[value] = d.stored[value] = 1;
    }
    constexpr void place_assignments() {
        List<int> last_reader(d.size(), -1);
        for (int k = 0; k < d.groups.size(); ++k)
            for (int v : d.groups[k].inputs) last_reader[d.root_of(v)] = k;
        for (int a : assignments_) {
            const int target = d.at(a).a;
            const FoldedUpdate u = d.folded_update(a);
            if (u.product >= 0 && d.folded[u.product]) {
                Group g;
                g.node = u.product;
                g.assign = a;
                g.inputs.push(d.at(u.product).a);
                g.inputs.push(d.at(u.product).b);
                if (u.scale >= 0 && d.at(u.scale).operation != Operation::constant) g.inputs.push(u.scale);
                d.position[u.product] = d.position[a] = d.groups.push(g);
            } else {
                place(a, last_reader[target] < 0                       ? 0
                         : reads_in_place(last_reader[target], target) ? last_reader[target]
                                                                       : last_reader[target] + 1);
            }
            for (int v : d.groups[d.position[a]].inputs)
                if (last_reader[d.root_of(v)] < d.position[a]) last_reader[d.root_of(v)] = d.position[a];
        }
    }
    /// Element for element: the group may read the old value and write the new one in the same sweep.
    constexpr bool reads_in_place(int group, int target) const {
        const Group& g = d.groups[group];
        for (int v : g.inputs)  // not under another shape
            if (d.root_of(v) == target && v != target) {
                const Operation o = d.at(v).operation;
                if (o != Operation::reshape || !equivalent(d.at(v).shape, d.at(target).shape)) return false;
            }
        if (g.kind == Group::Kind::rows) return equivalent(g.domain, d.at(target).shape) && g.split < 0;
        if (g.kind == Group::Kind::columns) return equivalent(g.column_shape(), d.at(target).shape);
        return false;
    }

    // ---- values that only their own sweep reads stay in registers ----

    constexpr void keep_what_is_read() {
        List<char>& crosses = d.crosses = List<char>(d.size(), 0);
        for (int k = 0; k < d.groups.size(); ++k) {
            const Group& g = d.groups[k];
            for (int v : g.inputs) crosses[v] = 1;
            for (int r : g.roots)
                for (int v : inputs_of(r))
                    if (d.position[v] == k && d.phase[v] < d.phase[r] && !is_reduction(d.at(v).operation) &&
                        equivalent(d.at(v).shape, g.domain))
                        crosses[v] = 1;
        }
        for (Group& g : d.groups) {
            List<int> kept;
            for (int r : g.roots) {
                const Operation o = d.at(r).operation;
                if (d.forced[r] || crosses[r] || o == Operation::assign || o == Operation::advance || is_reduction(o))
                    kept.push(r);
                else d.stored[r] = 0;
            }
            g.roots = kept;
        }
    }
};

}  // namespace sigma
