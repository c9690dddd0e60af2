// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/by_pattern.hpp>
#include <sigma/modifier/modifier.hpp>

namespace sigma {

/// Applies a modifier once each time its hook fires.
template <class M>
class ModifyParameters : public detail::ActionByPattern<ModifyParameters<M>> {
public:
    static constexpr const char* word = "modify";
    static constexpr bool draws = false;

    ModifyParameters(std::string pattern, M modifier)
        : detail::ActionByPattern<ModifyParameters>(std::move(pattern)), modifier_(std::move(modifier)) {}

    void change(auto& trainer, int p) const { modifier_(parameter_rows(trainer.model(), p)); }
    std::string options() const {
        if constexpr (requires { modifier_.text(); }) return modifier_.text();
        else return "";
    }

private:
    M modifier_;
};

/// Changes the matching parameters that are not frozen: every(1, epoch).then(modify("*.weights", clip(-1, 1))). A
/// modifier is what `Trainer::modify` takes, which applies it after every step. A pattern that matches none throws
/// ArgumentError when the hook is added.
template <class M>
auto modify(std::string pattern, M modifier) {
    return ModifyParameters<M>(std::move(pattern), std::move(modifier));
}

template <class M>
    requires(std::is_class_v<M> && !std::convertible_to<M, std::string>)
error_pattern_stands_before_what_is_done<write_the_pattern_first> modify(const M&, std::string_view);

}  // namespace sigma
