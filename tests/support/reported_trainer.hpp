// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/group.hpp>
#include <support/bare_view.hpp>

#include <string>
#include <vector>

namespace sigma::test {

struct ReportedModel {};

/// What hooks see of a trainer, set by hand.
class ReportedTrainer : public BareView {
public:
    struct Rate {
        double learning_rate = 0.1;
    } optimizer;
    double loss_now = 0, error_now = 0, runtime_now = 0;
    MomentCounts counts_now{};
    std::vector<std::string> lines{};
    bool stopped = false;

    double loss() const override { return loss_now; }
    double training_loss() const override { return error_now; }
    double runtime() const override { return runtime_now; }
    double learning_rate() const override { return optimizer.learning_rate; }
    double samples_per_second() const override { return 1000; }
    const MomentCounts& counts() const override { return counts_now; }
    ReportedModel& model() { return model_; }
    void print(std::string_view line) override { lines.emplace_back(line); }
    void stop() override { stopped = true; }

    template <class... H>
    void add(H... hooks) {
        static_assert(detail::Hooks<H...>::good);
        groups_.push_back(sigma::detail::make_hook_group(*this, std::move(hooks)...));
    }
    void happen(Moment m) {
        ++counts_now[m];
        for (const auto& group : groups_) group->fire(m);
    }
    sigma::detail::HookGroup& group(std::size_t i = 0) { return *groups_[i]; }

private:
    ReportedModel model_;
    std::vector<sigma::detail::Owned<sigma::detail::HookGroup>> groups_;
};

}  // namespace sigma::test
