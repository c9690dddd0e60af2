// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/words.hpp>

#include <string>

namespace sigma {

namespace detail {

/// The actions `stop`, `hold` and `reset`.
struct CommandNode {
    Moment what{};

    void run(HookContext& context) {
        if (what == Moment::stop) context.stop();
        else if (what == Moment::pause) context.change([](TrainerView& trainer) { trainer.pause(); });
        else context.change([](TrainerView& trainer) { trainer.reset(); });
    }
    std::string text() const { return std::string(detail::text(what)); }
};

}  // namespace detail

SIGMA_IMPL detail::ActionHandle StopWord::made() { return detail::make_action(detail::CommandNode{scale}); }
SIGMA_IMPL detail::ActionHandle HoldWord::made() { return detail::make_action(detail::CommandNode{scale}); }
SIGMA_IMPL detail::ActionHandle ResetWord::made() { return detail::make_action(detail::CommandNode{scale}); }

}  // namespace sigma
