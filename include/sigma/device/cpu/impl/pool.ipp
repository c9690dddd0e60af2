// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/pool.hpp>

namespace sigma::simd {

SIGMA_IMPL Pool::Pool(int threads) {
    const int others = std::max(threads, 1) - 1;
    workers_.reserve(static_cast<std::size_t>(others));
    try {
        for (int i = 0; i < others; ++i) workers_.emplace_back([this] { work(); });
    } catch (...) {  // no more threads to be had: end those that run before the exception leaves
        stop();
        throw;
    }
}

SIGMA_IMPL void Pool::pause() noexcept {
#if defined(__SSE2__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

SIGMA_IMPL void Pool::share(std::uint64_t count) noexcept {
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

SIGMA_IMPL std::uint64_t Pool::claim() noexcept {
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (next_of(ticket) < count_of(ticket)) {
        if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel, std::memory_order_acquire))
            continue;
        call_(context_, first_ + static_cast<int>(next_of(ticket)));
        unfinished_.fetch_sub(1, std::memory_order_release);
        ticket = ticket_.load(std::memory_order_acquire);
    }
    return ticket;
}

SIGMA_IMPL void Pool::work() noexcept {
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

SIGMA_IMPL void Pool::stop() noexcept {
    stopping_.store(true, std::memory_order_release);
    ticket_.fetch_add(std::uint64_t(1) << 32, std::memory_order_seq_cst);  // any change wakes; no chunk is on offer
    ticket_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

}  // namespace sigma::simd
