// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/group.hpp>

#include <string>
#include <vector>

namespace sigma::test {

struct ReportedModel {};

/// What hooks see of a trainer, set by hand.
class ReportedTrainer {
public:
    struct Rate {
        double learning_rate = 0.1;
    } optimizer;
    double loss_now = 0, error_now = 0, runtime_now = 0;
    MomentCounts counts_now{};
    std::vector<std::string> lines{};
    bool stopped = false;

    double loss() const { return loss_now; }
    double error() const { return error_now; }
    double runtime() const { return runtime_now; }
    double samples_per_second() const { return 1000; }
    std::uint64_t epoch() const { return counts_now[Moment::epoch]; }
    std::uint64_t iteration() const { return counts_now[Moment::iteration]; }
    const MomentCounts& counts() const { return counts_now; }
    ReportedModel& model() { return model_; }
    void print(std::string_view line) { lines.emplace_back(line); }
    void stop() { stopped = true; }

    template <class... H>
    void add(H... hooks) {
        static_assert(detail::Hooks<H...>::good);
        groups_.push_back(make_hook_group(*this, std::move(hooks)...));
    }
    void happen(Moment m) {
        ++counts_now[m];
        for (const auto& group : groups_) group->fire(m, *this);
    }
    AnyHookGroup<ReportedTrainer>& group(std::size_t i = 0) { return *groups_[i]; }

private:
    ReportedModel model_;
    std::vector<std::unique_ptr<AnyHookGroup<ReportedTrainer>>> groups_;
};

}  // namespace sigma::test
