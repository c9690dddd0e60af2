// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/mutex.hpp>
#include <sigma/core/relaxed.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/hook/order.hpp>
#include <sigma/network/access.hpp>

#include <array>
#include <exception>

namespace sigma::detail {

/// Within a catch block.
std::string what_was_thrown();

/// Runs f for a hook. What f throws goes on as a HookError, or is printed.
template <class H, class T, class F>
void guarded(const H& hook, T& trainer, std::uint64_t iteration_number, F f) {
    try {
        f();
    } catch (...) {
        const HookError named(hook.name(), iteration_number, what_was_thrown());
        if (hook.settings.on_error == OnError::stop) std::throw_with_nested(named);
        trainer.print(named.what());
    }
}

/// The hooks of a group that run in the background. Those that depend on each other are one bucket: they share a
/// snapshot and run in order on one thread. Whatever their actions keep belongs to that thread while it has work.
template <class T, class Keys, class... H>
class Background {
    using Set = Hooks<H...>;
    static constexpr auto& plan = Set::plan;
    template <int i>
    using HookAt = std::tuple_element_t<static_cast<std::size_t>(i), std::tuple<H...>>;
    static constexpr bool any = (H::Manner::background || ...);

    struct Bucket {
        std::uint64_t due = 0, skipped = 0;
        std::uint64_t waiting = 0;
        Relaxed<std::int64_t> expired;  ///< the job whose limit has passed
        Mutex mutex;                    ///< of what follows
        std::vector<std::unique_ptr<Snapshot<T>>> free;
        std::array<Archive, sizeof...(H)> kept{};  ///< state of the actions after the last job
        HookThread thread;                         ///< ends first
    };

public:
    Background(std::tuple<H...>& hooks, Slots<Keys>& slots) : hooks_(hooks), slots_(slots) {
        for_each([&](auto i) {
            if (plan.bucket[i] == i) buckets_[i] = std::make_unique<Bucket>();
        });
        for_each([&](auto i) { bucket<i>().waiting = std::max(bucket<i>().waiting, hook<i>().settings.waiting); });
    }
    /// While no job is under way: the hooks have new state.
    void restarted() {
        for_each([&](auto i) {
            Bucket& b = bucket<i>();
            b.due = 0;
            const Lock lock(b.mutex);
            keep<i>(b);
        });
    }

    template <int i>
    void fired() {
        bucket<i>().due |= std::uint64_t{1} << i;
    }
    /// Hands each bucket whose hooks have fired a snapshot of now, unless it is busy.
    template <class Live>
    void submit(Live& now) {
        for_each([&](auto i) {
            constexpr int leader = decltype(i)::value;
            if constexpr (plan.bucket[leader] == leader) {
                Bucket& b = bucket<leader>();
                const std::uint64_t due = std::exchange(b.due, 0);
                if ((due & ~decided_there()) == 0) return;  // nothing new to decide on either
                if (!b.thread.accepts(b.waiting)) {
                    ++b.skipped;
                    return;
                }
                auto snapshot = std::make_shared<std::unique_ptr<Snapshot<T>>>(take<leader>(now, due));
                b.thread.submit([this, snapshot, &trainer = now.trainer(), &own = b] {
                    HookThread::work_for(&trainer);
                    const AtExit free([&] {
                        const Lock lock(own.mutex);
                        own.free.push_back(std::move(*snapshot));
                    });
                    run_bucket<leader>(own, trainer, **snapshot);
                });
            }
        });
    }
    /// Throws what a hook has thrown, and looks at time limits.
    void look(T& trainer) {
        for_each([&](auto i) {
            Bucket& b = bucket<i>();
            if constexpr (plan.bucket[i] == i)
                if (b.thread.failed()) std::rethrow_exception(b.thread.take_failure());
            const double limit = hook<i>().settings.limit;
            if (limit == 0) return;
            const std::int64_t job = b.thread.job();
            if (job == 0 || b.expired == job) return;
            const double busy = HookThread::seconds_since(job);
            if (busy <= limit) return;
            b.expired = job;
            guarded(hook<i>(), trainer, trainer.iteration(), [&] {
                throw Error(sentence("it has run ", busy, " s in the background; its limit is ", limit, " s"));
            });
        });
    }
    /// Waits for what is under way and what waits, but not for what has run longer than it may.
    void finish(T& trainer) {
        const Access::Open meanwhile;  // it may predict
        for_each([&](auto i) {
            if constexpr (plan.bucket[i] == i) {
                Bucket& b = bucket<i>();
                while (!b.thread.drained_within(0.01)) {
                    look(trainer);
                    const std::int64_t job = b.thread.job();
                    if (job != 0 && b.expired == job) return;
                }
            }
        });
        look(trainer);
    }
    void drain() {
        const Access::Open meanwhile;
        for_each([&](auto i) {
            if constexpr (plan.bucket[i] == i) bucket<i>().thread.drain();
        });
    }
    std::uint64_t skipped() const {
        std::uint64_t n = 0;
        for (const auto& b : buckets_)
            if (b) n += b->skipped;
        return n;
    }

    /// The state of hook i. That of actions in the background is what their last job left, so that nobody waits.
    template <int i>
    void archive(Archive& a) {
        auto& h = std::get<static_cast<std::size_t>(i)>(hooks_);
        if constexpr (!HookAt<i>::Manner::background) {
            archive_all<i>(h, a, true, true);
        } else {
            archive_all<i>(h, a, !plan.decided_there[i], false);
            Bucket& b = bucket<i>();
            const Lock lock(b.mutex);
            if (a.reading()) {
                archive_all<i>(h, a, plan.decided_there[i], true);
                keep<i>(b);
            } else {
                a.append(b.kept[i]);
            }
        }
    }

private:
    std::tuple<H...>& hooks_;
    Slots<Keys>& slots_;
    std::array<std::unique_ptr<Bucket>, sizeof...(H)> buckets_{};

