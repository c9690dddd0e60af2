// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/look.hpp>
#include <sigma/hook/value_node.hpp>

#include <cmath>
#include <memory>

namespace sigma::detail {

class EachLookNode final : public ValueNode<EachLookNode> {
public:
    using ValueNode::ValueNode;
    static Truth look(double) { return {true, true, true}; }
    static void forget() {}
    void archive(Archive& a) override { a(seen_); }
    std::string text() const override { return sentence(value_.text(), " is new"); }
};

SIGMA_IMPL CriterionHandle make_each_look(const ValueHandle& v) { return std::make_shared<EachLookNode>(v); }

SIGMA_IMPL Improvement::Improvement(const char* what, bool largest, double min_change)
    : largest_(largest), min_change_(min_change) {
    if (!(min_change >= 0)) throw ArgumentError(sentence(what, " with min_change"), "0 or more", sentence(min_change));
}

SIGMA_IMPL bool Improvement::look(double x) {
    const bool better =
        !std::isnan(x) &&
        (std::isnan(best_) || (largest_ ? Up::further(x, best_, min_change_) : Down::further(x, best_, min_change_)));
    if (better) best_ = x;
    waited_ = better ? 0 : waited_ + 1;
    return better;
}

SIGMA_IMPL std::string Improvement::text(Best best) const {
    return sentence(min_change_ > 0 ? sentence(", min_change ", min_change_) : "", best == Best::usual ? ""
                                                                                   : largest_          ? ", largest"
                                                                                                       : ", smallest");
}

}  // namespace sigma::detail
