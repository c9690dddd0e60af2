// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/list.hpp>

namespace sigma::detail {

/// A lock for the parameters of a model: many threads read at a time, or one thread changes. A run owns the parameters
/// from its beginning to its end without a cost in each step. Other threads call the run to let them in, and the run
/// does so between two steps. A thread never waits for parameters that it owns or reads itself.
class Access {
    /// A thread's hold on the parameters of one model. Each thread has a list of holds.
    struct Hold {
        Access* access;
        Hold* outer;
        bool owns;
        bool changing = false;  ///< True while the thread changes the parameters.
        bool open = false;      ///< True while other threads may have the parameters.
    };
    constinit inline static thread_local Hold* innermost_ = nullptr;

public:
    /// An operation on the parameters.
    struct Use {
        void* what;
        void (*run)(void*);
        bool (*alone)(void*);  ///< Returns whether no other thread may read meanwhile. Called while nothing changes.
    };

    Access();
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
    ~Access();

    /// A hold during which no thread changes the parameters, unless a run owns them on another thread.
    class Reading {
    public:
        explicit Reading(Access& access);
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        ~Reading();

        /// Returns whether this thread holds the parameters.
        explicit operator bool() const { return holds_ || within_; }
        /// Returns whether it has held them before.
        bool within() const { return within_; }

    private:
        friend Access;
        struct Counted {};
        Reading(Access& access, Counted) : hold_{&access, nullptr, false} { enter(); }
        void enter();
        Hold hold_;
        bool within_ = false, holds_ = false;
    };
    /// Waits until an operation may run while no thread changes the parameters, and runs it: on this thread or, if it
    /// must be alone and a run owns the parameters, on the thread of the run. Throws what the operation throws.
    [[gnu::cold]] void read(const Use& use) { wait_and_run(use, false); }
    /// Runs an operation while no other thread reads or changes the parameters. Throws MismatchError within `read` of
    /// the same thread.
    void write(const Use& use);
    /// Returns whether this thread owns or reads the parameters.
    bool held_here() const { return held() != nullptr; }
    /// Returns whether a run owns the parameters, on any thread.
    bool owned() const;
    /// Returns whether another thread owns the parameters now.
    bool owned_elsewhere() const;

    /// Owns the parameters on this thread, after all readers have finished. A thread that waits for the parameters
    /// calls `ask`, which must make the owning thread call `let_in`.
    class Owner {
    public:
        explicit Owner(Access& access, AnyFunction<void()> ask);
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        ~Owner();

    private:
        friend Access;
        struct Temporary;
        Hold hold_;
        AnyFunction<void()> ask_{};

        Owner(Access& access, const Temporary& when);
    };
    /// Lets in all waiting threads, and returns when they have finished. Does nothing on a thread that does not own the
    /// parameters.
    [[gnu::cold]] void let_in();
    /// Gives other threads access, during its lifetime, to all parameters that this thread owns and is not changing.
    /// For a thread that waits for other threads.
    class Open {
    public:
        Open();
        Open(const Open&) = delete;
        Open& operator=(const Open&) = delete;
        ~Open();

    private:
        struct Opened {
            Hold* hold;
            Owner* owner;
        };
        List<Opened> opened_;

        [[gnu::cold]] void open_all();
        [[gnu::cold]] void close_all();
    };

private:
    struct Shared;
    struct Waiting;

    Shared* const shared_;

    Hold* held() const;
    void leave();
    [[gnu::cold]] void wait_and_run(const Use& use, bool alone);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/access.ipp>
#endif
