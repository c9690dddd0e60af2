// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/compute_device.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/network/access.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <utility>

namespace sigma::detail {

/// Returns the text of the present exception. For catch blocks.
inline std::string what_was_thrown() {
    try {
        throw;
    } catch (const std::exception& e) { return e.what(); } catch (...) {
        return "an exception that is not a std::exception";
    }
}

/// A hook of a group.
struct GroupedHook {
    Owned<CriterionNode> criterion;
    std::vector<SharedOwner<ActionNode>> actions;
    HookSettings settings;
    std::string text;

    const std::string& name() const { return settings.name.empty() ? text : settings.name; }
    void visit_values(const ValueVisitor& f) {
        criterion->visit_values(f);
        for (const auto& a : actions) a->visit_values(f);
    }
    void run(HookContext& context) {
        for (const auto& a : actions) a->run(context);
    }
};

/// Runs f for a hook. An exception of f is thrown as a HookError, or printed.
SIGMA_IMPL void guarded(const std::string& hook, OnError on_error, TrainerView& trainer, std::uint64_t iteration,
                        const AnyFunction<void()>& f) {
    try {
        f();
    } catch (...) {
        const HookError named(hook, iteration, what_was_thrown());
        if (on_error == OnError::stop) std::throw_with_nested(named);
        trainer.print(named.what());
    }
}
inline void guarded(const GroupedHook& hook, TrainerView& trainer, std::uint64_t iteration,
                    const AnyFunction<void()>& f) {
    guarded(hook.name(), hook.settings.on_error, trainer, iteration, f);
}

/// The hooks of a group that run in the background. Hooks that depend on each other are in one bucket: they share a
/// snapshot and run in order on one thread. While that thread has work, it owns the state of their actions.
class Background {
public:
    Background(TrainerView& trainer, const HookTable& table, std::vector<GroupedHook>& hooks, Slots& cells,
               CopyModel copy_model)
        : trainer_(trainer), table_(table), hooks_(hooks), slots_(cells), copy_model_(std::move(copy_model)),
          buckets_(hooks.size()) {
        for (int i = 0; i < table_.count; ++i) {
            if (!table_.facts[i].background) continue;
            any_ = true;
            auto& b = buckets_[static_cast<std::size_t>(table_.bucket[i])];  // that of the bucket's first hook
            if (!b) {
                b = make_owned<Bucket>();
                b->kept.resize(hooks.size());
                b->running = i;
            }
            b->slow = std::min(b->slow, hook(i).settings.slow);
            b->waiting = std::max(b->waiting, hook(i).settings.waiting);
        }
    }

