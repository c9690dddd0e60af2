// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <type_traits>

namespace sigma::on_cpu {

// Threads that divide the chunks of one call at a time. The caller also claims chunks, so that a worker that the system
// does not schedule delays nothing. Calls do not allocate.
class ThreadPool {
public:
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const noexcept { return others_ + 1; }
    long long least_work = 200'000;  // multiply-adds from which on sharing a run pays

    // Calls f(0), f(1), ... f(chunks - 1), each once, on any thread and in any order, and returns when all are done.
    // Make one call at a time, neither from two threads nor from within f. Writes of f(i) are visible to the caller
    // afterwards.
    template <class F>
    void run(int chunks, F& f) {
        static_assert(std::is_nothrow_invocable_v<F&, int>,
                      "ThreadPool::run: the function must be noexcept and take an int");
        if (chunks <= 1 || others_ == 0) {
            for (int i = 0; i < chunks; ++i) f(i);
            return;
        }
        share([](void* context, int i) noexcept { (*static_cast<F*>(context))(i); },
              const_cast<void*>(static_cast<const void*>(std::addressof(f))), chunks);
    }

private:
    struct Workers;
    int others_;
    Workers* workers_;

    void share(void (*call)(void*, int) noexcept, void* context, int chunks) noexcept;
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/thread_pool.ipp>
#endif
