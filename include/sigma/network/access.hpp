// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Who reads a model's parameters and who changes them, on which threads. Many read at a time, or one changes them. A
/// run owns them from its beginning to its end and pays nothing for that: readers on other threads ask it to let them
/// in, which it does between two steps. A thread is never held up by what it owns or reads itself.
class Access {
    /// What a thread has of which parameters; each thread has a list of these.
    struct Hold {
        Access* access;
        Hold* outer;
        bool owns;
        bool firm = false;  ///< it is changing them right now
        bool open = false;  ///< others may have them for now
    };
    constinit inline static thread_local Hold* innermost_ = nullptr;

public:
    /// What is done with the parameters.
    struct Use {
        void* what;
        void (*run)(void*);
        bool (*alone)(void*);  ///< may nobody else be reading meanwhile? Asked while nobody changes anything.
    };

    Access() = default;
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

    /// Runs it when nobody changes the parameters: here, or where it must be alone and a run owns them, on the thread
    /// of that run. Throws what it throws.
    void read(const Use& use) {
        if (held_here()) return use.run(use.what);
        if ((state_.fetch_add(1, std::memory_order_acquire) & owned) == 0) {
            const Reading reading(*this);
            if (!use.alone(use.what)) return use.run(use.what);
        } else {
            leave();
        }
        wait_and_run(use, false);
    }
    /// The same when nobody reads them either. Throws MismatchError within `read` of the same thread.
    void write(const Use& use) {
        const Hold* const mine = held();
        if (mine == nullptr) return wait_and_run(use, true);
        if (!mine->owns)
            throw MismatchError("parameters of a model", "to be changed when this thread has read them",
                                "a change while it reads them");
        use.run(use.what);
    }
    /// Does this thread own or read the parameters?
    bool held_here() const { return held() != nullptr; }
    /// Does another thread own them now?
    bool owned_elsewhere() const { return !held_here() && (state_.load(std::memory_order_relaxed) & owned) != 0; }

    /// Owns the parameters on this thread, from when nobody reads them any more. `ask` is called by who wants to read
    /// or write on another thread, and has to bring this one to `let_in`.
    class Owner {
    public:
        explicit Owner(Access& access, std::function<void()> ask)
            : hold_{&access, innermost_, true}, ask_(std::move(ask)) {
            std::unique_lock lock(access.mutex_);
            access.take(lock, *this);
            lock.unlock();
            innermost_ = &hold_;
            access.let_in();  // who has asked the one before
        }
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        ~Owner() {
            innermost_ = hold_.outer;
            hold_.access->release();
        }

    private:
        friend Access;
        Hold hold_;
        std::function<void()> ask_{};

        /// For a moment, when nobody owns them.
        Owner(Access& access, std::unique_lock<std::mutex>& lock) : hold_{&access, innermost_, true, true} {
            access.take(lock, *this);
            lock.unlock();
            innermost_ = &hold_;
        }
    };
    /// Lets in all who have asked, and returns when they are through. Nothing on a thread that does not own the
    /// parameters.
    [[gnu::cold]] void let_in() {
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
    /// While it lives, others may have all that this thread owns and is not just changing: for where it waits for them.
    class Open {
    public:
        Open() {
            if (innermost_ != nullptr) open_all();
        }
        Open(const Open&) = delete;
        Open& operator=(const Open&) = delete;
        ~Open() {
            if (!opened_.empty()) close_all();
        }

    private:
        std::vector<std::pair<Hold*, Owner*>> opened_;

        [[gnu::cold]] void open_all() {
            for (Hold* h = innermost_; h; h = h->outer) {
                if (!h->owns || h->firm || h->open) continue;
                opened_.emplace_back(h, h->access->owner_);
                h->open = true;
                h->access->release();
            }
        }
        [[gnu::cold]] void close_all() {
            for (const auto& [hold, owner] : opened_) {
                std::unique_lock lock(hold->access->mutex_);
                hold->access->take(lock, *owner);
                lock.unlock();
                hold->open = false;
                hold->access->let_in();
            }
        }
    };

private:
    static constexpr std::uint32_t owned = std::uint32_t{1} << 31;
    struct Waiting {
        enum class State { asking, reading, done };
        const Use& use;
        bool alone;
        State state = State::asking;
        std::exception_ptr thrown{};
    };
    /// One more reader, counted already.
    class Reading {
    public:
        explicit Reading(Access& access) : hold_{&access, innermost_, false} { innermost_ = &hold_; }
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        ~Reading() {
            innermost_ = hold_.outer;
            hold_.access->leave();
        }

    private:
        Hold hold_;
    };

    std::atomic<std::uint32_t> state_{0};  ///< how many read, and whether there is an owner
    std::mutex mutex_;                     ///< of what follows
    std::condition_variable changed_;
    Owner* owner_ = nullptr;
    std::vector<Waiting*> asked_;
    bool called_ = false;  ///< has somebody called the owner for them?

    Hold* held() const {
        for (Hold* h = innermost_; h; h = h->outer)
            if (h->access == this && !h->open) return h;
        return nullptr;
    }
    void leave() {
        if (state_.fetch_sub(1, std::memory_order_release) == owned + 1) tell();
    }
    [[gnu::cold]] void tell() {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }
    void take(std::unique_lock<std::mutex>& lock, Owner& owner) {
        changed_.wait(lock, [&] { return owner_ == nullptr; });
        owner_ = &owner;
        state_.fetch_or(owned, std::memory_order_relaxed);
        changed_.wait(lock, [&] { return state_.load(std::memory_order_acquire) == owned; });
    }
    void release() {
        const std::lock_guard lock(mutex_);
        owner_ = nullptr;
        called_ = false;
        state_.fetch_and(~owned, std::memory_order_release);
        changed_.notify_all();
    }
    /// One for all who have asked since the owner has let in: so they are through, once, at its next boundary.
    void call(std::unique_lock<std::mutex>& lock, Waiting& me) {
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
    [[gnu::cold, gnu::noinline]] void wait_and_run(const Use& use, bool alone) {
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
};

}  // namespace sigma::detail
