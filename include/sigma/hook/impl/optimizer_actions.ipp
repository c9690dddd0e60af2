// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/optimizer_actions.hpp>
#include <sigma/network/model_store.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace sigma::detail {

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

struct SettingNode {
    const ValueRecord* value = nullptr;
    void (*write)(TrainerCommands&, double) = nullptr;
    Setting how{};

    void run(HookContext& context) {
        context.change([*this](TrainerView& trainer) {
            write(trainer, how.of(value->read(trainer)));
            trainer.check_optimizer();
        });
    }
    std::string text() const { return how.text(std::string(value->name)); }
};

SIGMA_IMPL ActionHandle make_setting(const ValueRecord& value, void (*write)(TrainerCommands&, double),
                                     const Setting& how) {
    return make_action(SettingNode{&value, write, how});
}

/// Sets each hyperparameter that matches to f(record, present number).
void change_hyperparameters(TrainerView& trainer, const std::string& pattern, auto f) {
    with_model(trainer.parameters(), [&](auto& model) { model.change_hyperparameters(pattern, f); });
}
inline std::string hyperparameter_text(const std::string& pattern) {
    return sentence("hyperparameter(\"", pattern, "\")");
}

struct HyperparameterSettingNode {
    std::string pattern{};
    Setting how{};

    void run(HookContext& context) {
        context.change([*this](TrainerView& trainer) {
            change_hyperparameters(trainer, pattern,
                                   [this](const HyperparameterRecord&, double now) { return how.of(now); });
        });
    }
    /// Checks that the pattern matches a hyperparameter.
    void restart(HookContext& context) const {
        change_hyperparameters(context.view(), pattern, [](const HyperparameterRecord&, double now) { return now; });
    }
    std::string text() const { return how.text(hyperparameter_text(pattern)); }
};
SIGMA_IMPL ActionHandle make_hyperparameter_setting(std::string pattern, const Setting& how) {
    return make_action(HyperparameterSettingNode{std::move(pattern), how});
}

struct EachTimeNode {
    Moment scale{};

    static Truth examine(HookContext&) { return {true, true, true}; }
    std::string text() const { return sentence("every(1, ", detail::text(scale), ")"); }
};

struct ScheduleNode {
    Moment scale{};
    AnyFunction<double(double)> function{};
    std::string words{}, pattern{};
    double base = not_seen;  ///< learning rate at the time when the hook was added
    std::uint64_t from = 0;

    auto fields() { return std::tie(base, from); }
    void run(HookContext& context) {
        const double t = static_cast<double>(context.counts()[scale] - from);
        const double factor = function(t);
        if (!(std::isfinite(factor) && factor >= 0))
            throw ArgumentError(text(), sentence("a finite factor of 0 or more at time ", t), sentence(factor));
        if (pattern.empty()) context.view().set_learning_rate(base * factor);
        else
            change_hyperparameters(context.view(), pattern,
                                   [factor](const HyperparameterRecord& h, double) { return h.value * factor; });
    }
    void restart(HookContext& context) {
        if (pattern.empty() && std::isnan(base)) base = context.view().learning_rate();
        from = context.counts()[scale];
        run(context);
    }
    std::string text() const {
        return sentence("schedule(", pattern.empty() ? "" : hyperparameter_text(pattern) + ", ", words, ", ",
                        detail::text(scale), ")");
    }
};

SIGMA_IMPL CriterionHandle make_each_time(Moment scale) { return make_criterion(EachTimeNode{scale}); }
SIGMA_IMPL ActionHandle make_schedule(Moment scale, AnyFunction<double(double)> f, std::string text,
                                      std::string pattern) {
    return make_action(ScheduleNode{scale, std::move(f), std::move(text), std::move(pattern)});
}

}  // namespace sigma::detail
