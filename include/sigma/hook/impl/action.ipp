// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/action.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

class CallNode final : public ActionNode {
public:
    explicit CallNode(AnyFunction<void()> f) : function_(std::move(f)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<CallNode>(*this); }
    void run(HookContext&) override { function_(); }
    std::string text() const override { return "a function"; }

private:
    AnyFunction<void()> function_;
};

SIGMA_IMPL ActionHandle make_call(AnyFunction<void()> f) { return std::make_shared<CallNode>(std::move(f)); }

}  // namespace sigma::detail
