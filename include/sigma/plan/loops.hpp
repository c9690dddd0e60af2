// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

namespace sigma::detail {

/// Chooses the loops of a fused kernel. Axes of extent one vanish. Adjacent axes that every argument steps through
/// evenly become one loop. If all arguments are padded, rows include the padding, so that there is no tail.
class Loops {
public:
    constexpr Loops(List<TensorArgument>& arguments, Kernel& kernel)
        : arguments_(arguments), kernel_(kernel), k_(kernel.fused) {}

    /// Makes the loops. `split` is the first axis of the row, or of the reduction, which then ends before
    /// `reduced_end`. `padded(argument)` returns whether the rows of an argument, as long as the domain's, take whole
    /// vectors.
    template <class Padded>
    constexpr void make(Shape domain, int split, int reduced_end, bool reduces, int lanes, Padded padded) {
        const bool columns = reduced_end >= 0;
        const int inner = domain.rank - 1;
        bool all_padded = domain.rank > 0 && domain.last() > 1;
        for (int i = 0; i < kernel_.arguments; ++i) {
            const TensorArgument& a = at(i);
            if (inner >= 0 && a.stride[inner] != 0) all_padded = all_padded && padded(a);
        }
        k_.tail = FusedKernel::Tail::masked;
        if (all_padded && (columns || !reduces)) {
            domain.extent[inner] = round_up(domain.last(), lanes);
            k_.tail = FusedKernel::Tail::none;
        } else if (all_padded) {
            k_.tail = FusedKernel::Tail::padded;
        }
        // Copies and merges the remaining loops.
        int count = 0;
        int kind[max_rank]{};
        for (int axis = 0; axis < domain.rank; ++axis) {
            if (domain[axis] == 1) continue;
            const int now = columns                    ? (axis < split         ? 0
                                                          : axis < reduced_end ? 1
                                                                               : 2)
                            : reduces && axis >= split ? 2
                                                       : 0;
            bool merge = count > 0 && kind[count - 1] == now;
            for (int i = 0; i < kernel_.arguments && merge; ++i)
                merge = at(i).stride[count - 1] == times(at(i).stride[axis], domain[axis]);
            const int to = merge ? count - 1 : count++;
            kind[to] = now;
            k_.extent[to] = merge ? times(k_.extent[to], domain[axis]) : domain[axis];
            for (int i = 0; i < kernel_.arguments; ++i) at(i).stride[to] = at(i).stride[axis];
        }
        for (int i = 0; i < kernel_.arguments; ++i)
            for (int axis = count; axis < max_rank; ++axis) at(i).stride[axis] = 0;
        k_.rank = static_cast<short>(count);
        k_.outer = k_.reduced = 0;
        for (int i = 0; i < count; ++i) {
            k_.outer = static_cast<short>(k_.outer + (kind[i] == 0));
            k_.reduced = static_cast<short>(k_.reduced + (kind[i] == 1));
        }
        if (!columns && !reduces && count > 0) k_.outer = static_cast<short>(count - 1);  // the last loop is the row
        const int last = count ? k_.extent[count - 1] : 1;
        if (last % lanes == 0 && count > 0) k_.tail = FusedKernel::Tail::none;
        if (count == 0) k_.tail = FusedKernel::Tail::none;
    }

private:
    List<TensorArgument>& arguments_;
    Kernel& kernel_;
    FusedKernel& k_;
    constexpr TensorArgument& at(int i) { return arguments_[kernel_.argument + i]; }
};

}  // namespace sigma::detail
