// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/compute.hpp>
#include <sigma/hook/context.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

class ComputeNode final : public ActionNode {
public:
    ComputeNode(const ValueRecord& computed, ValuesAndFunction f) : computed_(&computed), function_(std::move(f)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<ComputeNode>(*this); }
    void visit_values(const ValueVisitor& f) override { function_.visit_values(f); }
    void run(HookContext& context) override { context.publish(*computed_, function_(context)); }
    std::string text() const override { return sentence("compute<\"", computed_->name, "\">(", function_.text(), ")"); }

private:
    const ValueRecord* computed_;
    ValuesAndFunction function_;
};

SIGMA_IMPL ActionHandle make_compute(const ValueRecord& computed, ValuesAndFunction f) {
    return std::make_shared<ComputeNode>(computed, std::move(f));
}

}  // namespace sigma::detail
