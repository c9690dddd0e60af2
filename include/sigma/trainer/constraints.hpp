// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace sigma {

/// What surrounds the optimizer's step: frozen parameters and their states keep their bits, and modifiers change values
/// afterwards. Rules know the steps in which they hold, so that repeated steps are the same steps. All of it happens on
/// the calling thread.
template <AnyNetwork N, AnyOptimizer O, class T>
class Constraints {
public:
    using Modifier = std::function<void(ParameterRows<T>)>;

    /// Each returns how many parameters match the pattern. `step` is the last step taken.
    int modify(std::string_view pattern, Modifier modifier, std::uint64_t step) {
        const auto shared = std::make_shared<const Modifier>(std::move(modifier));
        return for_each(pattern, [&](int p) { modifiers_.push_back({p, step, never, shared}); });
    }
    int unmodify(std::string_view pattern, std::uint64_t step) {
        return for_each(pattern, [&](int p) { end(modifiers_, p, step); });
    }
    int freeze(std::string_view pattern, std::uint64_t step) {
        const int matched = for_each(pattern, [&](int p) {
            if (!frozen(p)) freezes_.push_back({p, step, never, nullptr});
        });
        std::size_t most = 0;
        for (const Rule& rule : freezes_) most += elements(rule.parameter);
        saved_.reserve(most);
        return matched;
    }
    int unfreeze(std::string_view pattern, std::uint64_t step) {
        return for_each(pattern, [&](int p) { end(freezes_, p, step); });
    }
    bool frozen(int parameter) const {
        return std::ranges::any_of(freezes_, [&](const Rule& r) { return r.parameter == parameter && r.until == never; });
    }

    /// The frozen parameters, one a line, and as they were written by this.
    std::string frozen_names() const {
        std::string all;
        for (int p = 0; p < Model<N, T>::parameter_count; ++p)
            if (frozen(p)) all += sentence(Model<N, T>::records.parameters[p].name.view(), "\n");
        return all;
    }
    void set_frozen(std::string_view names, std::uint64_t step) {
        unfreeze("*", step);
        while (!names.empty()) {
            const std::size_t end_of = std::min(names.find('\n'), names.size() - 1);
            freeze(names.substr(0, end_of), step);
            names.remove_prefix(end_of + 1);
        }
    }

    /// Around the step of this number.
    void before(Model<N, T>& model, Step<N, O, T>& step, std::uint64_t number) {
        saved_.clear();
        visit_frozen(model, step, number, [&](std::span<T> values) { saved_.insert(saved_.end(), values.begin(), values.end()); });
    }
    void after(Model<N, T>& model, Step<N, O, T>& step, std::uint64_t number) {
        auto from = saved_.begin();
        visit_frozen(model, step, number, [&](std::span<T> values) {
            const auto end_of = from + static_cast<std::ptrdiff_t>(values.size());
            std::copy(from, end_of, values.begin());
            from = end_of;
        });
        for (const Rule& rule : modifiers_)
            if (rule.holds(number) && !frozen_in(rule.parameter, number)) (*rule.modifier)(parameter_rows(model, rule.parameter));
    }

    /// No step before the next one will be repeated: rules that have ended go, and the others hold from now on.
    void settle() {
        for (auto* rules : {&modifiers_, &freezes_}) {
            std::erase_if(*rules, [](const Rule& r) { return r.until != never; });
            for (Rule& r : *rules) r.after = 0;
        }
    }

private:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    struct Rule {
        int parameter;
        std::uint64_t after, until;  ///< holds in steps after … until
        std::shared_ptr<const Modifier> modifier;
        bool holds(std::uint64_t step) const { return after < step && step <= until; }
    };
    std::vector<Rule> modifiers_, freezes_;
    std::vector<T> saved_;

    template <class F>
    static int for_each(std::string_view pattern, F f) {
        int matched = 0;
        for (int p = 0; p < Model<N, T>::parameter_count; ++p)
            if (matches(pattern, Model<N, T>::records.parameters[p].name.view())) {
                ++matched;
                f(p);
            }
        return matched;
    }
    static void end(std::vector<Rule>& rules, int parameter, std::uint64_t step) {
        for (Rule& r : rules)
            if (r.parameter == parameter && r.until == never) r.until = step;
    }
    bool frozen_in(int parameter, std::uint64_t step) const {
        return std::ranges::any_of(freezes_, [&](const Rule& r) { return r.parameter == parameter && r.holds(step); });
    }
    /// Elements of a parameter and its states, with padding.
    static std::size_t elements(int p) {
        std::size_t n = static_cast<std::size_t>(footprint(Model<N, T>::records.parameters[p].shape, Model<N, T>::row(p)));
        for (int s = 0; s < Step<N, O, T>::states.size(); ++s)
            if (Step<N, O, T>::states[s].parameter == p) n += static_cast<std::size_t>(footprint(Step<N, O, T>::states[s].shape, Step<N, O, T>::row(s)));
        return n;
    }
    template <class F>
    void visit_frozen(Model<N, T>& model, Step<N, O, T>& step, std::uint64_t number, F f) const {
        for (const Rule& rule : freezes_) {
            if (!rule.holds(number)) continue;
            const int p = rule.parameter;
            const Shape& shape = Model<N, T>::records.parameters[p].shape;
            f(std::span<T>(model.parameter_data(p), static_cast<std::size_t>(footprint(shape, Model<N, T>::row(p)))));
            for (int s = 0; s < Step<N, O, T>::states.size(); ++s) {
                const auto& state = Step<N, O, T>::states[s];
                if (state.parameter == p)
                    f(std::span<T>(step.state_data(s), static_cast<std::size_t>(footprint(state.shape, Step<N, O, T>::row(s)))));
            }
        }
    }
};

}  // namespace sigma
