// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>
#include <sigma/plan/views.hpp>

namespace sigma::detail {

/// Kernels in stages. The threads of a step wait for each other between stages. In odd stages all kernels are local: a
/// thread runs all of them for some records without waiting. In even stages kernels are independent of each other, and
/// threads take whole kernels or rows of their results.
struct ScheduledKernels {
    List<Kernel> kernels{};  ///< kernels in the order of execution
    List<PlannedLoop> loops{};
    int stages = 0;
};

class Schedule {
public:
    constexpr Schedule(const PassInput& in, const Views& views, const LoweredKernels& lowered)
        : in_(in), views_(views), lowered_(lowered), kernels_(lowered.kernels) {}
    constexpr ScheduledKernels run() {
        writer_ = reader_ = List<int>(in_.size(), -1);
        for (int first = 0, end = 0; first < kernels_.size(); first = end) {
            const int loop = kernels_[first].loop;
            for (end = first + 1; loop >= 0 && end < kernels_.size() && kernels_[end].loop == loop;) ++end;
            assign_stage(first, end);
        }
        sort();
        list_loops();
        return static_cast<ScheduledKernels&&>(result_);
    }

private:
    const PassInput& in_;
    const Views& views_;
    const LoweredKernels& lowered_;
    List<Kernel> kernels_;
    ScheduledKernels result_{};
    /// Twice the latest stage that writes or reads each tensor, plus 1 if it is not local.
    List<int> writer_{}, reader_{};

    // Defined above its callers, since clang cannot evaluate a member template in a constant before its body.
    template <class F>
    constexpr void for_each_argument(int first, int end, F f) const {
        for (int k = first; k < end; ++k)
            for (int i = 0; i < kernels_[k].arguments; ++i) f(lowered_.arguments[kernels_[k].argument + i]);
    }
    /// Assigns one stage to the kernels of a loop. If all are local, so is the loop: a thread runs all positions for
    /// its records.
    constexpr void assign_stage(int first, int end) {
        bool local = true;
        for (int k = first; k < end; ++k) local = local && kernels_[k].local;
        int stage = local ? 1 : 0;
        const auto after = [&](int other) {
            if (other < 0) return;
            const int s = other / 2;
            const bool same_allowed = local && other % 2 == 0;
            const int least = same_allowed ? s : s + 1;
            if (least > stage) stage = least;
        };
        for_each_argument(first, end, [&](const TensorArgument& a) {
            const int root = views_.root_of(a.tensor);
            after(writer_[root]);
            if (a.written) after(reader_[root]);
        });
        if (local != (stage % 2 == 1)) ++stage;
        const int mark = 2 * stage + (local ? 0 : 1);
        for (int k = first; k < end; ++k) {
            kernels_[k].stage = stage;
            kernels_[k].local = local;
        }
        for_each_argument(first, end, [&](const TensorArgument& a) {
            const int root = views_.root_of(a.tensor);
            int& latest = a.written ? writer_[root] : reader_[root];
            if (mark > latest) latest = mark;
        });
        if (stage + 1 > result_.stages) result_.stages = stage + 1;
    }
    constexpr void sort() {
        List<int> first(result_.stages, -1), next(kernels_.size(), -1);
        for (int k = kernels_.size() - 1; k >= 0; --k) {
            next[k] = first[kernels_[k].stage];
            first[kernels_[k].stage] = k;
        }
        result_.kernels.reserve(kernels_.size());
        for (int s = 0; s < result_.stages; ++s)
            for (int k = first[s]; k >= 0; k = next[k]) result_.kernels.push(kernels_[k]);
    }
    /// Numbers the loops in the order of execution.
    constexpr void list_loops() {
        List<Kernel>& kernels = result_.kernels;
        for (int k = 0; k < kernels.size(); ++k) {
            const int loop = kernels[k].loop;
            if (loop < 0) continue;
            const Loop& of_tape = in_.program.tape.loops()[loop];
            PlannedLoop l{k, k, of_tape.count, of_tape.backwards};
            while (l.end < kernels.size() && kernels[l.end].loop == loop) ++l.end;
            const int number = result_.loops.push(l);
            for (; k < l.end; ++k) kernels[k].loop = number;
            --k;
        }
    }
};

/// Sixth pass: orders the kernels.
constexpr ScheduledKernels schedule(const PassInput& in, const Views& views, const LoweredKernels& lowered) {
    return detail::Schedule(in, views, lowered).run();
}

}  // namespace sigma::detail
