// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/reduce_on_plateau.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace sigma::detail {

class PlateauNode final : public ImprovementNode {
public:
    PlateauNode(const ValueHandle& v, const Plateau& how)
        : ImprovementNode("reduce_on_plateau", "reduce_on_plateau with patience", v, how.patience, how.best,
                          how.min_change),
          how_(how) {
        if (!(how.factor > 0 && how.factor < 1))
            throw ArgumentError("reduce_on_plateau with factor", "a number above 0 and below 1", sentence(how.factor));
        if (!(how.min_rate >= 0))
            throw ArgumentError("reduce_on_plateau with min_rate", "0 or more", sentence(how.min_rate));
        if (how.cooldown < 0)
            throw ArgumentError("reduce_on_plateau with cooldown", "0 or more", sentence(how.cooldown));
    }
    detail::Owned<ActionNode> clone() const override { return std::make_unique<PlateauNode>(*this); }
    void run(HookContext& context) override {
        improvement_.look(context.get(value_));
        if (cooling_ > 0) {
            --cooling_;
            improvement_.wait_anew();
        } else if (improvement_.waited() >= patience_) {
            improvement_.wait_anew();
            const double rate = context.view().learning_rate(), next = std::max(rate * how_.factor, how_.min_rate);
            if (!(next < rate)) return;
            context.view().set_learning_rate(next);
            cooling_ = static_cast<std::uint64_t>(how_.cooldown);
        }
    }
    void restart(HookContext&) override { improvement_.restart(), cooling_ = 0; }
    void archive(Archive& a) override { improvement_.archive(a), a(cooling_); }
    std::string text() const override {
        return sentence("reduce_on_plateau(", value_.text(), ", factor ", how_.factor, ", patience ", patience_,
                        how_.min_rate > 0 ? sentence(", min_rate ", how_.min_rate) : "",
                        how_.cooldown > 0 ? sentence(", cooldown ", how_.cooldown) : "", improvement_.text(how_.best),
                        ")");
    }

private:
    Plateau how_;
    std::uint64_t cooling_ = 0;
};

SIGMA_IMPL ActionHandle make_reduce_on_plateau(const ValueHandle& v, const Plateau& how) {
    return std::make_shared<PlateauNode>(v, how);
}

}  // namespace sigma::detail
