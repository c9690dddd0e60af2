// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/access.hpp>

namespace sigma::detail {

SIGMA_IMPL void Access::read(const Use& use) {
    if (held_here()) return use.run(use.what);
    if ((state_.fetch_add(1, std::memory_order_acquire) & owned) == 0) {
        const Reading reading(*this);
        if (!use.alone(use.what)) return use.run(use.what);
    } else {
        leave();
    }
    wait_and_run(use, false);
}

SIGMA_IMPL void Access::write(const Use& use) {
    const Hold* const mine = held();
    if (mine == nullptr) return wait_and_run(use, true);
    if (!mine->owns)
        throw MismatchError("parameters of a model", "to be changed when this thread has read them",
                            "a change while it reads them");
    use.run(use.what);
}

SIGMA_IMPL Access::Owner::Owner(Access& access, std::function<void()> ask)
    : hold_{&access, innermost_, true}, ask_(std::move(ask)) {
    std::unique_lock lock(access.mutex_);
    access.take(lock, *this);
    lock.unlock();
    innermost_ = &hold_;
    access.let_in();  // who has asked the one before
}

SIGMA_IMPL Access::Owner::~Owner() {
    innermost_ = hold_.outer;
    hold_.access->release();
}

SIGMA_IMPL Access::Owner::Owner(Access& access, std::unique_lock<std::mutex>& lock)
    : hold_{&access, innermost_, true, true} {
    access.take(lock, *this);
    lock.unlock();
    innermost_ = &hold_;
}

SIGMA_IMPL void Access::let_in() {
    Hold* const mine = held();
    if (mine == nullptr || !mine->owns) return;
    std::unique_lock lock(mutex_);
    std::vector<Waiting*> alone;
    called_ = false;
    for (Waiting* const w : std::exchange(asked_, {})) {
        if (w->alone || w->use.alone(w->use.what)) {
            alone.push_back(w);
        } else {
            state_.fetch_add(1, std::memory_order_relaxed);
            w->state = Waiting::State::reading;
        }
    }
    changed_.notify_all();
    changed_.wait(lock, [&] { return state_.load(std::memory_order_acquire) == owned; });
    for (Waiting* const w : alone) {
        lock.unlock();
        const bool before = std::exchange(mine->firm, true);
        try {
            w->use.run(w->use.what);
        } catch (...) {
            w->thrown = std::current_exception();
        }
        mine->firm = before;
        lock.lock();
        w->state = Waiting::State::done;
    }
    changed_.notify_all();
}

SIGMA_IMPL Access::Open::Open() {
    if (innermost_ != nullptr) open_all();
}

SIGMA_IMPL Access::Open::~Open() {
    if (!opened_.empty()) close_all();
}

SIGMA_IMPL void Access::Open::open_all() {
    for (Hold* h = innermost_; h; h = h->outer) {
        if (!h->owns || h->firm || h->open) continue;
        opened_.emplace_back(h, h->access->owner_);
        h->open = true;
        h->access->release();
    }
}

SIGMA_IMPL void Access::Open::close_all() {
    for (const auto& [hold, owner] : opened_) {
        std::unique_lock lock(hold->access->mutex_);
        hold->access->take(lock, *owner);
        lock.unlock();
        hold->open = false;
        hold->access->let_in();
    }
}

SIGMA_IMPL Access::Reading::~Reading() {
    innermost_ = hold_.outer;
    hold_.access->leave();
}

SIGMA_IMPL Access::Hold* Access::held() const {
    for (Hold* h = innermost_; h; h = h->outer)
        if (h->access == this && !h->open) return h;
    return nullptr;
}

SIGMA_IMPL void Access::leave() {
    if (state_.fetch_sub(1, std::memory_order_release) == owned + 1) tell();
}

SIGMA_IMPL void Access::tell() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
}

SIGMA_IMPL void Access::take(std::unique_lock<std::mutex>& lock, Owner& owner) {
    changed_.wait(lock, [&] { return owner_ == nullptr; });
    owner_ = &owner;
    state_.fetch_or(owned, std::memory_order_relaxed);
    changed_.wait(lock, [&] { return state_.load(std::memory_order_acquire) == owned; });
}

SIGMA_IMPL void Access::release() {
    const std::lock_guard lock(mutex_);
    owner_ = nullptr;
    called_ = false;
    state_.fetch_and(~owned, std::memory_order_release);
    changed_.notify_all();
}

SIGMA_IMPL void Access::call(std::unique_lock<std::mutex>& lock, Waiting& me) {
    const std::function<void()> ask = owner_->ask_;
    lock.unlock();
    try {
        if (ask) ask();
    } catch (...) {
        lock.lock();
        called_ = false;  // another has to
        changed_.notify_all();
        if (std::erase(asked_, &me) > 0) throw;
        return;  // let in all the same
    }
    lock.lock();
}

SIGMA_IMPL void Access::wait_and_run(const Use& use, bool alone) {
    const Open meanwhile;  // or two runs whose hooks read each other's parameters would wait for ever
    Waiting me{use, alone};
    std::unique_lock lock(mutex_);
    while (true) {
        if (owner_ == nullptr && me.alone) {
            const Owner owner(*this, lock);
            return use.run(use.what);
        }
        if (owner_ == nullptr) {
            state_.fetch_add(1, std::memory_order_acquire);
            lock.unlock();
            {
                const Reading reading(*this);
                if (!use.alone(use.what)) return use.run(use.what);
            }
            lock.lock();
            me.alone = true;
            continue;
        }
        asked_.push_back(&me);
        if (!std::exchange(called_, true)) call(lock, me);
        changed_.wait(lock, [&] { return me.state != Waiting::State::asking || owner_ == nullptr || !called_; });
        if (std::erase(asked_, &me) > 0) continue;
        changed_.wait(lock, [&] { return me.state != Waiting::State::asking; });
        lock.unlock();
        if (me.thrown) std::rethrow_exception(me.thrown);
        if (me.state == Waiting::State::done) return;
        const Reading reading(*this);
        return use.run(use.what);
    }
}

}  // namespace sigma::detail
