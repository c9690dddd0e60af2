// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace sigma::simd {

// Threads that share out the chunks of one call at a time. The caller claims chunks too: a worker that the system
// does not schedule claims nothing and holds up nothing. No call allocates.
class Pool {
public:
    explicit Pool(int threads);
    ~Pool() { stop(); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

    // f(0), f(1), ... f(chunks - 1), each once, on any thread and in any order; returns when all are done. One call
    // at a time: neither from two threads nor from within f. What f(i) wrote is visible to the caller afterwards.
    template <class F>
    void run(int chunks, F& f) {
        static_assert(std::is_nothrow_invocable_v<F&, int>, "Pool::run: the function must be noexcept and take an int");
        if (chunks <= 1 || workers_.empty()) {
            for (int i = 0; i < chunks; ++i) f(i);
            return;
        }
        call_ = [](void* context, int i) noexcept { (*static_cast<F*>(context))(i); };
        context_ = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
        for (first_ = 0; first_ < chunks; first_ += most_chunks)
            share(static_cast<std::uint64_t>(std::min(chunks - first_, most_chunks)));
    }

private:
    // All that decides who runs what is one word: the number of the call (high 32 bits), how many chunks it has and
    // which comes next (16 bits each). A claim replaces the whole word. Only after its claim does a thread read call_,
    // context_ and first_: from then on its chunk keeps the call from returning, hence they are this call's and stay
    // so, however late the thread came. The number makes every call's word new to those who sleep on an older one.
    static constexpr int most_chunks = 0xFFFF;
    static constexpr std::uint64_t call_of(std::uint64_t ticket) { return ticket >> 32; }
    static constexpr std::uint64_t count_of(std::uint64_t ticket) { return ticket >> 16 & 0xFFFF; }
    static constexpr std::uint64_t next_of(std::uint64_t ticket) { return ticket & 0xFFFF; }

    static void pause() noexcept;

    void share(std::uint64_t count) noexcept;

    // Runs chunks until none is left to claim; returns the ticket that said so.
    std::uint64_t claim() noexcept;

    void work() noexcept;

    void stop() noexcept;

    static constexpr int patience = 2000;  // turns before sleep: some tens of microseconds, the gap between two calls

    alignas(64) std::atomic<std::uint64_t> ticket_{0};
    alignas(64) std::atomic<int> unfinished_{0};
    alignas(64) void (*call_)(void*, int) noexcept = nullptr;
    void* context_ = nullptr;
    int first_ = 0;
    std::atomic<bool> stopping_{false};
    std::vector<std::thread> workers_;
};

}  // namespace sigma::simd

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/pool.ipp>
#endif
