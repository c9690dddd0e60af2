// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/by_pattern.hpp>
#include <sigma/modifier/modifier.hpp>

namespace sigma {

/// Applies a modifier once each time its hook fires.
template <class M>
class ModifyParameters : public Action<ModifyParameters<M>> {
public:
    ModifyParameters(std::string pattern, M modifier) : pattern_(std::move(pattern)), modifier_(std::move(modifier)) {}

    void run(auto& context) const {
        context.change([pattern = pattern_, modifier = modifier_](auto& trainer) {
            detail::for_each_match(trainer.model().network(), pattern, false, [&](int p) {
                if (!trainer.frozen(p)) modifier(parameter_rows(trainer.model(), p));
            });
            trainer.parameters_changed();
        });
    }
    void restart(auto& context) const { detail::check_pattern("modify", context.view(), pattern_, false); }
    std::string text() const {
        if constexpr (requires { modifier_.text(); })
            return sentence("modify(\"", pattern_, "\", ", modifier_.text(), ")");
        else return sentence("modify(\"", pattern_, "\")");
    }

private:
    std::string pattern_;
    M modifier_;
};

/// Changes the matching parameters that are not frozen: every(1, epoch).then(modify("*.weights", clip(-1, 1))). A
/// modifier is what `Trainer::modify` takes, which applies it after every step. A pattern that matches none throws
/// ArgumentError when the hook is added.
template <class M>
auto modify(std::string pattern, M modifier) {
    return ModifyParameters<M>(std::move(pattern), std::move(modifier));
}

}  // namespace sigma
