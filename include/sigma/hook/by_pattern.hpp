// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/trainer_view.hpp>
#include <sigma/initializer/fill.hpp>
#include <sigma/network/table.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace sigma::detail {

/// Calls f with the position of each parameter whose name matches. For what draws anew, statistics match under their
/// full names only.
template <class F>
int for_each_match(const NetworkTable& network, std::string_view pattern, bool draws, F f) {
    int matched = 0;
    for (int p = 0; p < network.parameters.size(); ++p) {
        const ParameterRecord& r = network.parameters[p];
        if (!(draws ? reaches(pattern, r.name.view(), r.trained) : matches(pattern, r.name.view()))) continue;
        ++matched;
        f(p);
    }
    return matched;
}
/// When a hook is added, not when it fires: throws ArgumentError where the pattern matches no parameter.
void check_pattern(const char* what, TrainerView& trainer, std::string_view pattern, bool draws);

/// An action on each matching parameter that is not frozen: `Self::change(trainer, p)`. `Self::word` is what it is
/// called, `Self::draws` whether it draws anew, and `Self::options()` what follows the pattern in its sentence.
template <class Self>
class ActionByPattern : public Action<Self> {
public:
    explicit ActionByPattern(std::string pattern) : pattern_(std::move(pattern)) {}

    void run(auto& context) const {
        context.change([self = static_cast<const Self&>(*this)](auto& trainer) {
            TrainerView& view = HookAccess::view(trainer);
            for_each_match(trainer.model().network(), self.pattern_, Self::draws, [&](int p) {
                if (!view.frozen(p)) self.change(trainer, p);
            });
            view.parameters_changed();
        });
    }
    void restart(auto& context) const { check_pattern(Self::word, context.view(), pattern_, Self::draws); }
    std::string text() const {
        const std::string options = static_cast<const Self&>(*this).options();
        return sentence(Self::word, "(\"", pattern_, options.empty() ? "\"" : "\", ", options, ")");
    }

private:
    std::string pattern_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/by_pattern.ipp>
#endif
