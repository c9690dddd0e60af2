// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/set.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

namespace sigma::detail {

class SettingNode final : public ActionNode {
public:
    SettingNode(const ValueRecord& value, void (*write)(TrainerView&, double), const Setting& how)
        : value_(&value), write_(write), how_(how) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<SettingNode>(*this); }
    void run(HookContext& context) override {
        context.change([value = value_, write = write_, how = how_](TrainerView& trainer) {
            write(trainer, how.of(value->read(trainer)));
            trainer.check_optimizer();
        });
    }
    std::string text() const override { return how_.text(std::string(value_->name)); }

private:
    const ValueRecord* value_;
    void (*write_)(TrainerView&, double);
    Setting how_;
};

SIGMA_IMPL Setting Setting::checked(bool multiplies, double x) {
    const Setting s{multiplies, x};
    if (!std::isfinite(x)) throw ArgumentError(s.word(), "a finite number", sentence(x));
    return s;
}
SIGMA_IMPL Setting Setting::bounded(double lower, double upper) const {
    if (!(lower <= upper))
        throw ArgumentError(sentence("bounds of ", word()), "a lower bound that is at most the upper one",
                            sentence(lower, " and ", upper));
    return {multiplies, x, lower, upper};
}
SIGMA_IMPL double Setting::of(double before) const { return std::clamp(multiplies ? x * before : x, least, most); }
SIGMA_IMPL std::string Setting::text(const std::string& target) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return sentence(word(), "(", target, ", ", x, ")", least > -infinity ? sentence(".at_least(", least, ")") : "",
                    most < infinity ? sentence(".at_most(", most, ")") : "");
}

SIGMA_IMPL ActionHandle make_setting(const ValueRecord& value, void (*write)(TrainerView&, double),
                                     const Setting& how) {
    return std::make_shared<SettingNode>(value, write, how);
}

}  // namespace sigma::detail
