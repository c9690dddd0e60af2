// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>
#include <sigma/tape/loops.hpp>

namespace sigma {

/// Strides of a row-major tensor whose last axis takes `row` elements, coded; as a shape for convenience.
constexpr Shape row_major(const Shape& s, int row) {
    Shape strides = s;
    int step = 1;
    for (int i = s.rank - 1; i >= 0; --i) {
        strides.extent[i] = step;
        step = times(step, i == s.rank - 1 ? row : s[i]);
    }
    return strides;
}

/// Nodes that will be computed together.
struct Group {
    enum class Kind : std::uint8_t { rows, columns, single };
    Kind kind = Kind::single;
    Shape domain{};
    int split = -1;           ///< rows: first axis of the row, -1 while open
    int begin = 0, end = 0;   ///< columns: reduced axes
    bool over_batch = false;  ///< a reduction in it runs over the batch
    int node = -1;            ///< single: the node it computes
    int loop = -1;            ///< which loop over time repeats it
    int assign = -1;          ///< single product: the assignment folded into it
    List<int> roots{};        ///< rows, columns: nodes that must be computed, in order
    List<int> inputs{};       ///< stored values from elsewhere that it reads

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

/// `target = target ± scale · product`, which one accumulating product does.
struct FoldedUpdate {
    int product = -1;
    int scale = -1;  ///< node of a scalar, or -1
    bool negative = false;
};

/// The run of axes that a reduction takes away.
struct Run {
    int begin = 0, end = 0;
    bool trailing = false;
};

/// Where the elements of a tensor lie, coded like the extents of a plan.
struct Layout {
    Shape strides{};
    int offset = 0;
    int time = 0;  ///< elements from one position of a loop to the next
    bool exists = true;

    /// What a loop sees of (batch, time, …).
    constexpr Layout at_position() const {
        Layout l = *this;
        l.time += strides[1];
        l.strides = strides.without(1);
        return l;
    }
    /// NumPy's rule: axes may be split anywhere and merged where they follow each other evenly.
    constexpr Layout reshaped(const Shape& from, const Shape& to) const {
        Layout l = *this;
        l.strides = to;
        int i = 0, j = 0;
        while (true) {
            while (i < from.rank && from[i] == 1) ++i;
            while (j < to.rank && to[j] == 1) l.strides.extent[j++] = 1;
            if (i == from.rank || j == to.rank) return l;
            int x = from[i], y = to[j], end = i + 1, last = j;
            while (x != y) {
                const int a = x < 0 ? -x : x, b = y < 0 ? -y : y;
                if (a < b || (a == b && y < 0)) x = times(x, from[end++]);  // of 4 and 4 * batch, 4 goes on
                else y = times(y, to[++last]);
            }
            for (int k = i; k + 1 < end; ++k)
                if (strides[k] != times(from[k + 1], strides[k + 1])) l.exists = false;
            l.strides.extent[last] = strides[end - 1];
            for (int k = last; k > j; --k) l.strides.extent[k - 1] = times(l.strides[k], to[k]);
            i = end;
            j = last + 1;
        }
    }
};
/// Do the axes from `begin` to `end` follow each other evenly, as if they were one?
constexpr bool mergeable(const Shape& s, const Layout& l, int begin, int end) {
    int inner = -1;  // axes of extent 1 have no steps
    for (int i = end - 1; i >= begin; --i) {
        if (s[i] == 1) continue;
        if (inner >= 0 && l.strides[i] != times(s[inner], l.strides[inner])) return false;
        inner = i;
    }
    return true;
}
/// How far one step of these axes leads, as if they were one.
constexpr int merged_stride(const Shape& s, const Layout& l, int begin, int end) {
    for (int i = end - 1; i >= begin; --i)
        if (s[i] != 1) return l.strides[i];
    return end > begin ? l.strides[end - 1] : 0;
}

/// Leading axes of an operand are taken as one, or of each of many as two.
constexpr bool product_takes(const Node& product, const Shape& s, const Layout& l) {
    if (product.attribute == 0) return mergeable(s, l, 0, s.rank - 1);
    return s.rank <= 4 || mergeable(s, l, 0, s.rank - 2);
}
/// Rows of parameters and states take whole vectors whatever reads them.
constexpr bool always_padded(const Node& n) {
    return (n.operation == Operation::parameter || n.operation == Operation::state) && n.shape.last() > 1;
}

/// The working state of the passes between tape and plan.
struct Draft {
    const Program& program;
    int lanes;
    // What every pass asks for most: without calls of calls, which constant evaluation pays one by one.
    const Node* nodes = program.tape.begin();
    int count = program.tape.size();
    LoopMembers loops{program.tape};
    List<char> view{};  ///< computed by nobody: another view of its operand's memory
    List<int> home{};   ///< concatenation or stack into whose memory a node is computed, or -1
    List<char> live{}, stored{}, forced{}, folded{};
    List<char> padded{};   ///< rows take whole vectors
    List<char> crosses{};  ///< read from memory by another group or a later sweep
    List<int> uses{};
    List<int> position{};  ///< group of each stored node
    List<int> phase{};     ///< sweep in which a root is computed
    List<Group> groups{};

