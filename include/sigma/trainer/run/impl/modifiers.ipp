// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/trainer/run/modifiers.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

template <class T>
Modifiers<T>::~Modifiers() = default;

template <class T>
template <class F>
int Modifiers<T>::for_each(std::string_view pattern, F f) const {
    int matched = 0;
    for (int p = 0; p < network_.parameters.size(); ++p)
        if (matches(pattern, network_.parameters[p].name.view())) {
            ++matched;
            f(p);
        }
    return matched;
}

template <class T>
void Modifiers<T>::follow(const Modifiers& other) {
    if (version_ == other.version_) return;
    modifiers_ = other.modifiers_, freezes_ = other.freezes_;
    most_saved_ = other.most_saved_, version_ = other.version_;
}

template <class T>
std::vector<std::uint64_t> Modifiers<T>::rules() const {
    std::vector<std::uint64_t> all;
    for (const auto* rules : {&modifiers_, &freezes_})
        for (const Rule& r : *rules)
            all.insert(all.end(), {static_cast<std::uint64_t>(r.parameter), r.after, r.until, r.number});
    return all;
}
template <class T>
void Modifiers<T>::set_rules(const std::vector<std::uint64_t>& rules) {
    std::vector<Rule> modifiers, freezes;
    for (std::size_t i = 0; i + 3 < rules.size(); i += 4) {
        const std::uint64_t number = rules[i + 3];
        Rule rule{static_cast<int>(rules[i]), rules[i + 1], rules[i + 2], {}, number};
        if (number > 0) {
            const auto own = std::ranges::find(modifiers_, number, &Rule::number);
            if (own == modifiers_.end())
                throw ArgumentError("modifiers of several processes",
                                    "equal modifiers in all processes, added before the run",
                                    "a modifier of rank 0 only");
            rule.modifier = own->modifier;
        }
        (number > 0 ? modifiers : freezes).push_back(std::move(rule));
    }
    modifiers_ = std::move(modifiers), freezes_ = std::move(freezes);
    ++version_;
    make_room();
}

template <class T>
int Modifiers<T>::modify(std::string_view pattern, Modifier modifier, std::uint64_t step) {
    ++version_;
    const auto shared = detail::SharedOwner<const Modifier>::make(std::move(modifier));
    ++added_;
    return for_each(pattern, [&](int p) { modifiers_.push_back({p, step, never, shared, added_}); });
}

template <class T>
int Modifiers<T>::unmodify(std::string_view pattern, std::uint64_t step) {
    return for_each(pattern, [&](int p) { end(modifiers_, p, step); });
}

template <class T>
int Modifiers<T>::freeze(std::string_view pattern, std::uint64_t step) {
    ++version_;
    const int matched = for_each(pattern, [&](int p) {
        if (!frozen(p)) freezes_.push_back({p, step, never});
    });
    make_room();
    return matched;
}

template <class T>
void Modifiers<T>::make_room() {
    most_saved_ = 0;
    for (const Rule& rule : freezes_) {
        most_saved_ += elements(network_.parameters[rule.parameter].shape);
        for (const StateRecord& state : states_)
            if (state.parameter == rule.parameter) most_saved_ += elements(state.shape);
    }
    saved_.reserve(most_saved_);
}

template <class T>
int Modifiers<T>::unfreeze(std::string_view pattern, std::uint64_t step) {
    return for_each(pattern, [&](int p) { end(freezes_, p, step); });
}

template <class T>
bool Modifiers<T>::frozen(int parameter) const {
    return std::ranges::any_of(freezes_, [&](const Rule& r) { return r.parameter == parameter && r.until == never; });
}

template <class T>
std::string Modifiers<T>::frozen_names() const {
    std::string all;
    for (int p = 0; p < network_.parameters.size(); ++p)
        if (frozen(p)) all += sentence(network_.parameters[p].name.view(), "\n");
    return all;
}

template <class T>
void Modifiers<T>::set_frozen(std::string_view names, std::uint64_t step) {
    unfreeze("*", step);
    while (!names.empty()) {
        const std::size_t end_of = std::min(names.find('\n'), names.size() - 1);
        freeze(names.substr(0, end_of), step);
        names.remove_prefix(end_of + 1);
    }
}

