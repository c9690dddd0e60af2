// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/batches/position.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A ring of slots that a thread of its own fills for the batches to come, at most `depth` ahead of the one in use. Nothing is
/// locked while a slot is filled. One thread takes batches.
template <class Slot>
class Ahead {
public:
    using Fill = std::function<void(Slot&, BatchPosition)>;

    /// `fill` runs on the other thread. The thread is started by the first `get`.
    Ahead(std::size_t depth, std::uint64_t batches_per_epoch, Fill fill)
        : slots_(depth + 1), per_epoch_(batches_per_epoch), fill_(std::move(fill)) {}
    ~Ahead() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        to_fill_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    /// All slots, to make room in them before the first `get`.
    std::vector<Slot>& slots() { return slots_; }
    /// The one in use.
    Slot& current() { return slots_[current_]; }

    /// The batch at this position, in use until the next call; no batch of epoch `end` or later is made ahead. Where it is
    /// not the one after the last, what was made ahead is thrown away. Throws what filling it threw; then the one before stays
    /// in use, and another call tries again.
    Slot& get(BatchPosition at, std::uint64_t end = std::numeric_limits<std::uint64_t>::max()) {
        std::unique_lock lock(mutex_);
        if (!active_ || at != next_) {
            forget();
            next_ = to_make_ = at;
            active_ = true;
        }
        end_ = std::max(end, at.epoch + 1);
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        to_fill_.notify_one();
        filled_.wait(lock, [&] { return ready_ > 0 || failure_; });
        if (ready_ == 0) {
            active_ = false;
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        current_ = after(current_, 1);
        --ready_;
        next_ = after(next_);
        to_fill_.notify_one();
        return slots_[current_];
    }
    /// Throws away what was made ahead; when it returns, nothing is being filled until the next `get`.
    void halt() {
        std::unique_lock lock(mutex_);
        forget();
        filled_.wait(lock, [&] { return !filling_; });
    }

private:
    std::vector<Slot> slots_;
    std::uint64_t per_epoch_;
    Fill fill_;

    std::mutex mutex_;
    std::condition_variable to_fill_, filled_;
    std::size_t current_ = 0, ready_ = 0;   ///< those that are ready follow the current one
    BatchPosition next_{}, to_make_{};      ///< of the first that is ready, or will be; of the next to be filled
    std::uint64_t end_ = 0, generation_ = 0;
    std::exception_ptr failure_;            ///< of the batch at to_make_
    bool active_ = false, filling_ = false, closed_ = false;
    std::thread thread_;

    std::size_t after(std::size_t slot, std::size_t by) const { return (slot + by) % slots_.size(); }
    BatchPosition after(BatchPosition p) const {
        return p.number + 1 < per_epoch_ ? BatchPosition{p.epoch, p.number + 1} : BatchPosition{p.epoch + 1, 0};
    }
    void forget() {
        ++generation_;
        ready_ = 0;
        failure_ = nullptr;
        active_ = false;
    }
    bool wanted() const { return active_ && !failure_ && ready_ + 1 < slots_.size() && to_make_.epoch < end_; }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            to_fill_.wait(lock, [&] { return closed_ || wanted(); });
            if (closed_) return;
            // Not the slot in use: that stays `ready_` and one before this, whatever is taken meanwhile, and when all is
            // thrown away it does not move until this is over.
            Slot& slot = slots_[after(current_, ready_ + 1)];
            const BatchPosition at = to_make_;
            const std::uint64_t generation = generation_;
            std::exception_ptr failure;
            filling_ = true;
            lock.unlock();
            try {
                fill_(slot, at);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            filling_ = false;
            if (generation == generation_) {
                failure_ = std::move(failure);
                if (!failure_) {
                    ++ready_;
                    to_make_ = after(to_make_);
                }
            }
            failure = nullptr;
            filled_.notify_all();
        }
    }
};

}  // namespace sigma::detail
