// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/hook/background.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/network/access.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Within a catch block.
inline std::string what_was_thrown() {
    try {
        throw;
    } catch (const std::exception& e) { return e.what(); } catch (...) {
        return "something was thrown that is no std::exception";
    }
}

SIGMA_IMPL void guarded(const GroupedHook& hook, TrainerView& trainer, std::uint64_t iteration,
                        const AnyFunction<void()>& f) {
    try {
        f();
    } catch (...) {
        const HookError named(hook.name(), iteration, what_was_thrown());
        if (hook.settings.on_error == OnError::stop) std::throw_with_nested(named);
        trainer.print(named.what());
    }
}

struct Background::Bucket {
    std::uint64_t due = 0, skipped = 0;
    std::uint64_t waiting = 0;
    Relaxed<std::int64_t> expired;  ///< the job whose limit has passed
    Mutex mutex;                    ///< of what follows
    std::vector<SharedOwner<Snapshot>> free;
    std::vector<Archive> kept;  ///< state of the actions after the last job, by hook
    HookThread thread;          ///< ends first
};

SIGMA_IMPL Background::Background(TrainerView& trainer, const HookTable& table, std::vector<GroupedHook>& hooks,
                                  Slots& slots, CopyModel copy_model)
    : trainer_(trainer), table_(table), hooks_(hooks), slots_(slots), copy_model_(std::move(copy_model)),
      buckets_(hooks.size()) {
    for (int i = 0; i < table_.count; ++i) {
        if (!table_.facts[i].background) continue;
        any_ = true;
        auto& b = buckets_[static_cast<std::size_t>(table_.bucket[i])];  // its leader is the first of it
        if (!b) {
            b = make_owned<Bucket>();
            b->kept.resize(hooks.size());
        }
        b->waiting = std::max(b->waiting, hook(i).settings.waiting);
    }
}
SIGMA_IMPL Background::~Background() = default;

SIGMA_IMPL void Background::restarted() {
    for (int i = 0; i < table_.count; ++i) {
        if (!table_.facts[i].background) continue;
        Bucket& b = bucket(i);
        b.due = 0;
        const Lock lock(b.mutex);
        keep(i, b);
    }
}

SIGMA_IMPL void Background::fired(int hook) { bucket(hook).due |= std::uint64_t{1} << hook; }

SIGMA_IMPL void Background::submit(HookContext& now) {
    std::uint64_t decided_there = 0;  // whose criterion waits for what the background computes
    for (int i = 0; i < table_.count; ++i) decided_there |= std::uint64_t{table_.decided_there[i]} << i;
    for (int leader = 0; leader < table_.count; ++leader) {
        if (!buckets_[static_cast<std::size_t>(leader)]) continue;
        Bucket& b = *buckets_[static_cast<std::size_t>(leader)];
        const std::uint64_t due = std::exchange(b.due, 0);
        if ((due & ~decided_there) == 0) continue;  // nothing new to decide on either
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
    }
}

SIGMA_IMPL void Background::look() {
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
            throw Error(sentence("it has run ", busy, " s in the background; its limit is ", limit, " s"));
        });
    }
}

SIGMA_IMPL void Background::finish() {
    const Access::Open meanwhile;  // it may predict
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

SIGMA_IMPL void Background::drain() {
    const Access::Open meanwhile;
    for (const auto& b : buckets_)
        if (b) b->thread.drain();
}

SIGMA_IMPL std::uint64_t Background::skipped() const {
    std::uint64_t n = 0;
    for (const auto& b : buckets_)
        if (b) n += b->skipped;
    return n;
}

SIGMA_IMPL void Background::archive(int i, Archive& a) {
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

SIGMA_IMPL void Background::archive_parts(GroupedHook& h, Archive& a, bool criterion, bool actions) {
    if (criterion) h.criterion->archive(a);
    if (actions)
        for (const auto& each : h.actions) each->archive(a);
}

SIGMA_IMPL void Background::keep(int i, Bucket& b) {
    Archive& kept = b.kept[static_cast<std::size_t>(i)];
    kept = Archive();
    archive_parts(hook(i), kept, table_.decided_there[i], true);
}

SIGMA_IMPL bool Background::computed_in_front(const ValueRecord& value) const {
    for (int k = 0; k < table_.value_count; ++k)
        if (table_.values[k] == &value)
            for (int i = 0; i < table_.count; ++i)
                if (!table_.facts[i].background && (table_.facts[i].writes >> k & 1)) return true;
    return false;
}

SIGMA_IMPL SharedOwner<Snapshot> Background::take(int leader, HookContext& now, std::uint64_t due) {
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
    bool model = false, checkpoint = false;  // taken once, however many hooks want them
    for (int i = 0; i < table_.count; ++i) {
        if (!table_.facts[i].background || table_.bucket[i] != leader || !(due >> i & 1)) continue;
        hook(i).visit_values([&](ValueHandle& v) {
            if (v.record().kind != ValueRecord::Kind::computed) s->values.push_back({v.id(), now.get(v), 0});
            else if (computed_in_front(v.record())) s->values.push_back({v.id(), now.get(v), now.version(v)});
        });
        if (table_.facts[i].needs_parameters && !std::exchange(model, true)) copy_model_(s->model);
        if (table_.facts[i].needs_checkpoint && !std::exchange(checkpoint, true)) s->checkpoint = trainer_.checkpoint();
    }
    return s;
}

SIGMA_IMPL void Background::run_bucket(int leader, const Snapshot& snapshot) {
    Bucket& b = *buckets_[static_cast<std::size_t>(leader)];
    for (int place = 0; place < table_.count; ++place) {
        const int i = table_.order[place];
        if (table_.facts[i].background && table_.bucket[i] == leader && (snapshot.due >> i & 1))
            run_hook(i, b, snapshot);
    }
}

SIGMA_IMPL void Background::run_hook(int i, Bucket& b, const Snapshot& snapshot) {
    guarded(hook(i), trainer_, snapshot.iteration, [&] {
        const Expiry expiry{b.expired, b.thread.job()};
        HookContext context(trainer_, slots_, snapshot, expiry);
        if (table_.facts[i].timed) context = context.as_timed();
        if (table_.decided_there[i] && !hook(i).criterion->check(context).event) return;
        hook(i).run(context);
    });
    const Lock lock(b.mutex);
    keep(i, b);
}

}  // namespace sigma::detail
