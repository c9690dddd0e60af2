// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Queue from the thread that trains to a monitor. An internal part of `<sigma/monitor/monitor.hpp>`.
#include <sigma/monitor/series.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/trainer/workers/worker_status.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// @cond internal
namespace sigma {
class Dataset;
}
namespace sigma::monitor {

/// A copy of a trained model: a function that predicts records. It needs no trainer.
struct ModelCopy {
    std::uint64_t epoch = 0, iteration = 0;
    std::function<std::vector<std::vector<double>>(const Dataset&)> predict{};
    bool last = false;  ///< copied at the end of a run
};

/// A queue with one writer, the thread that trains, and one reader, a monitor. Neither waits for the other. Points that
/// do not fit are counted and dropped.
class Tap {
public:
    static constexpr std::size_t capacity = 1 << 16;

    Tap();
    /// Returns whether the monitor still reads.
    bool open() const { return open_.load(std::memory_order_relaxed); }
    void close() { open_.store(false, std::memory_order_relaxed); }
    /// Sets the monitor that reads; call it before the first `put`.
    void belongs_to(const void* owner) { owner_ = owner; }
    const void* owner() const { return owner_; }

    // ---- the thread that trains ----

    /// Adds a point to the series that `number_of` returned. Returns false if the queue is full.
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
    /// Returns the number of a series. Only changes are put to a series that holds.
    std::uint32_t number_of(std::string_view name, bool holds = false);
    /// Sets the iteration of the run.
    void at(double x) {
        if (x < at_) known_.clear();  // the run was reset to an earlier iteration
        at_ = x;
    }
    /// Puts all numbers again, also unchanged ones: another record begins.
    void forget() { known_.clear(); }
    /// Returns whether `ask` was called since the last call.
    bool wanted() {
        if (!wanted_.load(std::memory_order_relaxed) || !wanted_.exchange(false, std::memory_order_relaxed))
            return false;
        epochs_ = std::min(epochs_ + 1, most_epochs);
        return true;
    }
    /// Returns whether numbers are to be sampled at the end of this epoch: at the first 64 epochs, and later as often
    /// as `ask` was called, so that a run with short epochs is sampled by time like any other.
    bool epoch_wanted() {
        if (wanted()) return true;
        if (epochs_ == 0) return false;
        --epochs_;
        return true;
    }
    /// Puts the numbers of the registry that have changed since the last call, except `without`. Sampling that takes
    /// long happens less often, except at the end of a run (`last`). Returns whether it sampled.
    bool sample(const ReadOnlyRegistry& registry, double x, double seconds, std::string_view without = {},
                bool last = false);
    /// Puts a number that holds if it has changed.
    void put_change(std::uint32_t series, const Point& point);
    void set_device(std::string text);
    /// Sets the state of the run's workers; empty for a run without workers.
    void set_workers(std::vector<WorkerStatus> workers);
    /// Returns whether the monitor wants a copy of the model at the end of this epoch, or of the run (`last`).
    bool model_wanted(std::uint64_t epoch, bool last) const {
        const std::uint64_t from = model_epoch_.load(std::memory_order_relaxed);
        return from != never && (last || epoch >= from);
    }
    /// Replaces a copy that the monitor has not taken.
    void put_model(ModelCopy copy);
    /// Adds a line that the trainer wrote; from any thread.
    void line(std::string_view text);
    /// Adds a checkpoint that the program has saved. A relative path is below the storage of the workspace in use.
    void saved(const std::string& file);

    // ---- the monitor ----

    void ask() { wanted_.store(true, std::memory_order_relaxed); }
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max(), at_end = never - 1;
    /// Wants one copy of the model at the end of this epoch or of a later one, and one at the end of the run. `at_end`:
    /// only that at the end of the run; `never`: none.
    void want_model(std::uint64_t epoch) { model_epoch_.store(epoch, std::memory_order_relaxed); }
    /// Returns the last copy, once; null if there is none.
    std::shared_ptr<const ModelCopy> take_model();
    /// Calls take(name of the series, whether its numbers hold, point) for each point in the queue, in order.
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
    /// Frees the memory of the queue after the trainer was destroyed. Later points are dropped.
    void release();
    bool released() const { return ring_.empty(); }
    std::vector<std::string> take_lines();
    /// Returns the absolute paths of the checkpoints that were saved since the last call.
    std::vector<std::string> take_saved();
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
    std::atomic<std::uint64_t> model_epoch_{never};
    // Used by the thread that trains: the bits of the last value of each series, if known.
    std::vector<std::uint64_t> known_;
    double at_ = 0;
    int epochs_ = most_epochs;
    std::chrono::steady_clock::time_point rest_{};
    std::vector<Name> names_seen_;  ///< used by the monitor
    mutable std::mutex mutex_;      // guards the members below; held briefly
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<Name> names_;
    std::vector<std::string> lines_, saved_;
    std::string device_;
    std::vector<WorkerStatus> workers_;
    std::shared_ptr<const ModelCopy> model_;
};

/// Returns whether a registry value of this type is one number.
bool is_number_type(std::string_view type);

}  // namespace sigma::monitor
/// @endcond
