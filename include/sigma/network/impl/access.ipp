// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/network/access.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace sigma::detail {

struct Access::Waiting {
    enum class State { waiting, reading, done };
    const Use& use;
    bool alone;
    State state = State::waiting;
    std::exception_ptr thrown{};
};

struct Access::Shared {
    static constexpr std::uint32_t owned = std::uint32_t{1} << 31;

    std::atomic<std::uint32_t> state{0};  ///< The number of readers, and the bit `owned`.
    std::mutex mutex;                     ///< Protects the members below.
    std::condition_variable changed;
    Owner* owner = nullptr;
    std::vector<Waiting*> waiting;
    bool called = false;  ///< True after a waiting thread has called the owner.

    [[gnu::cold]] void wake() {
        const std::lock_guard lock(mutex);
        changed.notify_all();
    }
    void take(std::unique_lock<std::mutex>& lock, Owner& by) {
        changed.wait(lock, [&] { return owner == nullptr; });
        owner = &by;
        state.fetch_or(owned, std::memory_order_relaxed);
        changed.wait(lock, [&] { return state.load(std::memory_order_acquire) == owned; });
    }
    void release() {
        const std::lock_guard lock(mutex);
        owner = nullptr;
        called = false;
        state.fetch_and(~owned, std::memory_order_release);
        changed.notify_all();
    }
    /// Calls the owner, once for all threads that wait since its last `let_in`. The owner lets all of them in together.
    void call(std::unique_lock<std::mutex>& lock, Waiting& me) {
        const AnyFunction<void()> ask = owner->ask_;
        lock.unlock();
        try {
            if (ask) ask();
        } catch (...) {
            lock.lock();
            called = false;  // another thread has to call
            changed.notify_all();
            if (std::erase(waiting, &me) > 0) throw;
            return;  // already let in
        }
        lock.lock();
    }
};

/// The lock of a temporary owner, which exists only while there is no other owner.
struct Access::Owner::Temporary {
    std::unique_lock<std::mutex>& lock;
};

SIGMA_IMPL Access::Access() : shared_(new Shared) {}

SIGMA_IMPL Access::~Access() { delete shared_; }

SIGMA_IMPL bool Access::owned() const {
    const Hold* const own = held();
    return (own && own->owns) || owned_elsewhere();
}

SIGMA_IMPL bool Access::owned_elsewhere() const {
    return !held_here() && (shared_->state.load(std::memory_order_relaxed) & Shared::owned) != 0;
}

SIGMA_IMPL Access::Reading::Reading(Access& access) : hold_{&access, nullptr, false}, within_(access.held_here()) {
    if (within_) return;
    if ((access.shared_->state.fetch_add(1, std::memory_order_acquire) & Shared::owned) == 0) enter();
    else access.leave();
}
SIGMA_IMPL void Access::Reading::enter() {
    holds_ = true;
    hold_.outer = innermost_;
    innermost_ = &hold_;
}
SIGMA_IMPL Access::Reading::~Reading() {
    if (!holds_) return;
    innermost_ = hold_.outer;
    hold_.access->leave();
}

SIGMA_IMPL void Access::write(const Use& use) {
    const Hold* const mine = held();
    if (mine == nullptr) return wait_and_run(use, true);
    if (!mine->owns)
        throw MismatchError("parameters of a model", "a call of write outside of read",
                            "a call of write within read, on one thread");
    use.run(use.what);
}

SIGMA_IMPL Access::Owner::Owner(Access& access, AnyFunction<void()> ask)
    : hold_{&access, innermost_, true}, ask_(std::move(ask)) {
    std::unique_lock lock(access.shared_->mutex);
    access.shared_->take(lock, *this);
    lock.unlock();
    innermost_ = &hold_;
    access.let_in();  // threads that have waited for the previous owner
}

SIGMA_IMPL Access::Owner::~Owner() {
    innermost_ = hold_.outer;
    hold_.access->shared_->release();
}

