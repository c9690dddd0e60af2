// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/modifier/modifier.hpp>
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace sigma {

/// What surrounds the optimizer's step: frozen parameters and their states keep their bits, and modifiers change values
/// afterwards. Rules know the steps in which they hold, so that repeated steps are the same steps. All of it happens on
/// the calling thread, or where an accelerator works on the parameters there; modifiers are functions of the host, so that
/// each step brings what they modify over and back.
template <AnyNetwork N, AnyOptimizer O, class T>
class Constraints {
public:
    using Modifier = detail::AnyFunction<void(ParameterRows<T>)>;

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
        most_saved_ = 0;
        for (const Rule& rule : freezes_) most_saved_ += elements(rule.parameter);
        saved_.reserve(most_saved_);
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
        if (model.mirrored().accelerator()) return save_there(model, step, number);
        visit_frozen(model, step, number, [&](Mirrored<T>& memory, int i, std::size_t size) {
            const T* const values = memory.place(i);
            saved_.insert(saved_.end(), values, values + size);
        });
    }
    void after(Model<N, T>& model, Step<N, O, T>& step, std::uint64_t number) {
        const bool there = model.mirrored().accelerator() != nullptr;
        std::size_t at = 0;
        visit_frozen(model, step, number, [&](Mirrored<T>& memory, int i, std::size_t size) {
            for (std::size_t c = 0; there && c < memory.copies(); ++c)
                memory.device_of(c)->copy(memory.on_device(i, c), saved_there_[c].template as<T>() + at, size * sizeof(T));
            if (!there) std::copy_n(saved_.data() + at, size, memory.place(i));
            at += size;
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
    std::vector<DeviceMemory> saved_there_;  ///< of each accelerator that works on the parameters
    std::size_t most_saved_ = 0;  ///< elements

    void save_there(Model<N, T>& model, Step<N, O, T>& step, std::uint64_t number) {
        if (most_saved_ == 0) return;
        saved_there_.resize(model.mirrored().copies());
        for (std::size_t c = 0; c < saved_there_.size(); ++c)
            if (saved_there_[c].device() != model.mirrored().device_of(c) || saved_there_[c].bytes() < most_saved_ * sizeof(T))
                saved_there_[c] = DeviceMemory(model.mirrored().device_of(c), most_saved_ * sizeof(T), "frozen parameters");
        model.mirrored().upload();
        step.mirrored().upload();
        std::size_t at = 0;
        visit_frozen(model, step, number, [&](Mirrored<T>& memory, int i, std::size_t size) {
            for (std::size_t c = 0; c < memory.copies(); ++c)
                memory.device_of(c)->copy(saved_there_[c].template as<T>() + at, memory.on_device(i, c), size * sizeof(T));
            at += size;
        });
    }
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
            f(model.mirrored(), p, static_cast<std::size_t>(footprint(shape, Model<N, T>::row(p))));
            for (int s = 0; s < Step<N, O, T>::states.size(); ++s) {
                const auto& state = Step<N, O, T>::states[s];
                if (state.parameter == p)
                    f(step.mirrored(), s, static_cast<std::size_t>(footprint(state.shape, Step<N, O, T>::row(s))));
            }
        }
    }
};

}  // namespace sigma