template <class T>
template <class F>
void Modifiers<T>::visit_frozen(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number, F f) const {
    for (const Rule& rule : freezes_) {
        if (!rule.holds(number)) continue;
        f(parameters, rule.parameter, elements(network_.parameters[rule.parameter].shape), parameters, rule.parameter);
        for (int s = 0; s < states_.size(); ++s)
            // Sums of gradients continue, so that no gradient is applied twice after the parameter is unfrozen.
            if (states_[s].parameter == rule.parameter && states_[s].name != detail::gradient_sum_state) {
                const bool is_average = states_[s].name == detail::average_state;
                f(states, s, elements(states_[s].shape), is_average ? parameters : states,
                  is_average ? rule.parameter : s);
            }
    }
}

template <class T>
void Modifiers<T>::before(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number) {
    saved_.clear();
    if (parameters.compute_device()) return save_there(parameters, states, number);
    visit_frozen(parameters, states, number, [&](DualBuffer<T>&, int, std::size_t size, DualBuffer<T>& from, int n) {
        const T* const values = from.read(n);
        saved_.insert(saved_.end(), values, values + size);
    });
}

template <class T>
void Modifiers<T>::after(detail::ModelStore<T>& model, DualBuffer<T>& states, std::uint64_t number) {
    const bool there = model.dual_buffer().compute_device() != nullptr;
    std::size_t at = 0;
    visit_frozen(model.dual_buffer(), states, number, [&](DualBuffer<T>& memory, int i, std::size_t size, auto&, int) {
        for (std::size_t c = 0; there && c < memory.copies(); ++c)
            memory.device_of(c)->copy(memory.on_device(i, c), saved_there_[c].template as<T>() + at, size * sizeof(T));
        if (!there) std::copy_n(saved_.data() + at, size, memory.write(i));
        at += size;
    });
    for (const Rule& rule : modifiers_)
        if (rule.holds(number) && !frozen_in(rule.parameter, number))
            (*rule.modifier)(parameter_rows(model, rule.parameter));
}

template <class T>
void Modifiers<T>::prune() {
    ++version_;
    for (auto* rules : {&modifiers_, &freezes_}) {
        std::erase_if(*rules, [](const Rule& r) { return r.until != never; });
        for (Rule& r : *rules) r.after = 0;
    }
}

template <class T>
void Modifiers<T>::save_there(DualBuffer<T>& parameters, DualBuffer<T>& states, std::uint64_t number) {
    if (most_saved_ == 0) return;
    saved_there_.resize(parameters.copies());
    for (std::size_t c = 0; c < saved_there_.size(); ++c)
        if (saved_there_[c].device() != parameters.device_of(c) || saved_there_[c].bytes() < most_saved_ * sizeof(T))
            saved_there_[c] = DeviceMemory(parameters.device_of(c), most_saved_ * sizeof(T), "frozen parameters");
    parameters.upload();
    states.upload();
    std::size_t at = 0;
    visit_frozen(parameters, states, number, [&](auto&, int, std::size_t size, DualBuffer<T>& from, int n) {
        for (std::size_t c = 0; c < from.copies(); ++c)
            from.device_of(c)->copy(saved_there_[c].template as<T>() + at, from.on_device(n, c), size * sizeof(T));
        at += size;
    });
}

template <class T>
void Modifiers<T>::end(std::vector<Rule>& rules, int parameter, std::uint64_t step) {
    ++version_;
    for (Rule& r : rules)
        if (r.parameter == parameter && r.until == never) r.until = step;
}

template <class T>
bool Modifiers<T>::frozen_in(int parameter, std::uint64_t step) const {
    return std::ranges::any_of(freezes_, [&](const Rule& r) { return r.parameter == parameter && r.holds(step); });
}

template <class T>
std::size_t Modifiers<T>::elements(const Shape& shape) const {
    return static_cast<std::size_t>(footprint(shape, row_pitch(shape, lanes_)));
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::Modifiers);
