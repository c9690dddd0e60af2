// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>

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
    void with(int threads, F f) {
        const Lent lent(*this, threads);
        f(lent.pool);
    }

private:
    sigma::detail::Mutex mutex_;
    bool lent_ = false;
    sigma::detail::Owned<ThreadPool> pool_;

    struct Lent {
        LentThreads& from;
        ThreadPool* pool;
        Lent(LentThreads& from_, int threads) : from(from_), pool(threads > 1 ? from_.take(threads) : nullptr) {}
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        ~Lent() {
            if (pool != nullptr) from.give();
        }
    };
    ThreadPool* take(int threads);
    void give() noexcept;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/lent_threads.ipp>
#endif
