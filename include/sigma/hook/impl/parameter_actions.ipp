// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/parameter_actions.hpp>
#include <sigma/network/model_store.hpp>

#include <tuple>
#include <vector>

namespace sigma {

namespace detail {

SIGMA_IMPL void check_pattern(const char* what, TrainerView& trainer, std::string_view pattern, bool draws) {
    if (for_each_match(network_of(trainer.parameters()), pattern, draws, [](int) {}) == 0)
        throw ArgumentError(sentence(what, " by a hook of trainer '", trainer.name(), "'"),
                            "a pattern that matches a parameter",
                            pattern_without_match(pattern, network_of(trainer.parameters())));
}

SIGMA_IMPL std::string initializer_text(const Initializer& i) {
    constexpr const char* kinds[] = {"constant", "gaussian", "uniform", "truncated", "orthogonal", "custom"};
    constexpr const char* fans[] = {"", " by fan in", " by fan average"};
    return sentence(kinds[static_cast<int>(i.kind)], "(", i.first, ", ", i.second, ")", fans[static_cast<int>(i.fan)]);
}

struct FreezeNode {
    bool freezes = true;
    std::string pattern{};
    std::vector<char> before{};  // for each matching parameter: 1 if it was frozen
    bool done = false;

    auto fields() { return std::tie(done); }
    void run(HookContext& context) {
        done = true;
        context.change([f = freezes, p = pattern](TrainerView& trainer) { set(trainer, f, p); });
    }
    void restart(HookContext& context) {
        TrainerView& trainer = context.view();
        const NetworkTable& network = network_of(trainer.parameters());
        const bool added = before.empty();
        std::size_t i = 0;
        check_pattern(word(), trainer, pattern, false);
        for_each_match(network, pattern, false, [&](int p) {
            if (added) before.push_back(trainer.frozen(p));
            if (done) set(trainer, before[i++] != 0, network.parameters[p].name.view());
        });
        done = false;
    }
    static void set(TrainerParameters& trainer, bool freezes, std::string_view pattern) {
        freezes ? trainer.freeze(pattern) : trainer.unfreeze(pattern);
    }
    const char* word() const { return freezes ? "freeze" : "unfreeze"; }
    std::string text() const { return sentence(word(), "(\"", pattern, "\")"); }
};

struct RememberNode {
    ParameterSlot slot{};

    auto fields() { return std::tie(*slot.copy); }
    void run(HookContext& context) { slot.copy->take(context.view().parameters()); }
    static std::string text() { return "remember"; }
};

struct RecallNode {
    ParameterSlot slot{};

    void run(HookContext& context) {
        if (slot.empty()) throw MismatchError("recall", "a slot that remember has filled", "an empty slot");
        slot.copy->put(context.view().parameters());
        context.view().parameters_changed();
    }
    static std::string text() { return "recall"; }
};

}  // namespace detail

SIGMA_IMPL ParameterSlot::ParameterSlot() : copy(detail::SharedOwner<detail::ParameterCopy>::make()) {}

SIGMA_IMPL FreezeParameters freeze(std::string pattern) {
    return FreezeParameters(detail::make_action(detail::FreezeNode{true, std::move(pattern)}));
}
SIGMA_IMPL FreezeParameters unfreeze(std::string pattern) {
    return FreezeParameters(detail::make_action(detail::FreezeNode{false, std::move(pattern)}));
}
SIGMA_IMPL detail::Remember remember(ParameterSlot slot) {
    return detail::Remember(detail::make_action(detail::RememberNode{std::move(slot)}));
}
SIGMA_IMPL detail::Remember recall(ParameterSlot slot) {
    return detail::Remember(detail::make_action(detail::RecallNode{std::move(slot)}));
}

}  // namespace sigma
