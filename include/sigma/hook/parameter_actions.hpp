// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Actions on parameters: `modify`, `reinitialize`, `freeze`, `unfreeze`, `remember`, `recall`. Included by
/// `<sigma/sigma.hpp>`.
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

/// Calls f with the position of each parameter that matches. If the caller draws new numbers, statistics match only by
/// their full names.
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
/// Throws ArgumentError if the pattern matches no parameter. Called when a hook is added, not when it fires.
void check_pattern(const char* what, TrainerView& trainer, std::string_view pattern, bool draws);

/// An action on each matching parameter that is not frozen: `Self::change(trainer, p)`. `Self::word` is the name of the
/// action, `Self::draws` is true if it draws new numbers, and `Self::options()` follows the pattern in its text.
template <class Self>
class ActionByPattern : public Action<Self> {
public:
    explicit ActionByPattern(std::string pattern) : pattern_(std::move(pattern)) {}

    /// @cond internal
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
    /// @endcond
    std::string text() const {
        const std::string options = static_cast<const Self&>(*this).options();
        return sentence(Self::word, "(\"", pattern_, options.empty() ? "\"" : "\", ", options, ")");
    }

private:
    std::string pattern_;
};

}  // namespace detail

/// The action of `modify`.
///
/// @tparam M  type of the modifier
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @see modify
template <class M>
class ModifyParameters : public detail::ActionByPattern<ModifyParameters<M>> {
public:
    /// @cond internal
    static constexpr const char* word = "modify";
    static constexpr bool draws = false;

    ModifyParameters(std::string pattern, M modifier)
        : detail::ActionByPattern<ModifyParameters>(std::move(pattern)), modifier_(std::move(modifier)) {}

    void change(auto& trainer, int p) const { modifier_(parameter_rows(trainer.model(), p)); }
    std::string options() const {
        if constexpr (requires { modifier_.text(); }) return modifier_.text();
        else return "";
    }
    /// @endcond

private:
    M modifier_;
};

/// Returns an action that applies a modifier once to the matching parameters, except frozen ones.
///
/// `Trainer::modify` applies a modifier after every step instead.
/// @param pattern   names of parameters, in which `*` stands for any characters
/// @param modifier  modifier, such as `clip(-1, 1)`, `scale(0.9)` or `max_norm(3)`
/// @return the action, for `then`
/// @throws ArgumentError  in `Trainer::add`, if no parameter matches
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(modify("*.weights", clip(-1, 1))));
/// @endcode
template <class M>
auto modify(std::string pattern, M modifier) {
    return ModifyParameters<M>(std::move(pattern), std::move(modifier));
}

/// @cond internal
template <class M>
    requires(std::is_class_v<M> && !std::convertible_to<M, std::string>)
error_pattern_is_not_the_first_argument<use_the_pattern_first> modify(const M&, std::string_view);
/// @endcond

namespace detail {

/// Returns the initializer as text: "gaussian(0, 0.1)".
std::string initializer_text(const Initializer& i);

}  // namespace detail

/// The action of `reinitialize`.
///
/// @tparam F  type of the initializer
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @see reinitialize
template <class F>
class Reinitialize : public detail::ActionByPattern<Reinitialize<F>> {
public:
    /// @cond internal
    static constexpr const char* word = "reinitialize";
    static constexpr bool draws = true;

    Reinitialize(std::string pattern, F initializer)
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
        if constexpr (std::is_same_v<F, detail::Initializer>)
            if (initializer_.kind != detail::Initializer::Kind::custom) return detail::initializer_text(initializer_);
        return "";
    }
    /// @endcond

private:
    F initializer_;
};

/// Returns an action that draws new random numbers for the matching parameters, except frozen ones.
///
/// The model's seed and the iteration determine the numbers. The optimizer's state stays. Statistics, such as those of
/// BatchNorm, match only by their full names.
/// @param pattern      names of parameters, in which `*` stands for any characters
/// @param initializer  initializer, such as `he()` or `gaussian(0.1)`
/// @return the action, for `then`
/// @throws ArgumentError  in `Trainer::add`, if no parameter matches
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(when(error.exceeds(2)).then(reinitialize("2-*.weights", gaussian(0.1))));
/// @endcode
template <class F>
auto reinitialize(std::string pattern, F initializer) {
    return Reinitialize<F>(std::move(pattern), std::move(initializer));
}
/// @cond internal
error_pattern_is_not_the_first_argument<use_the_pattern_first> reinitialize(const detail::Initializer&,
                                                                            std::string_view);
/// @endcond

/// The action of `freeze` and `unfreeze`. A reset of the trainer undoes what it has done.
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the workers share what is frozen.
///
/// @see freeze, unfreeze
struct FreezeParameters : detail::MadeAction<> {
    /// @cond internal
    static constexpr bool in_worker = false;
    using MadeAction::MadeAction;
    /// @endcond
};

/// Returns an action that stops the training of the matching parameters. They and their optimizer state stay
/// bit-identical from the next step on.
///
/// `add` throws ArgumentError if no parameter matches.
/// @param pattern  names of parameters, in which `*` stands for any characters
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @par Example
/// @code
/// trainer.add(at(10, epoch).then(freeze("1-*")), at(20, epoch).then(unfreeze("1-*")));
/// @endcode
FreezeParameters freeze(std::string pattern);
/// Returns an action that resumes the training of the matching parameters.
///
/// `add` throws ArgumentError if no parameter matches.
/// @param pattern  names of parameters, in which `*` stands for any characters
/// @return the action, for `then`
///
/// @par Background
/// Can run in the background. The change takes effect before the trainer's next iteration.
///
/// @see freeze
FreezeParameters unfreeze(std::string pattern);

/// A copy of a trainer's parameters in memory, for `remember` and `recall`. Copies of a slot refer to the same memory.
///
/// Use a slot for one trainer only. Checkpoints contain it.
///
/// @see remember
class ParameterSlot {
public:
    /// Constructs an empty slot.
    ParameterSlot();
    /// Returns whether nothing was remembered.
    /// @return true if so
    bool empty() const { return copy->empty(); }
    /// @cond internal
    detail::SharedOwner<detail::ParameterCopy> copy;
    /// @endcond
};

namespace detail {

struct Remember : MadeAction<> {
    static constexpr bool in_background = false, in_worker = false;
    using MadeAction::MadeAction;
};

}  // namespace detail

/// Returns an action that copies all parameters of the network to a slot in memory, immediately.
///
/// The optimizer's state is not copied.
/// @param slot  place of the copy
/// @return the action, for `then`
///
/// @par Background
/// Cannot run in the background, because it copies the parameters that are trained.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because the slot is that of all workers.
///
/// @par Example
/// @code
/// ParameterSlot best;
/// trainer.add(when(error.improves()).then(remember(best)), at(stop).then(recall(best)));
/// @endcode
detail::Remember remember(ParameterSlot slot);
/// Returns an action that restores the parameters from a slot, bit-identical and immediately. The optimizer's state
/// stays.
///
/// A firing throws MismatchError if nothing was remembered.
/// @param slot  slot that `remember` has filled
/// @return the action, for `then`
///
/// @par Background
/// Cannot run in the background, because it changes the parameters that are trained.
///
/// @see remember
detail::Remember recall(ParameterSlot slot);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/parameter_actions.ipp>
#endif
