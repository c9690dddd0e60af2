// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/group.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL HookBinding::HookBinding() = default;
SIGMA_IMPL HookBinding::~HookBinding() = default;
SIGMA_IMPL void HookBinding::add(const Sentence& sentence,
                                 std::initializer_list<detail::SharedOwner<ActionNode>> actions) {
    sentences.push_back(sentence);
    own.emplace_back(actions);
}

SIGMA_IMPL detail::Owned<HookGroup> make_group(TrainerView& trainer, const HookTable& table, HookBinding& binding) {
    return make_owned<HookGroup>(trainer, table, binding);
}

SIGMA_IMPL std::vector<detail::GroupedHook> HookGroup::grouped(detail::HookBinding& binding) {
    std::vector<detail::GroupedHook> hooks;
    for (std::size_t i = 0; i < binding.sentences.size(); ++i) {
        detail::Sentence& s = binding.sentences[i];
        detail::GroupedHook h{s.criterion->clone(), std::move(binding.own[i]), s.settings, s.text()};
        for (std::size_t k = 0; k < h.actions.size(); ++k)
            if (!h.actions[k]) h.actions[k] = s.actions[k].node->clone();
        hooks.push_back(std::move(h));
    }
    return hooks;
}

SIGMA_IMPL HookGroup::HookGroup(TrainerView& trainer, const detail::HookTable& table, detail::HookBinding& binding)
    : trainer_(trainer), table_(table), hooks_(grouped(binding)),
      slots_(table.values, table.value_count, std::move(binding.readers)), wants_(hooks_.size()),
      background_(trainer, table, hooks_, slots_, std::move(binding.copy_model)) {
    for (std::size_t i = 0; i < hooks_.size(); ++i)
        for (const auto& a : hooks_[i].actions) a->visit_values([&](detail::ValueHandle& v) { attach(v, wants_[i]); });
    for (std::size_t i = 0; i < hooks_.size(); ++i)
        hooks_[i].criterion->visit_values([&](detail::ValueHandle& v) { attach(v, wants_[i]); });
    check_intervals();
    restart();
}
SIGMA_IMPL HookGroup::~HookGroup() = default;

SIGMA_IMPL MomentSet HookGroup::moments() const {
    MomentSet all;
    for (int i = 0; i < table_.count; ++i) all = all | table_.moments[i];
    for (const auto& d : derived_) all = all | d->moments();
    return background_.empty() ? all : all | Moment::iteration;
}

SIGMA_IMPL void HookGroup::fire(Moment moment) {
    background_.look();
    HookContext now(trainer_, slots_, moment);
    update_derived(now);
    for (int place = 0; place < table_.count; ++place) run(table_.order[place], now);
}

SIGMA_IMPL void HookGroup::settle(Moment moment) {
    HookContext now(trainer_, slots_, moment);
    background_.submit(now);
}

SIGMA_IMPL void HookGroup::finish() {
    if (!background_.empty()) background_.finish();
}

SIGMA_IMPL Wants HookGroup::wants(bool ends_epoch) const {
    Wants all = always_wants_;
    for (int i = 0; i < table_.count; ++i) {
        const Wants& of_hook = wants_[static_cast<std::size_t>(i)];
        if (of_hook.any() && may_fire_next(i, ends_epoch)) all = all | of_hook;
    }
    return all;
}

SIGMA_IMPL void HookGroup::restart() {
    background_.drain();
    for (int i = 0; i < slots_.size(); ++i) slots_[i].restart();
    for (const auto& d : derived_) d->restart();
    HookContext now(trainer_, slots_, Moment::reset);
    for (detail::GroupedHook& h : hooks_) {
        h.criterion->restart(trainer_.counts());
        for (const auto& a : h.actions) a->restart(now);
    }
    background_.restarted();
}

SIGMA_IMPL void HookGroup::archive(Archive& a) {
    if (a.reading()) background_.drain();
    for (int i = 0; i < table_.count; ++i) background_.archive(i, a);
    for (int k = 0; k < slots_.size(); ++k) {
        std::uint64_t version = slots_[k].version;
        double x = slots_[k].value;
        a(x, version);
        if (!a.reading()) continue;  // the background may be computing it
        slots_[k].value = x;
        slots_[k].version = version;
    }
    for (const auto& d : derived_) d->archive(a);
}

SIGMA_IMPL std::string HookGroup::text() const {
    std::string all;
    for (const detail::GroupedHook& h : hooks_) all += h.text + "\n";
    return all;
}

SIGMA_IMPL void HookGroup::visit_computed(
    const detail::AnyFunction<void(std::string_view, detail::SharedOwner<const detail::Slot>)>& f) const {
    for (int k = 0; k < slots_.size(); ++k) f(slots_.record(k).name, slots_.share(k));
}

SIGMA_IMPL void HookGroup::run(int i, const HookContext& now) {
    if (!table_.moments[i].has(now.moment())) return;
    detail::GroupedHook& h = hooks_[static_cast<std::size_t>(i)];
    HookContext context = table_.facts[i].timed ? now.as_timed() : now;
    if (table_.facts[i].background) {
        if (table_.decided_there[i] || h.criterion->check(context).event) background_.fired(i);
        return;
    }
    detail::guarded(h, trainer_, trainer_.iteration(), [&] {
        if (!h.criterion->check(context).event) return;
        h.run(context);
        if (table_.facts[i].writes != 0) update_derived(context);
    });
}

SIGMA_IMPL void HookGroup::update_derived(HookContext& now) {
    for (const auto& d : derived_) d->update(now);
}

/// Gives derived values their state, one for all that are equal.
SIGMA_IMPL void HookGroup::attach(detail::ValueHandle& v, Wants& wanted) {
    if (v.derived() == nullptr) return;
    detail::SharedOwner<detail::Derived> own = v.derived()->clone();
    own->visit_values([&](detail::ValueHandle& source) { attach(source, wanted); });
    wanted = wanted | own->wants();
    always_wants_ = always_wants_ | own->always_wants();
    for (const auto& d : derived_)
        if (d->same(*own)) return v.set(d);
    own->prepare(trainer_);
    v.set(own);
    derived_.push_back(std::move(own));
}

/// Scales are compared when compiling; how many of them, here.
SIGMA_IMPL void HookGroup::check_intervals() const {
    for (int reader = 0; reader < table_.count; ++reader)
        for (int writer = 0; writer < table_.count; ++writer) {
            if (reader == writer || (table_.facts[reader].reads & table_.facts[writer].writes) == 0 ||
                !(table_.moments[reader] == table_.moments[writer]))
                continue;
            const detail::GroupedHook &from = hooks_[static_cast<std::size_t>(writer)],
                                      &to = hooks_[static_cast<std::size_t>(reader)];
            const auto r = to.criterion->interval(), w = from.criterion->interval();
            if (r > 0 && r < w)
                throw ArgumentError(
                    sentence("hook '", to.name(), "'"),
                    sentence("an interval of ", w, " or more, as '", from.name(), "' has, on which it depends"),
                    sentence(r));
        }
}

/// Can hook i fire after the next iteration? False only where its criterion says that it will not.
SIGMA_IMPL bool HookGroup::may_fire_next(int i, bool ends_epoch) const {
    const auto may = [&](Moment m) {
        return table_.moments[i].has(m) && hooks_[static_cast<std::size_t>(i)].criterion->due(trainer_.counts()[m] + 1);
    };
    return may(Moment::iteration) || (ends_epoch && may(Moment::epoch));
}

}  // namespace sigma::detail