    template <class F>
    static void for_each(F f) {
        if constexpr (any)
            [&]<int... i>(std::integer_sequence<int, i...>) {
                const auto one = [&](auto number) {
                    if constexpr (HookAt<number>::Manner::background) f(number);
                };
                (one(std::integral_constant<int, i>{}), ...);
            }(std::make_integer_sequence<int, Set::count>{});
    }
    template <int i>
    auto& hook() {
        return std::get<static_cast<std::size_t>(i)>(hooks_);
    }
    template <int i>
    Bucket& bucket() {
        return *buckets_[static_cast<std::size_t>(plan.bucket[i])];
    }
    template <int i>
    static void archive_all(auto& h, Archive& a, bool criterion, bool actions) {
        if (criterion) h.criterion.archive(a);
        if (actions) std::apply([&](auto&... each) { (each.archive(a), ...); }, h.actions);
    }
    template <int i>
    void keep(Bucket& b) {
        b.kept[i] = Archive();
        archive_all<i>(hook<i>(), b.kept[i], plan.decided_there[i], true);
    }
    /// The hooks whose criterion waits for what the background computes.
    static constexpr std::uint64_t decided_there() {
        std::uint64_t bits = 0;
        for (int i = 0; i < Set::count; ++i) bits |= std::uint64_t{plan.decided_there[static_cast<std::size_t>(i)]} << i;
        return bits;
    }
    template <int i>
    static constexpr bool needs(Needs what) {
        return [&]<class... A>(const std::tuple<A...>*) {
            return ((A::needs == what) || ...);
        }(static_cast<const typename HookAt<i>::ActionList*>(nullptr));
    }
    /// Parameters and checkpoints are taken once, however many hooks want them.
    struct Taken {
        bool model = false, checkpoint = false;
    };
    template <int i>
    static void take_model(Snapshot<T>& s, T& trainer, Taken& taken) {
        if constexpr (needs<i>(Needs::parameters)) {
            using Model = typename Snapshot<T>::Model;
            if (std::exchange(taken.model, true)) return;
            if (s.model) *s.model = trainer.model();
            else s.model = std::make_unique<Model>(trainer.model());
        }
    }
    template <int i>
    static void take_checkpoint(Snapshot<T>& s, T& trainer, Taken& taken) {
        if constexpr (needs<i>(Needs::checkpoint))
            if (!std::exchange(taken.checkpoint, true)) s.checkpoint = trainer.checkpoint();
    }
    template <int leader, class Live>
    std::unique_ptr<Snapshot<T>> take(Live& now, std::uint64_t due) {
        std::unique_ptr<Snapshot<T>> s;
        {
            Bucket& b = bucket<leader>();
            const Lock lock(b.mutex);
            if (!b.free.empty()) {
                s = std::move(b.free.back());
                b.free.pop_back();
            }
        }
        if (!s) s = std::make_unique<Snapshot<T>>();
        T& trainer = now.trainer();
        s->moment = now.moment();
        s->counts = now.counts();
        s->runtime = now.runtime();
        s->epoch = trainer.epoch();
        s->iteration = trainer.iteration();
        s->due = due;
        s->values.clear();
        Taken taken;
        for_each([&](auto i) {
            if constexpr (plan.bucket[i] == leader) {
                if (!(due >> i & 1)) return;
                const auto note = [&]<class V>(const V& v) {
                    if constexpr (!V::computed) s->values.push_back({v.id(), now.get(v), 0});
                    else if constexpr (foreground_computes<V>()) s->values.push_back({v.id(), now.get(v), now.version(v)});
                };
                hook<i>().criterion.visit_values(note);
                std::apply([&](auto&... a) { (a.visit_values(note), ...); }, hook<i>().actions);
                take_model<i>(*s, trainer, taken);
                take_checkpoint<i>(*s, trainer, taken);
            }
        });
        return s;
    }
    template <class V>
    static constexpr bool foreground_computes() {
        bool found = false;
        ((found = found || (!H::Manner::background && HookParts<H>::Writes::template has<V>)), ...);
        return found;
    }

    template <int leader>
    void run_bucket(Bucket& b, T& trainer, const Snapshot<T>& snapshot) {
        [&]<int... place>(std::integer_sequence<int, place...>) {
            (run_hook<leader, plan.order[place]>(b, trainer, snapshot), ...);
        }(std::make_integer_sequence<int, Set::count>{});
    }
    template <int leader, int i>
    void run_hook(Bucket& b, T& trainer, const Snapshot<T>& snapshot) {
        if constexpr (HookAt<i>::Manner::background && plan.bucket[i] == leader) {
            if (!(snapshot.due >> i & 1)) return;
            guarded(hook<i>(), trainer, snapshot.iteration, [&] {
                BackgroundContext<T, Keys> context(trainer, slots_, snapshot, {b.expired, b.thread.job()},
                                                   HookAt<i>::Criterion::timed);
                if constexpr (plan.decided_there[i])
                    if (!hook<i>().criterion.check(context).event) return;
                std::apply([&](auto&... a) { (a.run(context), ...); }, hook<i>().actions);
            });
            const Lock lock(b.mutex);
            keep<i>(b);
        }
    }
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/background.ipp>
#endif
