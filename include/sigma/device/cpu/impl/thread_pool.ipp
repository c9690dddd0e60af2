// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/product_scratch.hpp>
#include <sigma/device/cpu/thread_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace sigma::on_cpu {

struct ThreadPool::Workers {
    // One number controls the chunks: the number of the call (high 32 bits), the count of its chunks and the next chunk
    // (16 bits each). A claim replaces the whole number. A thread reads call, context and first only after its claim:
    // its chunk then keeps the call from returning, so they belong to this call, however late the thread is. The number
    // of the call makes the value new for threads that sleep on an older one.
    static constexpr int most_chunks = 0xFFFF;
    static constexpr std::uint64_t call_of(std::uint64_t ticket) { return ticket >> 32; }
    static constexpr std::uint64_t count_of(std::uint64_t ticket) { return ticket >> 16 & 0xFFFF; }
    static constexpr std::uint64_t next_of(std::uint64_t ticket) { return ticket & 0xFFFF; }

    static constexpr int patience = 2000;  // turns before sleep: some tens of microseconds, the gap between two calls

    alignas(64) std::atomic<std::uint64_t> ticket{0};
    alignas(64) std::atomic<int> unfinished{0};
    alignas(64) void (*call)(void*, int) noexcept = nullptr;
    void* context = nullptr;
    int first = 0;
    std::atomic<bool> stopping{false};
    std::unique_ptr<ProductScratch[]> scratches;  // for all threads, allocated with the pool, so that no run allocates
    std::vector<std::thread> threads;

    static void pause() noexcept {
#if defined(__SSE2__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    void share(std::uint64_t count) noexcept {
        assert(unfinished.load() == 0 && "ThreadPool::run: called within or beside another call");
        unfinished.store(static_cast<int>(count), std::memory_order_relaxed);
        const std::uint64_t number = call_of(ticket.load(std::memory_order_relaxed)) + 1;
        // Sequentially consistent, so that notify_all does not check for sleepers before the store is visible.
        ticket.store(number << 32 | count << 16, std::memory_order_seq_cst);
        ticket.notify_all();
        claim();
        for (int turns = 0; unfinished.load(std::memory_order_acquire) != 0; ++turns)
            turns < patience ? pause() : std::this_thread::yield();  // the last chunk's thread may need this core
    }
    // Runs chunks until none is left to claim, and returns the ticket with this state.
    std::uint64_t claim() noexcept {
        std::uint64_t seen = ticket.load(std::memory_order_acquire);
        while (next_of(seen) < count_of(seen)) {
            if (!ticket.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire))
                continue;
            call(context, first + static_cast<int>(next_of(seen)));
            unfinished.fetch_sub(1, std::memory_order_release);
            seen = ticket.load(std::memory_order_acquire);
        }
        return seen;
    }
    void work() noexcept {
        while (!stopping.load(std::memory_order_acquire)) {
            const std::uint64_t done = claim();
            bool changed = false;
            for (int turns = 0; turns < patience && !changed; ++turns) {
                pause();
                changed = ticket.load(std::memory_order_relaxed) != done;
            }
            // Claim may have seen the last ticket, which nothing follows: then do not wait for another.
            if (!changed && !stopping.load(std::memory_order_acquire)) ticket.wait(done, std::memory_order_acquire);
        }
    }
    ~Workers() {
        stopping.store(true, std::memory_order_release);
        ticket.fetch_add(std::uint64_t(1) << 32,
                         std::memory_order_seq_cst);  // any change wakes the threads; there is no chunk to claim
        ticket.notify_all();
        for (std::thread& worker : threads) worker.join();
    }
};

SIGMA_IMPL ThreadPool::ThreadPool(int threads) : others_(std::max(threads, 1) - 1) {
    auto workers = std::make_unique<Workers>();  // ends the running threads if the system refuses more
    const auto others = static_cast<std::size_t>(others_);
    workers->scratches.reset(new ProductScratch[others]);
    workers->threads.reserve(others);
    for (std::size_t i = 0; i < others; ++i)
        workers->threads.emplace_back([w = workers.get(), i] {
            use_product_scratch(w->scratches[i]);
            w->work();
        });
    workers_ = workers.release();
}

SIGMA_IMPL ThreadPool::~ThreadPool() { delete workers_; }

SIGMA_IMPL void ThreadPool::share(void (*call)(void*, int) noexcept, void* context, int chunks) noexcept {
    Workers& w = *workers_;
    w.call = call;
    w.context = context;
    for (w.first = 0; w.first < chunks; w.first += Workers::most_chunks)
        w.share(static_cast<std::uint64_t>(std::min(chunks - w.first, Workers::most_chunks)));
}

}  // namespace sigma::on_cpu
