// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/remember.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

class RememberNode final : public ActionNode {
public:
    explicit RememberNode(ParameterSlot slot) : slot_(std::move(slot)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<RememberNode>(*this); }
    void run(HookContext& context) override { slot_.copy->take(context.view().parameters()); }
    void restart(HookContext&) override { slot_.copy->clear(); }
    void archive(Archive& a) override { slot_.copy->archive(a); }
    std::string text() const override { return "remember"; }

private:
    ParameterSlot slot_;
};

class RecallNode final : public ActionNode {
public:
    explicit RecallNode(ParameterSlot slot) : slot_(std::move(slot)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<RecallNode>(*this); }
    void run(HookContext& context) override {
        if (slot_.empty()) throw MismatchError("recall", "parameters that were remembered", "none");
        slot_.copy->put(context.view().parameters());
        context.view().parameters_changed();
    }
    std::string text() const override { return "recall"; }

private:
    ParameterSlot slot_;
};

SIGMA_IMPL Remember::Remember(ParameterSlot slot)
    : MadeAction(std::make_shared<detail::RememberNode>(std::move(slot))) {}
SIGMA_IMPL Recall::Recall(ParameterSlot slot) : MadeAction(std::make_shared<detail::RecallNode>(std::move(slot))) {}

}  // namespace sigma::detail
