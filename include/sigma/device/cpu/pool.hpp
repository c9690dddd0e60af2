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
    explicit Pool(int threads) {
        const int others = std::max(threads, 1) - 1;
        workers_.reserve(static_cast<std::size_t>(others));
        try {
            for (int i = 0; i < others; ++i) workers_.emplace_back([this] { work(); });
        } catch (...) {  // no more threads to be had: end those that run before the exception leaves
            stop();
            throw;
        }
    }
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

    static void pause() noexcept {
#if defined(__SSE2__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }

    void share(std::uint64_t count) noexcept {
        assert(unfinished_.load() == 0 && "Pool::run: called within or beside another call");
        unfinished_.store(static_cast<int>(count), std::memory_order_relaxed);
        const std::uint64_t number = call_of(ticket_.load(std::memory_order_relaxed)) + 1;
        // Sequentially consistent: notify_all must not look for sleepers before the store can be seen.
        ticket_.store(number << 32 | count << 16, std::memory_order_seq_cst);
        ticket_.notify_all();
        claim();
        for (int turns = 0; unfinished_.load(std::memory_order_acquire) != 0; ++turns)
            turns < patience ? pause() : std::this_thread::yield();  // the last chunk's thread may need this core
    }

    // Runs chunks until none is left to claim; returns the ticket that said so.
    std::uint64_t claim() noexcept {
        std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
        while (next_of(ticket) < count_of(ticket)) {
            if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                               std::memory_order_acquire))
                continue;
            call_(context_, first_ + static_cast<int>(next_of(ticket)));
            unfinished_.fetch_sub(1, std::memory_order_release);
            ticket = ticket_.load(std::memory_order_acquire);
        }
        return ticket;
    }

    void work() noexcept {
        while (!stopping_.load(std::memory_order_acquire)) {
            const std::uint64_t done = claim();
            bool changed = false;
            for (int turns = 0; turns < patience && !changed; ++turns) {
                pause();
                changed = ticket_.load(std::memory_order_relaxed) != done;
            }
            // The ticket that claim saw may be the one of stop(), which nothing follows: then do not wait for another.
            if (!changed && !stopping_.load(std::memory_order_acquire)) ticket_.wait(done, std::memory_order_acquire);
        }
    }

    void stop() noexcept {
        stopping_.store(true, std::memory_order_release);
        ticket_.fetch_add(std::uint64_t(1) << 32, std::memory_order_seq_cst);  // any change wakes; no chunk is on offer
        ticket_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

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
