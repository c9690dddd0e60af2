// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/device/device.hpp>

namespace sigma::on_cpu {

class ThreadPool;

/// Threads for many callers, of whom one has them at a time: who comes meanwhile works alone, and waits for nobody.
class LentThreads {
public:
    LentThreads();
    LentThreads(const LentThreads&) = delete;
    LentThreads& operator=(const LentThreads&) = delete;
    ~LentThreads();

    /// f(pool) with so many threads, the caller's among them; with null for one thread, or where they are lent. Makes
    /// them when another number is wanted than the time before.
    template <class F>
    void with(const sigma::detail::Cpu& processor, F f) {
        const Lent lent(*this, processor);
        f(lent.pool);
    }

private:
    sigma::detail::Mutex mutex_;
    bool lent_ = false;
    sigma::detail::Owned<ThreadPool> pool_;

    struct Lent {
        LentThreads& from;
        ThreadPool* pool;
        Lent(LentThreads& from_, const sigma::detail::Cpu& processor)
            : from(from_), pool(processor.threads > 1 ? from_.take(processor) : nullptr) {}
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        ~Lent() {
            if (pool != nullptr) from.give();
        }
    };
    ThreadPool* take(const sigma::detail::Cpu& processor);
    void give() noexcept;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/lent_threads.ipp>
#endif
