// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/words.hpp>

#include <memory>
#include <string>

namespace sigma {

namespace detail {

/// `stop`, `hold` and `reset` as actions.
class CommandNode final : public ActionNode {
public:
    explicit CommandNode(Moment what) : what_(what) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<CommandNode>(*this); }
    void run(HookContext& context) override {
        if (what_ == Moment::stop) context.stop();
        else if (what_ == Moment::pause) context.change([](TrainerView& trainer) { trainer.pause(); });
        else context.change([](TrainerView& trainer) { trainer.reset(); });
    }
    std::string text() const override { return std::string(sigma::detail::text(what_)); }

private:
    Moment what_;
};

}  // namespace detail

SIGMA_IMPL detail::ActionHandle StopWord::made() { return std::make_shared<detail::CommandNode>(scale); }
SIGMA_IMPL detail::ActionHandle HoldWord::made() { return std::make_shared<detail::CommandNode>(scale); }
SIGMA_IMPL detail::ActionHandle ResetWord::made() { return std::make_shared<detail::CommandNode>(scale); }

}  // namespace sigma
