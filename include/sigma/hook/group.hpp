// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/background.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/derived.hpp>
#include <sigma/hook/order.hpp>

#include <array>
#include <memory>

namespace sigma {

/// Hooks that were added together to a trainer of type T.
template <class T>
class AnyHookGroup : public ArchivedHooks {
public:
    virtual MomentSet moments() const = 0;
    /// Checks and runs the hooks of a moment, in order.
    virtual void fire(Moment, T&) = 0;
    /// When all hooks of the moment are through: gives the background its work.
    virtual void settle(Moment, T&) = 0;
    /// Waits for the background, and throws what it has left behind.
    virtual void finish(T&) = 0;
    /// What the next step must keep for hooks that can fire after it; does it end an epoch?
    virtual Wants wants(T&, bool ends_epoch) const = 0;
    virtual void restart(T&) = 0;
    virtual void visit_computed(const detail::AnyFunction<void(std::string_view name, std::shared_ptr<const detail::Slot>)>&) = 0;
    /// Snapshots that were not taken, since the background was busy.
    virtual std::uint64_t skipped() const = 0;
};

template <class T, class... H>
class HookGroup final : public AnyHookGroup<T> {
    using Set = detail::Hooks<H...>;
    using Keys = typename Set::Keys;
    using Live = LiveContext<T, Keys>;
    static constexpr auto& plan = Set::plan;
    template <int i>
    using HookAt = std::tuple_element_t<static_cast<std::size_t>(i), std::tuple<H...>>;
    static constexpr bool any_background = (H::Manner::background || ...);

public:
    HookGroup(T& trainer, H... hooks) : hooks_(std::move(hooks)...), background_(make_background(trainer)) {
        for_each_hook([&](auto i) {
            std::apply([&](auto&... a) { (a.visit_values(attach(trainer, i)), ...); }, hook<i>().actions);
        });
        for_each_hook([&](auto i) { hook<i>().criterion.visit_values(attach(trainer, i)); });
        check_intervals();
        restart(trainer);
    }
    MomentSet moments() const override {
        MomentSet all;
        for (const MomentSet m : plan.moments) all = all | m;
        for (const auto& p : processors_) all = all | p->moments();
        return any_background ? all | Moment::iteration : all;
    }
    void fire(Moment m, T& trainer) override {
        if constexpr (any_background) background_.look(trainer);
        Live now(trainer, slots_, m);
        update_processors(now);
        [&]<int... place>(std::integer_sequence<int, place...>) {
            (run<plan.order[place]>(now), ...);
        }(std::make_integer_sequence<int, Set::count>{});
    }
    void settle(Moment m, T& trainer) override {
        if constexpr (any_background) {
            Live now(trainer, slots_, m);
            background_.submit(now);
        }
    }
    void finish(T& trainer) override {
        if constexpr (any_background) background_.finish(trainer);
    }
    Wants wants(T& trainer, bool ends_epoch) const override {
        Wants all = always_wants_;
        for_each_hook([&](auto i) {
            if (wants_[i].any() && may_fire_next<i>(trainer, ends_epoch)) all = all | wants_[i];
        });
        return all;
    }
    void restart(T& trainer) override {
        background_.drain();
        for (int i = 0; i < slots_.size(); ++i) slots_[i].restart();
        for (const auto& p : processors_) p->restart();
        Live now(trainer, slots_, Moment::reset);
        for_each_hook([&](auto i) {
            hook<i>().criterion.restart(trainer.counts());
            std::apply([&](auto&... a) { (a.restart(now), ...); }, hook<i>().actions);
        });
        background_.restarted();
    }
    void archive(Archive& a) override {
        if (a.reading()) background_.drain();
        for_each_hook([&](auto i) { background_.template archive<i>(a); });
        for (int k = 0; k < slots_.size(); ++k) {
            std::uint64_t version = slots_[k].version;
            double x = slots_[k].value;
            a(x, version);
            if (!a.reading()) continue;  // the background may be computing it
            slots_[k].value = x;
            slots_[k].version = version;
        }
        for (const auto& p : processors_) p->archive(a);
    }
    std::string text() const override {
        std::string all;
        std::apply([&](const auto&... h) { ((all += h.text() + "\n"), ...); }, hooks_);
        return all;
    }
    void visit_computed(const detail::AnyFunction<void(std::string_view, std::shared_ptr<const detail::Slot>)>& f) override {
        [&]<class... V>(Types<V...>) { (f(V::name.view(), slots_.template share<V>()), ...); }(Keys{});
    }
    std::uint64_t skipped() const override { return background_.skipped(); }

private:
    std::tuple<H...> hooks_;
    detail::Slots<Keys> slots_;
    std::vector<std::unique_ptr<detail::Processor<Live>>> processors_;
    Wants always_wants_{};
    std::array<Wants, sizeof...(H)> wants_{};  ///< of each hook
    detail::Background<T, Keys, H...> background_;  // ends first

