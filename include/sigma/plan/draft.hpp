// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

namespace sigma {

/// Nodes that will be computed together.
struct Group {
    enum class Kind : std::uint8_t { rows, columns, single };
    Kind kind = Kind::single;
    Shape domain{};
    int split = -1;            ///< rows: first axis of the row, -1 while open
    int begin = 0, end = 0;    ///< columns: reduced axes
    bool over_batch = false;   ///< a reduction in it runs over the batch
    int node = -1;             ///< single: the node it computes
    int assign = -1;           ///< single product: the assignment folded into it
    List<int> roots{};         ///< rows, columns: nodes that must be computed, in order
    List<int> inputs{};        ///< stored values from elsewhere that it reads

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

/// The working state of the passes between tape and plan.
struct Draft {
    const Program& program;
    int lanes;
    List<char> live{}, stored{}, forced{}, folded{};
    List<char> padded{};    ///< rows take whole vectors
    List<char> crosses{};   ///< read from memory by another group or a later sweep
    List<int> uses{};
    List<int> position{};   ///< group of each stored node
    List<int> phase{};      ///< sweep in which a root is computed
    List<Group> groups{};

    constexpr const Node& at(int i) const { return program.tape[i]; }
    constexpr int size() const { return program.tape.size(); }

    /// Evaluated wherever it is needed, from registers.
    constexpr bool inlined(int i) const {
        return (is_map(at(i).operation) || at(i).operation == Operation::constant) && !stored[i];
    }
    /// A reshape that is only another view of its operand's memory.
    constexpr bool aliases(int i) const {
        if (at(i).operation != Operation::reshape) return false;
        const Operation from = at(root_of(at(i).a)).operation;
        const bool fixed_layout = from == Operation::parameter || from == Operation::state;
        return !fixed_layout || at(i).shape.last() == at(at(i).a).shape.last();
    }
    constexpr int root_of(int i) const {
        while (at(i).operation == Operation::reshape && aliases(i)) i = at(i).a;
        return i;
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