    bool empty() const { return !any_; }
    /// Takes over new state of the hooks. Only while no job runs.
    void restarted() {
        for (int i = 0; i < table_.count; ++i) {
            if (!table_.facts[i].background) continue;
            Bucket& b = bucket(i);
            b.due = 0;
            const Lock lock(b.mutex);
            keep(i, b);
        }
    }
    void fired(int hook) { bucket(hook).due |= std::uint64_t{1} << hook; }
    /// Gives each bucket with hooks that have fired a snapshot of the present moment, unless the bucket is busy. Waits
    /// for the jobs of buckets that have not been slow yet, until they are.
    void submit(HookContext& now) {
        std::uint64_t decided_there = 0;  // hooks with a criterion that is evaluated in the background
        for (int i = 0; i < table_.count; ++i) decided_there |= std::uint64_t{table_.decided_there[i]} << i;
        for (int leader = 0; leader < table_.count; ++leader) {
            if (!buckets_[static_cast<std::size_t>(leader)]) continue;
            Bucket& b = *buckets_[static_cast<std::size_t>(leader)];
            const std::uint64_t due = std::exchange(b.due, 0);
            if ((due & ~decided_there) == 0) continue;  // nothing is new for those either
            if (!b.thread.accepts(b.waiting)) {
                ++b.skipped;
                continue;
            }
            b.thread.submit([this, leader, snapshot = take(leader, now, due), &own = b] {
                HookThread::work_for(trainer_.trainer());
                const AtExit free([&] {
                    const Lock lock(own.mutex);
                    own.free.push_back(snapshot);
                });
                run_bucket(leader, *snapshot);
            });
            if (b.slow == 0) continue;
            const Access::Open meanwhile;  // the job may predict with the trainer
            if (!b.thread.drained_within(b.slow))
                trainer_.print(sentence("hook '", hook(b.running).name(), "' is not done after ",
                                        std::exchange(b.slow, 0), " s: it runs in the background from now on"));
        }
    }
    /// Throws the exceptions of hooks, and checks time limits.
    void look() {
        for (int i = 0; i < table_.count; ++i) {
            if (!table_.facts[i].background) continue;
            Bucket& b = bucket(i);
            if (table_.bucket[i] == i && b.thread.failed()) std::rethrow_exception(b.thread.take_failure());
            const double limit = hook(i).settings.limit;
            if (limit == 0) continue;
            const std::int64_t job = b.thread.job();
            if (job == 0 || b.expired == job) continue;
            const double busy = HookThread::seconds_since(job);
            if (busy <= limit) continue;
            b.expired = job;
            guarded(hook(i), trainer_, trainer_.iteration(), [&] {
                throw Error(sentence("the hook has run ", busy, " s in the background; its limit is ", limit, " s"));
            });
        }
    }
    /// Waits for running and waiting jobs, except those over their time limit.
    void finish() {
        const Access::Open meanwhile;  // jobs may predict with the trainer
        for (const auto& b : buckets_) {
            if (!b) continue;
            while (!b->thread.drained_within(0.01)) {
                look();
                const std::int64_t job = b->thread.job();
                if (job != 0 && b->expired == job) break;
            }
        }
        look();
    }
    void drain() {
        const Access::Open meanwhile;
        for (const auto& b : buckets_)
            if (b) b->thread.drain();
    }
    std::uint64_t skipped() const {
        std::uint64_t n = 0;
        for (const auto& b : buckets_)
            if (b) n += b->skipped;
        return n;
    }
    /// Archives the state of a hook. Actions in the background have the state after their last job, so that nothing
    /// waits.
    void archive(int i, Archive& a) {
        GroupedHook& h = hook(i);
        if (!table_.facts[i].background) return archive_parts(h, a, true, true);
        const bool there = table_.decided_there[i];
        archive_parts(h, a, !there, false);
        Bucket& b = bucket(i);
        const Lock lock(b.mutex);
        if (a.reading()) {
            archive_parts(h, a, there, true);
            keep(i, b);
        } else {
            a.append(b.kept[static_cast<std::size_t>(i)]);
        }
    }

private:
    struct Bucket {
        std::uint64_t due = 0, skipped = 0;
        std::uint64_t waiting = 0;
        double slow = 1e9;              ///< seconds that the trainer waits for a job; 0: it never waits
        Relaxed<int> running;           ///< the last hook that a job began
        Relaxed<std::int64_t> expired;  ///< the job over its time limit
        Mutex mutex;                    ///< protects the members below
        std::vector<SharedOwner<Snapshot>> free;
        std::vector<Archive> kept;  ///< state of the actions after the last job, for each hook
        HookThread thread;          ///< destroyed first
    };
    TrainerView& trainer_;
    const HookTable& table_;
    std::vector<GroupedHook>& hooks_;
    Slots& slots_;
    CopyModel copy_model_;
    bool any_ = false;
    std::vector<Owned<Bucket>> buckets_;

