// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/parameter_copy.hpp>

#include <memory>
#include <string>

namespace sigma::detail {

class EarlyStopNode final : public ActionNode {
public:
    EarlyStopNode(const ValueHandle& v, const EarlyStopping& how)
        : value_(v), how_(how), patience_(positive("early_stop with patience", how.patience)),
          watch_("early_stop", largest_is_best(v, how.best), how.min_change) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<EarlyStopNode>(*this); }
    void run(HookContext& context) override {
        TrainerView& trainer = context.view();
        if (watch_.look(context.get(value_))) {
            if (how_.restore_best) best_.take(trainer.parameters());
        } else if (watch_.waited() >= patience_) {
            watch_.wait_anew();  // for the next run
            if (!best_.empty()) {
                best_.put(trainer.parameters());
                trainer.parameters_changed();
            }
            context.stop();
        }
    }
    void visit_values(const ValueVisitor& f) override { f(value_); }
    void restart(HookContext&) override { watch_.restart(), best_.clear(); }
    void archive(Archive& a) override { watch_.archive(a), best_.archive(a); }
    std::string text() const override {
        return sentence("early_stop(", value_.text(), ", patience ", patience_, watch_.text(how_.best),
                        how_.restore_best ? ")" : ", without restoring)");
    }

private:
    ValueHandle value_;
    EarlyStopping how_;
    std::uint64_t patience_;
    Watch watch_;
    ParameterCopy best_;
};

SIGMA_IMPL ActionHandle make_early_stop(const ValueHandle& v, const EarlyStopping& how) {
    return std::make_shared<EarlyStopNode>(v, how);
}

}  // namespace sigma::detail
