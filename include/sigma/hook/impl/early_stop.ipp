// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/parameter_copy.hpp>

#include <memory>
#include <string>

namespace sigma::detail {

class EarlyStopNode final : public ImprovementNode {
public:
    EarlyStopNode(const ValueHandle& v, const EarlyStopping& how)
        : ImprovementNode("early_stop", "early_stop with patience", v, how.patience, how.best, how.min_change),
          how_(how) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<EarlyStopNode>(*this); }
    void run(HookContext& context) override {
        TrainerView& trainer = context.view();
        if (improvement_.look(context.get(value_))) {
            if (how_.restore_best) best_.take(trainer.parameters());
        } else if (improvement_.waited() >= patience_) {
            improvement_.wait_anew();  // for the next run
            if (!best_.empty()) {
                best_.put(trainer.parameters());
                trainer.parameters_changed();
            }
            context.stop();
        }
    }
    void restart(HookContext&) override { improvement_.restart(), best_.clear(); }
    void archive(Archive& a) override { improvement_.archive(a), best_.archive(a); }
    std::string text() const override {
        return sentence("early_stop(", value_.text(), ", patience ", patience_, improvement_.text(how_.best),
                        how_.restore_best ? ")" : ", without restoring)");
    }

private:
    EarlyStopping how_;
    ParameterCopy best_;
};

SIGMA_IMPL ActionHandle make_early_stop(const ValueHandle& v, const EarlyStopping& how) {
    return std::make_shared<EarlyStopNode>(v, how);
}

}  // namespace sigma::detail