    GroupedHook& hook(int i) { return hooks_[static_cast<std::size_t>(i)]; }
    Bucket& bucket(int i) { return *buckets_[static_cast<std::size_t>(table_.bucket[i])]; }
    static void archive_parts(GroupedHook& h, Archive& a, bool criterion, bool actions) {
        if (criterion) h.criterion->archive(a);
        if (actions)
            for (const auto& each : h.actions) each->archive(a);
    }
    void keep(int i, Bucket& b) {
        Archive& kept = b.kept[static_cast<std::size_t>(i)];
        kept = Archive();
        archive_parts(hook(i), kept, table_.decided_there[i], true);
    }
    SharedOwner<Snapshot> take(int leader, HookContext& now, std::uint64_t due) {
        SharedOwner<Snapshot> s;
        {
            Bucket& b = *buckets_[static_cast<std::size_t>(leader)];
            const Lock lock(b.mutex);
            if (!b.free.empty()) {
                s = std::move(b.free.back());
                b.free.pop_back();
            }
        }
        if (!s) s = SharedOwner<Snapshot>::make();
        s->moment = now.moment();
        s->counts = now.counts();
        s->runtime = now.runtime();
        s->epoch = trainer_.epoch();
        s->iteration = trainer_.iteration();
        s->due = due;
        s->values.clear();
        bool model = false, checkpoint = false;  // copied once, however many hooks need it
        for (int i = 0; i < table_.count; ++i) {
            if (!table_.facts[i].background || table_.bucket[i] != leader || !(due >> i & 1)) continue;
            hook(i).visit_values([&](ValueHandle& v) {
                if (v.record().kind != ValueRecord::Kind::computed) s->values.push({v.id(), now.get(v), 0});
                else if (computed_in_front(v.record())) s->values.push({v.id(), now.get(v), now.version(v)});
            });
            if (table_.facts[i].needs_parameters && !std::exchange(model, true)) copy_model_(s->model);
            if (table_.facts[i].needs_checkpoint && !std::exchange(checkpoint, true))
                s->checkpoint = trainer_.checkpoint();
        }
        return s;
    }
    bool computed_in_front(const ValueRecord& value) const {
        for (int k = 0; k < table_.value_count; ++k)
            if (table_.values[k] == &value) {
                if (slots_.is_linked(k)) return true;
                for (int i = 0; i < table_.count; ++i)
                    if (!table_.facts[i].background && (table_.facts[i].writes >> k & 1)) return true;
            }
        return false;
    }
    void run_bucket(int leader, const Snapshot& snapshot) {
        Bucket& b = *buckets_[static_cast<std::size_t>(leader)];
        for (int place = 0; place < table_.count; ++place) {
            const int i = table_.order[place];
            if (table_.facts[i].background && table_.bucket[i] == leader && (snapshot.due >> i & 1))
                run_hook(i, b, snapshot);
        }
    }
    void run_hook(int i, Bucket& b, const Snapshot& snapshot) {
        b.running = i;
        guarded(hook(i), trainer_, snapshot.iteration, [&] {
            const Expiry expiry{b.expired, b.thread.job()};
            HookContext context(trainer_, slots_, snapshot, expiry);
            if (table_.facts[i].timed) context = context.as_timed();
            if (table_.decided_there[i] && !hook(i).criterion->examine(context).event) return;
            hook(i).run(context);
        });
        const Lock lock(b.mutex);
        keep(i, b);
    }
};

struct HookBinding::Parts {
    std::vector<UntypedHook> hooks{};
    std::vector<std::vector<SharedOwner<ActionNode>>> own{};  ///< actions of the user; null for other
                                                              ///< actions
    List<Slots::Reader> readers{};
};

SIGMA_IMPL HookBinding::HookBinding() : parts(make_owned<Parts>()) {}
SIGMA_IMPL void HookBinding::add(const UntypedHook& hook,
                                 std::initializer_list<detail::SharedOwner<ActionNode>> actions) {
    parts->hooks.push_back(hook);
    parts->own.emplace_back(actions);
}
SIGMA_IMPL void HookBinding::add_reader(const void* value, AnyFunction<double()> read) {
    parts->readers.push({value, std::move(read)});
}

/// A group of hooks while they are added to a trainer.
class RunningHooks final : public HookGroup {
public:
    RunningHooks(TrainerView& trainer, const HookTable& table, HookBinding& binding)
        : trainer_(trainer), table_(table), hooks_(grouped(binding)),
          slots_(table.values, table.value_count, std::move(binding.parts->readers)),
          moments_(table.moments, table.moments + table.count), wants_(hooks_.size()),
          background_(trainer, table, hooks_, slots_, std::move(binding.copy_model)) {
        take_earlier_values();
        for (std::size_t i = 0; i < hooks_.size(); ++i)
            for (const auto& a : hooks_[i].actions) a->visit_values([&](ValueHandle& v) { attach(v, wants_[i]); });
        for (std::size_t i = 0; i < hooks_.size(); ++i)
            hooks_[i].criterion->visit_values([&](ValueHandle& v) { attach(v, wants_[i]); });
        check_intervals();
        restart();
    }

