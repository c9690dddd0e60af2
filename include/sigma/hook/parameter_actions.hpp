// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/parameter_copy.hpp>
#include <sigma/initializer/fill.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/network/table.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace sigma {

namespace detail {

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

}  // namespace detail

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

namespace detail {

/// "gaussian(0, 0.1)"
std::string initializer_text(const Initializer& i);

}  // namespace detail

/// Draws parameters anew each time its hook fires.
template <class Integer>
class Reinitialize : public detail::ActionByPattern<Reinitialize<Integer>> {
public:
    static constexpr const char* word = "reinitialize";
    static constexpr bool draws = true;

    Reinitialize(std::string pattern, Integer initializer)
        : detail::ActionByPattern<Reinitialize>(std::move(pattern)), initializer_(std::move(initializer)) {}

    void change(auto& trainer, int p) const {
        auto& model = trainer.model();
        const auto parameters = static_cast<std::uint64_t>(model.records.parameters.size());
        const auto stream = trainer.iteration() * parameters + static_cast<std::uint64_t>(p);
        detail::fill(initializer_, model.records.parameters[p].shape,
                     Philox(model.seed(), RandomUse::initialize, stream), model.parameter_data(p),
                     static_cast<std::size_t>(model.pitch(p)));
    }
    std::string options() const {
        if constexpr (std::is_same_v<Integer, detail::Initializer>)
            if (initializer_.kind != detail::Initializer::Kind::custom) return detail::initializer_text(initializer_);
        return "";
    }

private:
    Integer initializer_;
};

/// The matching parameters that are not frozen get new random numbers, which the seed and the iteration decide:
/// when(error.exceeds(2)).then(reinitialize("2-*.weights", gaussian(0.1))). Statistics match under their full names
/// only; states of the optimizer stay. A pattern that matches none throws ArgumentError when the hook is added.
template <class Integer>
auto reinitialize(std::string pattern, Integer initializer) {
    return Reinitialize<Integer>(std::move(pattern), std::move(initializer));
}
error_pattern_stands_before_what_is_done<write_the_pattern_first> reinitialize(const detail::Initializer&,
                                                                               std::string_view);

/// Freezes parameters, or lets them move again. Once it has done so, a reset brings back what was when it was added.
struct FreezeParameters : detail::MadeAction<> {
    static constexpr bool in_worker = false;
    using MadeAction::MadeAction;
};

/// The matching parameters and their states keep their bits from the next step on: after(10,
/// epoch).then(freeze("1-*")). A pattern that matches none throws ArgumentError when the hook is added.
FreezeParameters freeze(std::string pattern);
FreezeParameters unfreeze(std::string pattern);

/// Where `remember` puts the parameters of a trainer and `recall` finds them. Copies are the same place.
class ParameterSlot {
public:
    ParameterSlot();
    bool empty() const { return copy->empty(); }
    detail::SharedOwner<detail::ParameterCopy> copy;
};

namespace detail {

struct Remember : MadeAction<> {
    static constexpr bool in_background = false, in_worker = false;
    using MadeAction::MadeAction;
};

}  // namespace detail

/// ParameterSlot best;
/// trainer.add(when(accuracy.improves()).then(remember(best)), at(stop).then(recall(best)));
/// Bit by bit, at once; states of the optimizer are left alone. A slot is for one trainer; checkpoints contain it.
detail::Remember remember(ParameterSlot slot);
/// Throws MismatchError when nothing was remembered.
detail::Remember recall(ParameterSlot slot);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/parameter_actions.ipp>
#endif
