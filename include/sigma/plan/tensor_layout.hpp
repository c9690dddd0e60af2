// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

namespace sigma::detail {

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

/// Where the elements of a tensor lie, coded like the extents of a plan.
struct TensorLayout {
    Shape strides{};
    int offset = 0;
    int time = 0;  ///< elements from one position of a loop to the next
    bool exists = true;

    /// What a loop sees of (batch, time, …).
    constexpr TensorLayout at_position() const {
        TensorLayout l = *this;
        l.time += strides[1];
        l.strides = strides.without(1);
        return l;
    }
    /// NumPy's rule: axes may be split anywhere and merged where they follow each other evenly.
    constexpr TensorLayout reshaped(const Shape& from, const Shape& to) const {
        TensorLayout l = *this;
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
constexpr bool mergeable(const Shape& s, const TensorLayout& l, int begin, int end) {
    int inner = -1;  // axes of extent 1 have no steps
    for (int i = end - 1; i >= begin; --i) {
        if (s[i] == 1) continue;
        if (inner >= 0 && l.strides[i] != times(s[inner], l.strides[inner])) return false;
        inner = i;
    }
    return true;
}
/// How far one step of these axes leads, as if they were one.
constexpr int merged_stride(const Shape& s, const TensorLayout& l, int begin, int end) {
    for (int i = end - 1; i >= begin; --i)
        if (s[i] != 1) return l.strides[i];
    return end > begin ? l.strides[end - 1] : 0;
}

/// Leading axes of an operand are taken as one, or of each of many as two.
constexpr bool product_takes(const Node& product, const Shape& s, const TensorLayout& l) {
    if (product.attribute == 0) return mergeable(s, l, 0, s.rank - 1);
    return s.rank <= 4 || mergeable(s, l, 0, s.rank - 2);
}
/// Rows of parameters and states take whole vectors whatever reads them.
constexpr bool always_padded(const Node& n) {
    return (n.operation == Operation::parameter || n.operation == Operation::state) && n.shape.last() > 1;
}

}  // namespace sigma::detail
