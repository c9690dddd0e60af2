// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/list.hpp>

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

    Access();
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
    ~Access();

    /// Runs it when nobody changes the parameters: here, or where it must be alone and a run owns them, on the thread
    /// of that run. Throws what it throws.
    void read(const Use& use);
    /// The same when nobody reads them either. Throws MismatchError within `read` of the same thread.
    void write(const Use& use);
    /// Does this thread own or read the parameters?
    bool held_here() const { return held() != nullptr; }
    /// Does a run own them, on any thread?
    bool owned() const;
    /// Does another thread own them now?
    bool owned_elsewhere() const;

    /// Owns the parameters on this thread, from when nobody reads them any more. `ask` is called by who wants to read
    /// or write on another thread, and has to bring this one to `let_in`.
    class Owner {
    public:
        explicit Owner(Access& access, AnyFunction<void()> ask);
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        ~Owner();

    private:
        friend Access;
        struct ForAMoment;
        Hold hold_;
        AnyFunction<void()> ask_{};

        Owner(Access& access, const ForAMoment& when);
    };
    /// Lets in all who have asked, and returns when they are through. Nothing on a thread that does not own the
    /// parameters.
    [[gnu::cold]] void let_in();
    /// While it lives, others may have all that this thread owns and is not just changing: for where it waits for them.
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
    class Reading;

    Shared* const shared_;

    Hold* held() const;
    void leave();
    [[gnu::cold]] void wait_and_run(const Use& use, bool alone);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/access.ipp>
#endif
