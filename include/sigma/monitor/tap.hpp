// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/series.hpp>
#include <sigma/registry/registry.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// What the thread that trains leaves for a monitor: one writes, one takes, and neither waits for the other. What does
/// not fit is counted and dropped.
class Tap {
public:
    static constexpr std::size_t capacity = 1 << 16;

    Tap();
    /// Does anybody still take?
    bool open() const { return open_.load(std::memory_order_relaxed); }
    void close() { open_.store(false, std::memory_order_relaxed); }
    /// Who takes; said before anybody puts.
    void belongs_to(const void* owner) { owner_ = owner; }
    const void* owner() const { return owner_; }

    // ---- the thread that trains ----

    /// A number of the run, of which `number_of` gave the series.
    void put(std::uint32_t series, const Point& point) noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == capacity) {
            dropped_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        ring_[head % capacity] = {series, point};
        head_.store(head + 1, std::memory_order_release);
    }
    std::uint32_t number_of(std::string_view name);
    /// Whether `ask` was called since the last time.
    bool wanted() {
        return wanted_.load(std::memory_order_relaxed) && wanted_.exchange(false, std::memory_order_relaxed);
    }
    /// All numbers of the registry that may change, but for those in `without`.
    void sample(const ReadOnlyRegistry& registry, double x, double seconds, std::string_view without = {});
    void tell_device(std::string text);
    /// A line that the trainer wrote; from any thread.
    void line(std::string_view text);

    // ---- who takes ----

    void ask() { wanted_.store(true, std::memory_order_relaxed); }
    /// take(name of the series, point) for each that is there, in order.
    template <class Take>
    void drain(Take take) {
        if (released()) return;
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        for (; tail != head; ++tail) {
            const Entry entry = ring_[tail % capacity];
            while (entry.series >= names_seen_.size()) see_names();
            take(names_seen_[entry.series], entry.point);
            tail_.store(tail + 1, std::memory_order_release);
        }
    }
    /// Gives the memory of the ring back. The trainer must be gone; what anybody would put nevertheless is dropped.
    void release();
    bool released() const { return ring_.empty(); }
    std::vector<std::string> take_lines();
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    std::string device() const;

private:
    struct Entry {
        std::uint32_t series = 0;
        Point point{};
    };
    void see_names();

    std::vector<Entry> ring_;
    alignas(64) std::atomic<std::uint64_t> head_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
    alignas(64) std::atomic<std::uint64_t> dropped_{0};
    const void* owner_ = nullptr;
    std::atomic<bool> open_{true}, wanted_{false};
    std::vector<std::string> names_seen_;  ///< of who takes
    mutable std::mutex mutex_;             // of what follows; held for a moment
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<std::string> names_, lines_;
    std::string device_;
};

/// Is a value of this type one number?
bool is_number_type(std::string_view type);

}  // namespace sigma::monitor
