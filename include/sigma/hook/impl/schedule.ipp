// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/schedule.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

class EachTimeNode final : public CriterionNode {
public:
    explicit EachTimeNode(Moment scale) : scale_(scale) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<EachTimeNode>(*this); }
    Truth check(HookContext&) override { return {true, true, true}; }
    void restart(const MomentCounts&) override {}
    void archive(Archive&) override {}
    std::string text() const override { return sentence("every(1, ", sigma::detail::text(scale_), ")"); }

private:
    Moment scale_;
};

class RateScheduleNode final : public ActionNode {
public:
    RateScheduleNode(Moment scale, AnyFunction<double(double)> f, std::string words)
        : scale_(scale), function_(std::move(f)), words_(std::move(words)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<RateScheduleNode>(*this); }
    void run(HookContext& context) override {
        const double t = static_cast<double>(context.counts()[scale_] - from_);
        const double factor = function_(t);
        if (!(std::isfinite(factor) && factor >= 0))
            throw ArgumentError(text(), sentence("a finite factor of 0 or more at time ", t), sentence(factor));
        context.view().set_learning_rate(base_ * factor);
    }
    void restart(HookContext& context) override {
        if (std::isnan(base_)) base_ = context.view().learning_rate();
        from_ = context.counts()[scale_];
        run(context);
    }
    void archive(Archive& a) override { a(base_, from_); }
    std::string text() const override { return sentence("schedule(", words_, ", ", sigma::detail::text(scale_), ")"); }

private:
    Moment scale_;
    AnyFunction<double(double)> function_;
    std::string words_;
    double base_ = std::numeric_limits<double>::quiet_NaN();  ///< the rate when added
    std::uint64_t from_ = 0;
};

SIGMA_IMPL CriterionHandle make_each_time(Moment scale) { return std::make_shared<EachTimeNode>(scale); }
SIGMA_IMPL ActionHandle make_rate_schedule(Moment scale, AnyFunction<double(double)> f, std::string text) {
    return std::make_shared<RateScheduleNode>(scale, std::move(f), std::move(text));
}

}  // namespace sigma::detail
