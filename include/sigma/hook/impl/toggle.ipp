// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/toggle.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma {

namespace detail {

class ToggleNode final : public CriterionNode {
public:
    explicit ToggleNode(Toggle toggle) : toggle_(std::move(toggle)), taken_(toggle_.pulses()) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<ToggleNode>(*this); }
    Truth check(HookContext& context) override {
        if (!context.timed() && context.moment() != Moment::iteration) return {on_, false, false};
        const bool before = std::exchange(on_, toggle_.state());
        const bool pulse = toggle_.pulses() != taken_;
        if (pulse) ++taken_;
        return {on_ || pulse, pulse || (on_ && !before), true};
    }
    bool held() const override { return on_; }
    void restart(const MomentCounts&) override { on_ = false, taken_ = toggle_.pulses(); }
    /// Pulses that still wait are part of the state.
    void archive(Archive& a) override {
        const std::uint64_t given = toggle_.pulses();
        std::uint64_t waiting = given - taken_;
        a(on_, waiting);
        taken_ = given - waiting;
    }
    std::string text() const override { return "toggle"; }

private:
    Toggle toggle_;
    std::uint64_t taken_;
    bool on_ = false;
};

}  // namespace detail

SIGMA_IMPL ToggleCriterion::ToggleCriterion(Toggle toggle)
    : Criterion(std::make_shared<detail::ToggleNode>(std::move(toggle))) {}

SIGMA_IMPL ToggleCriterion when(Toggle toggle) { return ToggleCriterion(std::move(toggle)); }

SIGMA_IMPL ToggleCriterion on(Toggle toggle) { return ToggleCriterion(std::move(toggle)); }

}  // namespace sigma
