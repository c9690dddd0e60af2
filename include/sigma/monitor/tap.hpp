// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/series.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/trainer/worker_status.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
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

    /// A number of the run, of which `number_of` gave the series. Whether there was room for it.
    bool put(std::uint32_t series, const Point& point) noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == capacity) {
            dropped_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        ring_[head % capacity] = {series, point};
        head_.store(head + 1, std::memory_order_release);
        return true;
    }
    /// Of one that holds, only changes are put.
    std::uint32_t number_of(std::string_view name, bool holds = false);
    /// Where the run is now.
    void at(double x) {
        if (x < at_) known_.clear();  // it has gone back: what was known of later numbers is so no more
        at_ = x;
    }
    /// Whether `ask` was called since the last time.
    bool wanted() {
        if (!wanted_.load(std::memory_order_relaxed) || !wanted_.exchange(false, std::memory_order_relaxed))
            return false;
        epochs_ = std::min(epochs_ + 1, most_epochs);
        return true;
    }
    /// Whether numbers are to be sampled at the end of this epoch: of the first ones, and later of as many as were
    /// asked for, so that a run whose epochs are short is sampled by time like any other.
    bool epoch_wanted() {
        if (wanted()) return true;
        if (epochs_ == 0) return false;
        --epochs_;
        return true;
    }
    /// The numbers of the registry that have changed since the last time, but for the one that is `without`. What takes
    /// long is done the less often, but for the last time of a run. Was it done?
    bool sample(const ReadOnlyRegistry& registry, double x, double seconds, std::string_view without = {},
                bool last = false);
    /// A number that holds, where it has changed.
    void put_change(std::uint32_t series, const Point& point);
    void tell_device(std::string text);
    /// None where the run is not by workers.
    void tell_workers(std::vector<WorkerStatus> workers);
    /// A line that the trainer wrote; from any thread.
    void line(std::string_view text);

    // ---- who takes ----

    void ask() { wanted_.store(true, std::memory_order_relaxed); }
    /// take(name of the series, whether its numbers hold, point) for each that is there, in order.
    template <class Take>
    void drain(Take take) {
        if (released()) return;
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        for (; tail != head; ++tail) {
            const Entry entry = ring_[tail % capacity];
            while (entry.series >= names_seen_.size()) see_names();
            const Name& name = names_seen_[entry.series];
            take(name.text, name.holds, entry.point);
            tail_.store(tail + 1, std::memory_order_release);
        }
    }
    /// Gives the memory of the ring back. The trainer must be gone; what anybody would put nevertheless is dropped.
    void release();
    bool released() const { return ring_.empty(); }
    std::vector<std::string> take_lines();
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    std::string device() const;
    std::vector<WorkerStatus> workers() const;

private:
    static constexpr int most_epochs = 64;
    struct Name {
        std::string text;
        bool holds = false;
    };
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
    // Of the thread that trains: the bits of what each series holds, where that is known.
    std::vector<std::uint64_t> known_;
    double at_ = 0;
    int epochs_ = most_epochs;
    std::chrono::steady_clock::time_point rest_{};
    std::vector<Name> names_seen_;  ///< of who takes
    mutable std::mutex mutex_;      // of what follows; held for a moment
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<Name> names_;
    std::vector<std::string> lines_;
    std::string device_;
    std::vector<WorkerStatus> workers_;
};

/// Is a value of this type one number?
bool is_number_type(std::string_view type);

}  // namespace sigma::monitor
