// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/hook.hpp>

#include <utility>

namespace sigma::detail {

SIGMA_IMPL ActionPart::ActionPart(ActionHandle made) : node(std::move(made)) {}
SIGMA_IMPL ActionPart::ActionPart(SharedOwner<const void> own_, std::string text_)
    : own(std::move(own_)), text(std::move(text_)) {}
SIGMA_IMPL ActionPart::ActionPart(const ActionPart&) = default;
SIGMA_IMPL ActionPart& ActionPart::operator=(const ActionPart&) = default;
SIGMA_IMPL ActionPart::~ActionPart() = default;

SIGMA_IMPL UntypedHook::UntypedHook(const CriterionHandle& criterion_, std::initializer_list<ActionPart> actions_)
    : criterion(criterion_), actions(actions_) {}
SIGMA_IMPL UntypedHook::UntypedHook(const UntypedHook&) = default;
SIGMA_IMPL UntypedHook& UntypedHook::operator=(const UntypedHook&) = default;
SIGMA_IMPL UntypedHook::~UntypedHook() = default;

SIGMA_IMPL std::string UntypedHook::name() const { return settings.name.empty() ? text() : settings.name; }

SIGMA_IMPL std::string UntypedHook::text() const {
    std::string all;
    for (const ActionPart& a : actions) all += (all.empty() ? "" : ", ") + (a.node ? a.node->text() : a.text);
    return sentence("when(", criterion->text(), ").then(", all, ")");
}

SIGMA_IMPL double checked_limit(double seconds) {
    if (!(seconds > 0)) throw ArgumentError("limit of a hook", "a time above 0", sentence(seconds, " s"));
    return seconds;
}

}  // namespace sigma::detail
