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

    /// A loan of the threads until the end of its scope.
    class Loan {
    public:
        /// Borrows so many threads, with the calling one. Creates new threads if the number differs from that of the
        /// previous loan.
        Loan(SharedThreads& from, const sigma::detail::Cpu& processor)
            : from_(from), pool_(processor.threads > 1 ? from.take(processor) : nullptr) {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() {
            if (pool_ != nullptr) from_.give_back();
        }

        /// Returns the threads; null for one thread, or if another caller uses them.
        ThreadPool* pool() const { return pool_; }

    private:
        SharedThreads& from_;
        ThreadPool* const pool_;
    };

private:
    sigma::detail::Mutex mutex_;
    bool in_use_ = false;
    sigma::detail::Owned<ThreadPool> pool_;

    ThreadPool* take(const sigma::detail::Cpu& processor);
    void give_back() noexcept;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/shared_threads.ipp>
#endif
