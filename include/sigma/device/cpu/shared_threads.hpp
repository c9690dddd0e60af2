// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/device.hpp>

namespace sigma::on_cpu {

class ThreadPool;

/// Threads that many callers share. One caller uses them at a time; meanwhile other callers work alone, without
/// waiting.
class SharedThreads {
public:
    SharedThreads();
    SharedThreads(const SharedThreads&) = delete;
    SharedThreads& operator=(const SharedThreads&) = delete;
    ~SharedThreads();

    /// Calls f(pool) with the number of threads, including the caller's; with null for one thread or if another caller
    /// uses them. Creates new threads if the number differs from that of the previous call.
    template <class F>
    void with(const sigma::detail::Cpu& processor, F f) {
        const Borrowed borrowed(*this, processor);
        f(borrowed.pool);
    }

private:
    sigma::detail::Mutex mutex_;
    bool in_use_ = false;
    sigma::detail::Owned<ThreadPool> pool_;

    struct Borrowed {
        SharedThreads& from;
        ThreadPool* pool;
        Borrowed(SharedThreads& from_, const sigma::detail::Cpu& processor)
            : from(from_), pool(processor.threads > 1 ? from_.take(processor) : nullptr) {}
        Borrowed(const Borrowed&) = delete;
        Borrowed& operator=(const Borrowed&) = delete;
        ~Borrowed() {
            if (pool != nullptr) from.give_back();
        }
    };
    ThreadPool* take(const sigma::detail::Cpu& processor);
    void give_back() noexcept;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/shared_threads.ipp>
#endif
