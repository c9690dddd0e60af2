// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/early_stop.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/parameter_copy.hpp>
#include <sigma/network/model_store.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace sigma::detail {

struct EachLookNode {
    ValueHandle value{};
    std::uint64_t seen = 0;

    auto fields() { return std::tie(value, seen); }
    static Truth look(double) { return {true, true, true}; }
    std::string text() const { return sentence(value.text(), " is new"); }
};

SIGMA_IMPL CriterionHandle make_each_look(const ValueHandle& v) { return make_criterion(EachLookNode{v}); }

/// The best number so far, and the evaluations in a row that have not improved it, by `least` or more if that is above
/// 0. NaN is no improvement.
struct Improvement {
    bool largest = false;
    double least = 0, best = not_seen;
    std::uint64_t patience = 0, waited = 0;

    Improvement() = default;
    /// Constructs the state for a value, with settings of the action `what`, which are checked.
    template <class How>
    Improvement(const char* what, const ValueHandle& v, const How& how)
        : largest(how.best == Best::usual ? v.record().larger_is_better : how.best == Best::largest),
          least(how.min_change), patience(positive(sentence(what, " with patience").c_str(), how.patience)) {
        if (!(least >= 0)) throw ArgumentError(sentence(what, " with min_change"), "0 or more", sentence(least));
    }

    auto fields() { return std::tie(best, waited); }
    bool look(double x) {
        const bool better = !std::isnan(x) && (std::isnan(best) || is_further(largest, x, best, least));
        if (better) best = x;
        waited = better ? 0 : waited + 1;
        return better;
    }
    /// Returns whether the patience is used up. Then counting starts again.
    bool given_up() { return waited >= patience && (waited = 0, true); }
    /// Returns the settings that differ from the defaults, as text.
    std::string text(Best which) const {
        return sentence(least > 0 ? sentence(", min_change ", least) : "", which == Best::usual ? ""
                                                                           : largest            ? ", largest"
                                                                                                : ", smallest");
    }
};

struct EarlyStopNode {
    ValueHandle value{};
    EarlyStopping how{};
    Improvement improvement{};
    ParameterCopy best{};

    auto fields() { return std::tie(value, improvement, best); }
    void run(HookContext& context) {
        TrainerView& trainer = context.view();
        if (improvement.look(context.get(value))) {
            if (how.restore_best) best.take(trainer.parameters());
        } else if (improvement.given_up()) {
            if (!best.empty()) best.put(trainer.parameters()), trainer.parameters_changed();
            context.stop();
        }
    }
    std::string text() const {
        return sentence("early_stop(", value.text(), ", patience ", how.patience, improvement.text(how.best),
                        how.restore_best ? ")" : ", without restoring)");
    }
};

SIGMA_IMPL ActionHandle make_early_stop(const ValueHandle& v, const EarlyStopping& how) {
    return make_action(EarlyStopNode{v, how, {"early_stop", v, how}});
}

struct PlateauNode {
    ValueHandle value{};
    PlateauOptions how{};
    Improvement improvement{};
    std::uint64_t cooling = 0;

    auto fields() { return std::tie(value, improvement, cooling); }
    void run(HookContext& context) {
        improvement.look(context.get(value));
        if (cooling > 0) {
            --cooling;
            improvement.waited = 0;
        } else if (improvement.given_up()) {
            const double rate = context.view().learning_rate(), next = std::max(rate * how.factor, how.min_rate);
            if (!(next < rate)) return;
            context.view().set_learning_rate(next);
            cooling = static_cast<std::uint64_t>(how.cooldown);
        }
    }
    std::string text() const {
        return sentence("reduce_on_plateau(", value.text(), ", factor ", how.factor, ", patience ", how.patience,
                        how.min_rate > 0 ? sentence(", min_rate ", how.min_rate) : "",
                        how.cooldown > 0 ? sentence(", cooldown ", how.cooldown) : "", improvement.text(how.best), ")");
    }
};

SIGMA_IMPL ActionHandle make_reduce_on_plateau(const ValueHandle& v, const PlateauOptions& how) {
    PlateauNode made{v, how, {"reduce_on_plateau", v, how}};
    if (!(how.factor > 0 && how.factor < 1))
        throw ArgumentError("reduce_on_plateau with factor", "a number above 0 and below 1", sentence(how.factor));
    if (!(how.min_rate >= 0))
        throw ArgumentError("reduce_on_plateau with min_rate", "0 or more", sentence(how.min_rate));
    if (how.cooldown < 0) throw ArgumentError("reduce_on_plateau with cooldown", "0 or more", sentence(how.cooldown));
    return make_action(std::move(made));
}

}  // namespace sigma::detail