    MomentSet moments() const override {
        MomentSet all;
        for (const MomentSet m : moments_) all = all | m;
        for (const auto& d : derived_) all = all | d->moments();
        return background_.empty() ? all : all | Moment::iteration;
    }
    void fire(Moment moment) override {
        background_.look();
        HookContext now(trainer_, slots_, moment);
        update_derived(now);
        for (int place = 0; place < table_.count; ++place) run(table_.order[place], now);
    }
    void dispatch(Moment moment) override {
        HookContext now(trainer_, slots_, moment);
        background_.submit(now);
    }
    void finish() override {
        if (!background_.empty()) background_.finish();
    }
    Wants wants(bool ends_epoch) const override {
        Wants all = always_wants_;
        for (int i = 0; i < table_.count; ++i) {
            const Wants& of_hook = wants_[static_cast<std::size_t>(i)];
            if (of_hook.any() && may_fire_next(i, ends_epoch)) all = all | of_hook;
        }
        return all;
    }
    void restart() override {
        background_.drain();
        for (int i = 0; i < slots_.size(); ++i) slots_[i].restart();  // linked slots belong to other groups
        for (const auto& d : derived_) d->restart();
        HookContext now(trainer_, slots_, Moment::reset);
        for (GroupedHook& h : hooks_) {
            h.criterion->restart(trainer_.counts());
            for (const auto& a : h.actions) a->restart(now);
        }
        background_.restarted();
    }
    void checkpoint_done(CheckpointEvent event, const std::string& file) override {
        HookContext now(trainer_, slots_, Moment::iteration);
        for (int i = 0; i < table_.count; ++i) {
            GroupedHook& h = hooks_[static_cast<std::size_t>(i)];
            if (table_.facts[i].background) continue;  // its thread owns the actions
            guarded(h, trainer_, trainer_.iteration(), [&] {
                for (const auto& a : h.actions) a->checkpoint_done(now, event, file);
            });
        }
    }
    void archive(Archive& a) override {
        if (a.reading()) background_.drain();
        for (int i = 0; i < table_.count; ++i) background_.archive(i, a);
        for (int k = 0; k < slots_.size(); ++k) {
            if (slots_.is_linked(k)) continue;
            std::uint64_t version = slots_[k].version;
            double x = slots_[k].value;
            a(x, version);
            if (!a.reading()) continue;  // a background job may be writing the slot
            slots_[k].value = x;
            slots_[k].version = version;
        }
        for (const auto& d : derived_) d->archive(a);
    }
    std::string text() const override {
        std::string all;
        for (const GroupedHook& h : hooks_) all += h.text + "\n";
        return all;
    }
    void visit_computed(const AnyFunction<void(std::string_view, SharedOwner<const Slot>)>& f) const override {
        for (int k = 0; k < slots_.size(); ++k)
            if (!slots_.is_linked(k)) f(slots_.record(k).name, slots_.share(k));
    }
    std::uint64_t skipped() const override { return background_.skipped(); }
    ComputedValue find_computed(const ValueRecord& value) const override {
        for (int k = 0; k < table_.value_count; ++k)
            if (const int i = table_.values[k] == &value ? writer_of(k) : -1; i >= 0) {
                const MomentSet moments = moments_[static_cast<std::size_t>(i)];
                const GroupedHook& hook = hooks_[static_cast<std::size_t>(i)];
                const int rank = table_.facts[i].writer_rank;
                return {slots_.share(k),
                        moments,
                        rank >= 0 ? rank : rank_of(moments),
                        hook.criterion->interval(),
                        table_.facts[i].background,
                        hook.name()};
            }
        return {};
    }

private:
    TrainerView& trainer_;
    const HookTable& table_;
    std::vector<GroupedHook> hooks_;
    Slots slots_;
    std::vector<MomentSet> moments_;  // one for each hook
    std::vector<SharedOwner<Derived>> derived_;
    Wants always_wants_{};
    std::vector<Wants> wants_;  // one for each hook
    Background background_;     // destroyed first