SIGMA_IMPL Access::Owner::Owner(Access& access, const Temporary& when) : hold_{&access, innermost_, true, true} {
    access.shared_->take(when.lock, *this);
    when.lock.unlock();
    innermost_ = &hold_;
}

SIGMA_IMPL void Access::let_in() {
    Hold* const mine = held();
    if (mine == nullptr || !mine->owns) return;
    Shared& all = *shared_;
    std::unique_lock lock(all.mutex);
    std::vector<Waiting*> alone;
    all.called = false;
    for (Waiting* const w : std::exchange(all.waiting, {})) {
        if (w->alone || w->use.alone(w->use.what)) {
            alone.push_back(w);
        } else {
            all.state.fetch_add(1, std::memory_order_relaxed);
            w->state = Waiting::State::reading;
        }
    }
    all.changed.notify_all();
    all.changed.wait(lock, [&] { return all.state.load(std::memory_order_acquire) == Shared::owned; });
    for (Waiting* const w : alone) {
        lock.unlock();
        const bool before = std::exchange(mine->changing, true);
        try {
            w->use.run(w->use.what);
        } catch (...) { w->thrown = std::current_exception(); }
        mine->changing = before;
        lock.lock();
        w->state = Waiting::State::done;
    }
    all.changed.notify_all();
}

SIGMA_IMPL Access::Open::Open() {
    if (innermost_ != nullptr) open_all();
}

SIGMA_IMPL Access::Open::~Open() {
    if (!opened_.empty()) close_all();
}

SIGMA_IMPL void Access::Open::open_all() {
    for (Hold* h = innermost_; h; h = h->outer) {
        if (!h->owns || h->changing || h->open) continue;
        opened_.push({h, h->access->shared_->owner});
        h->open = true;
        h->access->shared_->release();
    }
}

SIGMA_IMPL void Access::Open::close_all() {
    for (const auto& [hold, owner] : opened_) {
        std::unique_lock lock(hold->access->shared_->mutex);
        hold->access->shared_->take(lock, *owner);
        lock.unlock();
        hold->open = false;
        hold->access->let_in();
    }
}

SIGMA_IMPL Access::Hold* Access::held() const {
    for (Hold* h = innermost_; h; h = h->outer)
        if (h->access == this && !h->open) return h;
    return nullptr;
}

SIGMA_IMPL void Access::leave() {
    if (shared_->state.fetch_sub(1, std::memory_order_release) == Shared::owned + 1) shared_->wake();
}

SIGMA_IMPL void Access::wait_and_run(const Use& use, bool alone) {
    const Open meanwhile;  // prevents a deadlock of two runs with hooks that read each other's parameters
    Waiting me{use, alone};
    Shared& all = *shared_;
    std::unique_lock lock(all.mutex);
    while (true) {
        if (all.owner == nullptr && me.alone) {
            const Owner owner(*this, Owner::Temporary{lock});
            return use.run(use.what);
        }
        if (all.owner == nullptr) {
            all.state.fetch_add(1, std::memory_order_acquire);
            lock.unlock();
            {
                const Reading reading(*this, Reading::Counted{});
                if (!use.alone(use.what)) return use.run(use.what);
            }
            lock.lock();
            me.alone = true;
            continue;
        }
        all.waiting.push_back(&me);
        if (!std::exchange(all.called, true)) all.call(lock, me);
        all.changed.wait(lock,
                         [&] { return me.state != Waiting::State::waiting || all.owner == nullptr || !all.called; });
        if (std::erase(all.waiting, &me) > 0) continue;
        all.changed.wait(lock, [&] { return me.state != Waiting::State::waiting; });
        lock.unlock();
        if (me.thrown) std::rethrow_exception(me.thrown);
        if (me.state == Waiting::State::done) return;
        const Reading reading(*this, Reading::Counted{});
        return use.run(use.what);
    }
}

}  // namespace sigma::detail
