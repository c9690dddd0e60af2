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
        for (int i = 0; i < plan_.kernels.size(); ++i) assign_stage(plan_.kernels[i]);
        sort();
    }

private:
    const Draft& d;
    Plan& plan_;
    List<int> writer_{}, reader_{};  ///< latest stage that writes or reads each tensor, twice it, plus 1 where not local

    constexpr void assign_stage(Kernel& k) {
        int stage = k.local ? 1 : 0;
        const auto after = [&](int other) {
            if (other < 0) return;
            const int s = other / 2;
            const bool same_allowed = k.local && other % 2 == 0;
            const int least = same_allowed ? s : s + 1;
            if (least > stage) stage = least;
        };
        for (int i = 0; i < k.arguments; ++i) {
            const Argument& a = plan_.arguments[k.argument + i];
            const int root = d.root_of(a.buffer);
            after(writer_[root]);
            if (a.written) after(reader_[root]);
        }
        if (k.local != (stage % 2 == 1)) ++stage;
        k.stage = static_cast<short>(stage);
        const int mark = 2 * stage + (k.local ? 0 : 1);
        for (int i = 0; i < k.arguments; ++i) {
            const Argument& a = plan_.arguments[k.argument + i];
            const int root = d.root_of(a.buffer);
            int& latest = a.written ? writer_[root] : reader_[root];
            if (mark > latest) latest = mark;
        }
        if (stage + 1 > plan_.stages) plan_.stages = stage + 1;
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
