// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/draft.hpp>

namespace sigma {

/// Orders kernels into stages between which the threads of a step meet. In odd stages every kernel is local: a thread
/// takes some records through all of them without waiting. In even stages kernels do not depend on each other and are
/// shared out whole or by rows of their result.
class Schedule {
public:
    constexpr Schedule(const Draft& draft, Plan& plan) : d(draft), plan_(plan) {}
    constexpr void run() {
        writer_ = reader_ = List<int>(d.size(), -1);
        for (int first = 0, end = 0; first < plan_.kernels.size(); first = end) {
            const int loop = plan_.kernels[first].loop;
            for (end = first + 1; loop >= 0 && end < plan_.kernels.size() && plan_.kernels[end].loop == loop;) ++end;
            assign_stage(first, end);
        }
        sort();
        list_loops();
    }

private:
    const Draft& d;
    Plan& plan_;
    List<int> writer_{},
        reader_{};  ///< latest stage that writes or reads each tensor, twice it, plus 1 where not local

    // Above its callers: clang cannot use a member template in constant evaluation before it has read its body.
    template <class F>
    constexpr void for_each_argument(int first, int end, F f) const {
        for (int k = first; k < end; ++k)
            for (int i = 0; i < plan_.kernels[k].arguments; ++i) f(plan_.arguments[plan_.kernels[k].argument + i]);
    }
    /// Kernels of a loop go together. Where each of them is local, so is the loop: a thread takes its records through
    /// all positions.
    constexpr void assign_stage(int first, int end) {
        bool local = true;
        for (int k = first; k < end; ++k) local = local && plan_.kernels[k].local;
        int stage = local ? 1 : 0;
        const auto after = [&](int other) {
            if (other < 0) return;
            const int s = other / 2;
            const bool same_allowed = local && other % 2 == 0;
            const int least = same_allowed ? s : s + 1;
            if (least > stage) stage = least;
        };
        for_each_argument(first, end, [&](const Argument& a) {
            const int root = d.root_of(a.buffer);
            after(writer_[root]);
            if (a.written) after(reader_[root]);
        });
        if (local != (stage % 2 == 1)) ++stage;
        const int mark = 2 * stage + (local ? 0 : 1);
        for (int k = first; k < end; ++k) {
            plan_.kernels[k].stage = static_cast<short>(stage);
            plan_.kernels[k].local = local;
        }
        for_each_argument(first, end, [&](const Argument& a) {
            int& latest = a.written ? writer_[d.root_of(a.buffer)] : reader_[d.root_of(a.buffer)];
            if (mark > latest) latest = mark;
        });
        if (stage + 1 > plan_.stages) plan_.stages = stage + 1;
    }
    /// Numbers the loops anew, in the order in which they run.
    constexpr void list_loops() {
        for (int k = 0; k < plan_.kernels.size(); ++k) {
            const int loop = plan_.kernels[k].loop;
            if (loop < 0) continue;
            PlannedLoop l{k, k, d.program.tape.loops()[loop].count, d.program.tape.loops()[loop].backwards};
            while (l.end < plan_.kernels.size() && plan_.kernels[l.end].loop == loop) ++l.end;
            const int number = plan_.loops.push(l);
            for (; k < l.end; ++k) plan_.kernels[k].loop = static_cast<short>(number);
            --k;
        }
    }
    constexpr void sort() {
        List<Kernel> sorted;
        sorted.reserve(plan_.kernels.size());
        for (int s = 0; s < plan_.stages; ++s)
            for (const Kernel& k : plan_.kernels)
                if (k.stage == s) sorted.push(k);
        plan_.kernels = sorted;
    }
};

}  // namespace sigma
