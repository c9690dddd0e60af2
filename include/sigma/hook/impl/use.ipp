// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/use.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

class UseNode final : public ActionNode {
public:
    explicit UseNode(ValuesAndFunction f) : function_(std::move(f)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<UseNode>(*this); }
    void visit_values(const ValueVisitor& f) override { function_.visit_values(f); }
    void run(HookContext& context) override { function_(context); }
    std::string text() const override { return sentence("use(", function_.text(), ")"); }

private:
    ValuesAndFunction function_;
};

SIGMA_IMPL ActionHandle make_use(ValuesAndFunction f) { return std::make_shared<UseNode>(std::move(f)); }

}  // namespace sigma::detail
