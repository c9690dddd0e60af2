// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/by_pattern.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/freeze.hpp>
#include <sigma/hook/kept_tensors.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

namespace detail {

class FreezeNode final : public ActionNode {
public:
    FreezeNode(bool freezes, std::string pattern) : freezes_(freezes), pattern_(std::move(pattern)) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<FreezeNode>(*this); }
    void run(HookContext& context) override {
        done_ = true;
        context.change([freezes = freezes_, pattern = pattern_](TrainerView& trainer) {
            if (freezes) trainer.freeze(pattern);
            else trainer.unfreeze(pattern);
        });
    }
    void restart(HookContext& context) override {
        TrainerView& trainer = context.view();
        const NetworkTable& network = network_of(trainer.parameters());
        const bool added = before_.empty();
        std::size_t i = 0;
        check_pattern(word(), trainer, pattern_, false);
        for_each_match(network, pattern_, false, [&](int p) {
            if (added) before_.push_back(trainer.frozen(p));
            if (!done_) return;
            const std::string_view name = network.parameters[p].name.view();
            if (before_[i++]) trainer.freeze(name);
            else trainer.unfreeze(name);
        });
        done_ = false;
    }
    void archive(Archive& a) override { a(done_); }
    std::string text() const override { return sentence(word(), "(\"", pattern_, "\")"); }

private:
    bool freezes_;
    std::string pattern_;
    std::vector<char> before_;  ///< was each matching parameter frozen?
    bool done_ = false;

    const char* word() const { return freezes_ ? "freeze" : "unfreeze"; }
};

}  // namespace detail

SIGMA_IMPL FreezeParameters freeze(std::string pattern) {
    return FreezeParameters(std::make_shared<detail::FreezeNode>(true, std::move(pattern)));
}
SIGMA_IMPL FreezeParameters unfreeze(std::string pattern) {
    return FreezeParameters(std::make_shared<detail::FreezeNode>(false, std::move(pattern)));
}

}  // namespace sigma
