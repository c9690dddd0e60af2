// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/criterion.hpp>

#include <limits>
#include <utility>

namespace sigma::detail {

inline constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();

/// A criterion on one value, which is looked at when it is new. `Self::look(x)` says what it finds, and
/// `Self::forget()` makes it begin anew.
template <class Self>
class ValueNode : public CriterionNode {
public:
    explicit ValueNode(ValueHandle v) : value_(std::move(v)) {}
    detail::Owned<CriterionNode> clone() const override { return make_owned<Self>(static_cast<const Self&>(*this)); }
    Truth check(HookContext& context) override {
        if (!is_fresh(context, value_, seen_)) return {held(), false, false};
        return static_cast<Self&>(*this).look(context.get(value_));
    }
    void restart(const MomentCounts&) override { seen_ = 0, static_cast<Self&>(*this).forget(); }
    void visit_values(const ValueVisitor& f) override { f(value_); }

protected:
    ValueHandle value_;
    std::uint64_t seen_ = 0;
};

}  // namespace sigma::detail
