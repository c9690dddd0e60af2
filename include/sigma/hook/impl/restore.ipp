// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/restore.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma {

namespace detail {

/// The run as it was: parameters, states, counts, position and hooks; or the parameters that match a pattern, alone.
class RestoreNode final : public ActionNode {
public:
    RestoreNode(bool everything, std::string file, std::string pattern)
        : everything_(everything), file_(std::move(file)), pattern_(std::move(pattern)) {
        if (file_.empty()) throw ArgumentError(word(), "the name of a file", "none");
    }
    detail::Owned<ActionNode> clone() const override { return std::make_unique<RestoreNode>(*this); }
    void run(HookContext& context) override {
        TrainerView& trainer = context.view();
        if (everything_) return trainer.load_after_hooks(file_);
        context.afterwards([&trainer, file = file_, pattern = pattern_] {
            trainer.load_parameters(file, pattern);
            trainer.parameters_changed();
        });
    }
    std::string text() const override {
        return sentence(word(), "(\"", file_, pattern_ == "*" ? "" : sentence("\", \"", pattern_), "\")");
    }

private:
    bool everything_;
    std::string file_, pattern_;

    const char* word() const { return everything_ ? "restore" : "restore_parameters"; }
};

}  // namespace detail

SIGMA_IMPL RestoreFile restore(std::string file) {
    return RestoreFile(std::make_shared<detail::RestoreNode>(true, std::move(file), "*"));
}
SIGMA_IMPL RestoreFile restore_parameters(std::string file, std::string pattern) {
    return RestoreFile(std::make_shared<detail::RestoreNode>(false, std::move(file), std::move(pattern)));
}

}  // namespace sigma