    static std::vector<GroupedHook> grouped(HookBinding& binding) {
        std::vector<GroupedHook> hooks;
        for (std::size_t i = 0; i < binding.parts->hooks.size(); ++i) {
            UntypedHook& s = binding.parts->hooks[i];
            GroupedHook h{s.criterion->clone(), std::move(binding.parts->own[i]), s.settings, s.text()};
            for (std::size_t k = 0; k < h.actions.size(); ++k)
                if (!h.actions[k]) h.actions[k] = s.actions[k].node->clone();
            hooks.push_back(std::move(h));
        }
        return hooks;
    }
    void run(int i, const HookContext& now) {
        if (!moments_[static_cast<std::size_t>(i)].has(now.moment())) return;
        GroupedHook& h = hooks_[static_cast<std::size_t>(i)];
        HookContext context = table_.facts[i].timed ? now.as_timed() : now;
        if (table_.facts[i].background) {
            if (table_.decided_there[i] || h.criterion->examine(context).event) background_.fired(i);
            return;
        }
        const auto before = std::exchange(trainer_.acting_, &h);
        const AtExit leave([&] { trainer_.acting_ = before; });
        guarded(h, trainer_, trainer_.iteration(), [&] {
            if (!h.criterion->examine(context).event) return;
            h.run(context);
            if (table_.facts[i].writes != 0) update_derived(context);
        });
    }
    void update_derived(HookContext& now) {
        for (const auto& d : derived_) d->update(now);
    }
    /// Gives derived values their state. Equal values share one.
    void attach(ValueHandle& v, Wants& wanted) {
        if (v.derived() == nullptr) return;
        SharedOwner<Derived> own = v.derived()->clone();
        own->visit_values([&](ValueHandle& source) { attach(source, wanted); });
        wanted = wanted | own->wants();
        always_wants_ = always_wants_ | own->always_wants();
        for (const auto& d : derived_)
            if (d->same(*own)) return v.set(d);
        own->prepare(trainer_);
        v.set(own);
        derived_.push_back(std::move(own));
    }
    /// Checks intervals at run time. The scales were compared at compile time.
    void check_intervals() const {
        for (int reader = 0; reader < table_.count; ++reader)
            for (int writer = 0; writer < table_.count; ++writer) {
                if (reader == writer || (table_.facts[reader].reads & table_.facts[writer].writes) == 0 ||
                    !(moments_[static_cast<std::size_t>(reader)] == moments_[static_cast<std::size_t>(writer)]))
                    continue;
                const GroupedHook &from = hooks_[static_cast<std::size_t>(writer)],
                                  &to = hooks_[static_cast<std::size_t>(reader)];
                const auto r = to.criterion->interval(), w = from.criterion->interval();
                if (r > 0 && r < w)
                    throw ArgumentError(
                        sentence("hook '", to.name(), "'"),
                        sentence("an interval of ", w, " or more, because '", from.name(), "' computes what it reads"),
                        sentence(r));
            }
    }
    int writer_of(int value) const {
        for (int i = 0; i < table_.count; ++i)
            if (table_.facts[i].writes >> value & 1) return i;
        return -1;
    }
    /// Links the values that none of these hooks computes to those of earlier hooks.
    void take_earlier_values() {
        List<ComputedValue> earlier;
        for (int k = 0; k < table_.value_count; ++k) {
            earlier.push(writer_of(k) >= 0 ? ComputedValue{} : trainer_.find_computed(*table_.values[k]));
            if (earlier[k].slot) slots_.link(k, earlier[k].slot);
        }
        // The same rule as find_moments, including the moments of earlier hooks.
        for (int place = 0; place < table_.count; ++place) {
            const int i = table_.order[place];
            MomentSet& moments = moments_[static_cast<std::size_t>(i)];
            if (!table_.facts[i].timed)
                for_each_bit(table_.facts[i].criterion_reads, [&](int k) {
                    const int w = writer_of(k);
                    moments = moments | (w >= 0 ? moments_[static_cast<std::size_t>(w)] : earlier[k].moments);
                });
            for_each_bit(table_.facts[i].reads | table_.facts[i].loose_reads, [&](int k) {
                if (writer_of(k) >= 0) return;
                if (!earlier[k].slot) refuse_value(i, k);
                if (table_.facts[i].reads >> k & 1) check_earlier_value(i, k, earlier[k]);
            });
        }
    }
    [[noreturn, gnu::cold]] void refuse_value(int hook, int value) const {
        const std::string_view name = table_.values[value]->name;
        const bool by_score = name == "accuracy" || name == "validation_error";
        const std::string remedy = by_score ? "score(data)" : sentence("compute<\"", name, "\">(…)");
        throw ArgumentError::with_text(
            sentence("no hook computes '", name, "', which hook '", hooks_[static_cast<std::size_t>(hook)].name(),
                     "' reads; add ", remedy, " in this or an earlier call of add"),
            sentence("a hook that computes '", name, "'"), "hooks that do not compute it");
    }
    /// Checks that the value is computed as often as it is read, and on the thread that reads it.
    void check_earlier_value(int hook, int value, const ComputedValue& earlier) const {
        const GroupedHook& reader = hooks_[static_cast<std::size_t>(hook)];
        const HookFacts& facts = table_.facts[hook];
        const std::string_view name = table_.values[value]->name;
        const auto refuse = [&](const std::string& found) {
            throw ArgumentError(
                sentence("value '", name, "' of hook '", reader.name(), "'"),
                sentence("a hook that reads it when '", earlier.hook, "' has computed it, or latest(", name, ")"),
                found);
        };
        const MomentSet moments = moments_[static_cast<std::size_t>(hook)];
        const bool at_own_times = facts.timed || !(facts.criterion_reads >> value & 1);
        if (at_own_times && rank_of(moments) < earlier.rank) refuse("a hook that reads it more often");
        const std::uint64_t interval = reader.criterion->interval();
        if (moments == earlier.moments && interval > 0 && interval < earlier.interval)
            refuse(sentence("a hook that reads it at intervals of ", interval, ", shorter than those of ",
                            earlier.interval));
        if (earlier.in_background && !facts.background)
            refuse("a hook on the trainer's thread, while it is computed in the background");
    }
    /// Returns whether hook i can fire after the next iteration. False only if its criterion certainly will not.
    bool may_fire_next(int i, bool ends_epoch) const {
        const auto may = [&](Moment m) {
            return moments_[static_cast<std::size_t>(i)].has(m) &&
                   hooks_[static_cast<std::size_t>(i)].criterion->due(trainer_.counts()[m] + 1);
        };
        return may(Moment::iteration) || (ends_epoch && may(Moment::epoch));
    }
};

SIGMA_IMPL detail::Owned<HookGroup> make_group(TrainerView& trainer, const HookTable& table, HookBinding& binding) {
    return make_owned<RunningHooks>(trainer, table, binding);
}

struct HookList::Members {
    std::vector<int> numbers{}, removed{};
    int last = 0, firing = 0;
    std::array<std::vector<HookGroup*>, moment_count> listeners{};
    std::vector<Owned<HookGroup>> groups{};
};

SIGMA_IMPL HookList::HookList() : its_(make_owned<Members>()) {}

SIGMA_IMPL bool HookList::empty() const { return its_->groups.empty(); }

SIGMA_IMPL bool HookList::firing() const { return its_->firing > 0; }

SIGMA_IMPL int HookList::add(Owned<HookGroup> group) {
    its_->groups.push_back(std::move(group));
    its_->numbers.push_back(++its_->last);
    listen();
    return its_->last;
}

SIGMA_IMPL bool HookList::remove(int number) {
    if (std::ranges::find(its_->numbers, number) == its_->numbers.end()) return false;
    its_->removed.push_back(number);
    if (its_->firing == 0) forget_removed();
    return true;
}

SIGMA_IMPL std::vector<ArchivedHooks*> HookList::archived() const {
    std::vector<ArchivedHooks*> all;
    for (const auto& group : its_->groups) all.push_back(group.get());
    return all;
}

SIGMA_IMPL void HookList::visit_computed(
    const AnyFunction<void(std::string_view name, SharedOwner<const Slot>)>& f) const {
    for (const auto& group : its_->groups) group->visit_computed(f);
}

SIGMA_IMPL ComputedValue HookList::find_computed(const ValueRecord& value) const {
    for (auto group = its_->groups.rbegin(); group != its_->groups.rend(); ++group)
        if (ComputedValue found = (*group)->find_computed(value); found.slot) return found;
    return {};
}

SIGMA_IMPL void HookList::fire(Moment moment, const AnyFunction<void()>& f) {
    auto& listeners = its_->listeners[static_cast<std::size_t>(moment)];
    {
        ++its_->firing;
        const AtExit done([&] { --its_->firing; });
        const std::size_t count = listeners.size();  // hooks that are added now start with the next moment
        for (std::size_t i = 0; i < count; ++i) listeners[i]->fire(moment);
        f();
        for (std::size_t i = 0; i < count; ++i) listeners[i]->dispatch(moment);
    }
    if (!its_->removed.empty() && its_->firing == 0) forget_removed();
}

SIGMA_IMPL void HookList::finish() {
    for (const auto& group : its_->groups) group->finish();
}

SIGMA_IMPL Wants HookList::wants(bool ends_epoch) const {
    Wants all;
    for (const auto& group : its_->groups) all = all | group->wants(ends_epoch);
    return all;
}

SIGMA_IMPL void HookList::restart() {
    for (const auto& group : its_->groups) group->restart();
}

SIGMA_IMPL void HookList::checkpoint_done(CheckpointEvent event, const std::string& file) {
    for (const auto& group : its_->groups) group->checkpoint_done(event, file);
}

SIGMA_IMPL void HookList::clear() {
    its_->groups.clear();
    its_->numbers.clear();
    listen();
}

SIGMA_IMPL void HookList::listen() {
    for (int m = 0; m < moment_count; ++m) {
        auto& listeners = its_->listeners[static_cast<std::size_t>(m)];
        listeners.clear();
        for (const auto& group : its_->groups)
            if (group->moments().has(static_cast<Moment>(m))) listeners.push_back(group.get());
    }
    if (changed) changed();
}

SIGMA_IMPL void HookList::forget_removed() {
    const Access::Open meanwhile;  // background jobs of removed hooks may predict before they end
    for (const int number : its_->removed) {
        const auto at = std::ranges::find(its_->numbers, number) - its_->numbers.begin();
        if (static_cast<std::size_t>(at) == its_->numbers.size()) continue;  // removed twice
        its_->groups.erase(its_->groups.begin() + at);
        its_->numbers.erase(its_->numbers.begin() + at);
    }
    its_->removed.clear();
    listen();
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL detail::AnyFunction<void()> TrainerView::of_acting_hook(detail::AnyFunction<void()> f) {
    if (acting_ == nullptr) return f;
    return
        [this, hook = acting_->name(), on_error = acting_->settings.on_error, at = iteration(), then = std::move(f)] {
            std::exception_ptr of_run;  // an error of the run that was only found here
            detail::guarded(hook, on_error, *this, at, [&] {
                try {
                    then();
                } catch (const NumericError&) { of_run = std::current_exception(); } catch (const DeviceError&) {
                    of_run = std::current_exception();
                }
            });
            if (of_run) std::rethrow_exception(of_run);
        };
}

}  // namespace sigma
