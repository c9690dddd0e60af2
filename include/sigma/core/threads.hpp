// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace sigma::detail {

/// A std::mutex without its header.
class Mutex {
public:
    Mutex() noexcept;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;
    ~Mutex();

    void lock();
    void unlock() noexcept;

private:
    alignas(void*) std::byte place_[64];  // holds a std::mutex
};

/// A lock that lasts from its constructor to its destructor.
class Lock {
public:
    explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

/// A number that one thread changes and any thread reads: as cheap as a plain number, without a data race.
template <class T>
class Relaxed {
public:
    Relaxed(T x = T{}) : value_(x) {}
    Relaxed(const Relaxed& other) : value_(T(other)) {}
    Relaxed& operator=(const Relaxed& other) { return *this = T(other); }
    Relaxed& operator=(T x) {
        __atomic_store(&value_, &x, __ATOMIC_RELAXED);
        return *this;
    }
    operator T() const {
        T x;
        __atomic_load(&value_, &x, __ATOMIC_RELAXED);
        return x;
    }
    Relaxed& operator++() { return *this = static_cast<T>(T(*this) + 1); }
    Relaxed& operator+=(T x) { return *this = static_cast<T>(T(*this) + x); }

private:
    alignas(sizeof(T)) T value_;  // std::atomic<T> without its header
};

/// A number that publishes earlier writes of one thread: a thread that reads the number also sees those writes.
template <class T>
class Signal {
public:
    Signal(T x = T{}) : value_(x) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;
    Signal& operator=(T x) {
        __atomic_store(&value_, &x, __ATOMIC_RELEASE);
        return *this;
    }
    operator T() const {
        T x;
        __atomic_load(&value_, &x, __ATOMIC_ACQUIRE);
        return x;
    }

private:
    alignas(sizeof(T)) T value_;  // std::atomic<T> without its header
};

/// Returns an address that identifies the calling thread among those that run now, as std::this_thread::get_id() does.
/// Never null.
inline const void* this_thread() noexcept {
    static thread_local constinit char own = 0;
    return &own;
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/threads.ipp>
#endif