    constexpr const Node& at(int i) const { return nodes[i]; }
    constexpr int size() const { return count; }

    /// Evaluated wherever it is needed, from registers.
    constexpr bool inlined(int i) const {
        return (is_map(at(i).operation) || at(i).operation == Operation::constant) && !stored[i];
    }
    /// The node in whose memory node `i` lies: itself, unless it is a view of an operand or is computed straight into
    /// its place in a concatenation or a stack.
    constexpr int root_of(int i) const {
        while (true) {
            if (home[i] >= 0) i = home[i];
            else if (view[i]) i = at(i).a;
            else return i;
        }
    }
    constexpr int row_of(int root) const {
        const Shape& s = at(root).shape;
        return padded[root] ? padded_row(s, lanes) : s.last();
    }
    constexpr Layout layout_of(int i) const {
        const Node& n = at(i);
        if (home[i] >= 0) {
            const Node& h = at(home[i]);
            Layout l = layout_of(home[i]);
            if (h.operation == Operation::stack) return l.at_position();
            if (i != h.a) l.offset += times(first_of(h), l.strides[axis_of(h)]);
            return l;
        }
        if (!view[i]) return Layout{row_major(n.shape, row_of(i))};
        return viewed(n, layout_of(n.a));
    }
    /// The layout of a view, given that of its operand; not `exists` where strides cannot express it.
    constexpr Layout viewed(const Node& n, Layout l) const {
        switch (n.operation) {
            case Operation::step: return l.at_position();
            case Operation::slice: l.offset += times(first_of(n), l.strides[axis_of(n)]); return l;
            case Operation::permute: {
                const Shape from = l.strides;
                for (int i = 0; i < n.shape.rank; ++i) l.strides.extent[i] = from[source_axis(n, i)];
                return l;
            }
            default: return l.reshaped(at(n.a).shape, n.shape);
        }
    }
    /// What is stored when node `i` is: for nodes that name a place rather than a computation, their operand.
    constexpr int source_of(int i) const {
        const Node& n = at(i);
        switch (n.operation) {
            case Operation::assign:
            case Operation::advance: return n.b;
            case Operation::carry:
            case Operation::stack: return n.a;
            default: return i;
        }
    }
    /// Is a concatenation or a stack, every part of which is computed in place?
    constexpr bool all_at_home(int i) const {
        const Node& n = at(i);
        if (n.operation != Operation::concatenate && n.operation != Operation::stack) return false;
        return home[n.a] == i && (n.operation == Operation::stack || (home[n.b] == i && n.a != n.b));
    }
    constexpr bool in_memory(int i) const { return forced[i] || crosses[i]; }
    template <class F>
    static constexpr void for_each_operand(const Node& n, F f) {
        if (n.a >= 0) f(n.a);
        if (n.b >= 0) f(n.b);
        if (n.c >= 0) f(n.c);
    }
    constexpr Run run_of(const Node& reduction) const {
        const Shape& from = at(reduction.a).shape;
        Run r{-1, 0, true};
        for (int i = 0; i < from.rank; ++i) {
            if (from[i] == reduction.shape[i]) continue;
            if (r.begin < 0) r.begin = i;
            r.end = i + 1;
        }
        for (int i = r.end; i < from.rank; ++i) r.trailing = r.trailing && from[i] == 1;
        return r;
    }
    constexpr FoldedUpdate folded_update(int assignment) const {
        const int target = at(assignment).a;
        const Node& value = at(at(assignment).b);
        if (value.operation != Operation::add && value.operation != Operation::subtract) return {};
        const bool negative = value.operation == Operation::subtract;
        const int term = value.a == target ? value.b : value.b == target && !negative ? value.a : -1;
        if (term < 0 || uses[at(assignment).b] != 1 || uses[term] != 1) return {};
        const auto plain = [&](int i) {
            const Node& n = at(i);
            return is_product(n.operation) && n.attribute == 0 && uses[i] == 1 &&
                   equivalent(n.shape, at(target).shape) && root_of(n.a) != target && root_of(n.b) != target;
        };
        if (plain(term)) return {term, -1, negative};
        if (at(term).operation != Operation::multiply) return {};
        const int x = at(term).a, y = at(term).b;
        if (plain(x) && at(y).shape.scalar()) return {x, y, negative};
        if (plain(y) && at(x).shape.scalar()) return {y, x, negative};
        return {};
    }
};

}  // namespace sigma
