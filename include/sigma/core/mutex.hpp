// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>

namespace sigma::detail {

/// std::mutex without its header.
class Mutex {
public:
    Mutex() noexcept;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;
    ~Mutex();

    void lock();
    void unlock() noexcept;

private:
    alignas(void*) std::byte place_[64];  // of the std::mutex
};

/// Locks from its constructor to its destructor.
class Lock {
public:
    explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/mutex.ipp>
#endif
