// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/latest.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

class LatestNode final : public Derived {
public:
    explicit LatestNode(ValueHandle source) : source_(std::move(source)) {}
    detail::Owned<Derived> clone() const override { return std::make_unique<LatestNode>(source_); }
    std::string text() const override { return sentence("latest(", source_.text(), ")"); }
    bool same(const Derived& other) const override {
        const auto* o = dynamic_cast<const LatestNode*>(&other);
        return o != nullptr && same_value(source_, o->source_);
    }
    void visit_values(const ValueVisitor& f) override { f(source_); }
    void update(HookContext& context) override { result = context.get(source_); }
    void restart() override { result = std::numeric_limits<double>::quiet_NaN(); }
    void archive(Archive& a) override { a(result); }
    MomentSet moments() const override { return {}; }
    Wants always_wants() const override { return wants_of(source_) | always_wants_of(source_); }

private:
    ValueHandle source_;
};

SIGMA_IMPL detail::SharedOwner<Derived> make_latest(const ValueHandle& source) {
    return std::make_shared<LatestNode>(source);
}

}  // namespace sigma::detail