    detail::Background<T, Keys, H...> make_background(T&) { return {hooks_, slots_}; }

    template <int i>
    auto& hook() {
        return std::get<static_cast<std::size_t>(i)>(hooks_);
    }
    template <class F>
    static void for_each_hook(F f) {
        [&]<int... i>(std::integer_sequence<int, i...>) { (f(std::integral_constant<int, i>{}), ...); }(
            std::make_integer_sequence<int, Set::count>{});
    }

    template <int i>
    void run(Live& now) {
        if (!plan.moments[i].has(now.moment())) return;
        auto& h = hook<i>();
        Live context = HookAt<i>::Criterion::timed ? now.as_timed() : now;
        if constexpr (HookAt<i>::Manner::background) {
            if (plan.decided_there[i] || h.criterion.check(context).event) background_.template fired<i>();
        } else {
            detail::guarded(h, now.trainer(), now.trainer().iteration(), [&] {
                if (!h.criterion.check(context).event) return;
                std::apply([&](auto&... a) { (a.run(context), ...); }, h.actions);
                if constexpr (detail::HookParts<HookAt<i>>::Writes::count > 0) update_processors(now);
            });
        }
    }
    void update_processors(Live& now) {
        for (const auto& p : processors_) p->update(now);
    }

    /// Gives derived values their state, one for all that are equal.
    auto attach(T& trainer, int hook_number) {
        return [this, &trainer, hook_number](auto& v) { this->attach(v, trainer, hook_number); };
    }
    template <class V>
    void attach(V& v, T& trainer, int hook_number) {
        if constexpr (detail::is_derived<V>) {
            v.visit_values(attach(trainer, hook_number));
            auto& wanted = wants_[static_cast<std::size_t>(hook_number)];
            wanted = wanted | detail::wants_of<V>();
            always_wants_ = always_wants_ | detail::always_wants_of<V>();
            for (const auto& p : processors_)
                if (const auto* equal = dynamic_cast<detail::ProcessorOf<V, Live>*>(p.get()); equal && equal->value_ == v) {
                    v.state = equal->value_.state;
                    return;
                }
            v.state = std::make_shared<typename V::State>();
            if constexpr (requires { v.prepare(trainer); }) v.prepare(trainer);
            processors_.push_back(std::make_unique<detail::ProcessorOf<V, Live>>(v));
        }
    }

    /// Scales are compared when compiling; how many of them, here.
    void check_intervals() {
        for_each_hook([&](auto reader) {
            for_each_hook([&](auto writer) { check_interval<decltype(reader)::value, decltype(writer)::value>(); });
        });
    }
    template <int reader, int writer>
    void check_interval() {
        using R = typename HookAt<reader>::Criterion;
        using W = typename HookAt<writer>::Criterion;
        constexpr bool depends = (Set::template Mask<typename detail::HookParts<HookAt<reader>>::Reads>::bits &
                                  Set::template Mask<typename detail::HookParts<HookAt<writer>>::Writes>::bits) != 0;
        if constexpr (depends && reader != writer && plan.moments[reader] == plan.moments[writer] &&
                      detail::HasInterval<R> && detail::HasInterval<W>) {
            const auto r = hook<reader>().criterion.interval(), w = hook<writer>().criterion.interval();
            if (r < w)
                throw ArgumentError(sentence("hook '", hook<reader>().name(), "'"),
                                    sentence("an interval of ", w, " or more, as '", hook<writer>().name(), "' has, on which it depends"),
                                    sentence(r));
        }
    }
    /// Can hook i fire after the next iteration? False only where its criterion says that it will not.
    template <int i>
    bool may_fire_next(T& trainer, bool ends_epoch) const {
        const auto& criterion = std::get<static_cast<std::size_t>(i)>(hooks_).criterion;
        const auto may = [&](Moment m) {
            if (!plan.moments[i].has(m)) return false;
            if constexpr (requires { criterion.due(std::uint64_t{}); }) return criterion.due(trainer.counts()[m] + 1);
            else return true;
        };
        return may(Moment::iteration) || (ends_epoch && may(Moment::epoch));
    }
};

/// What adding hooks does to a trainer, which must outlive the group; or the type of what is wrong with them.
template <class T, class... H>
std::unique_ptr<AnyHookGroup<T>> make_hook_group(T& trainer, H... hooks) {
    return std::make_unique<HookGroup<T, H...>>(trainer, std::move(hooks)...);
}

}  // namespace sigma
