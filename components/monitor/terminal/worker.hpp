// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace sigma::monitor {

/// A thread that calls functions in order, so that waiting for a trainer does not delay the keys.
class Worker {
public:
    Worker() : thread_([this] { run(); }) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Drops functions that have not begun.
    ~Worker() {
        {
            const std::scoped_lock lock(mutex_);
            stopping_ = true;
        }
        given_.notify_one();
        thread_.join();
    }

    /// Adds a function, which must not throw.
    void give(std::function<void()> function) {
        {
            const std::scoped_lock lock(mutex_);
            functions_.push_back(std::move(function));
        }
        given_.notify_one();
    }

private:
    void run() {
        for (;;) {
            std::function<void()> function;
            {
                std::unique_lock lock(mutex_);
                given_.wait(lock, [&] { return stopping_ || !functions_.empty(); });
                if (stopping_) return;
                function = std::move(functions_.front());
                functions_.pop_front();
            }
            function();
        }
    }

    std::mutex mutex_;
    std::condition_variable given_;
    bool stopping_ = false;
    std::deque<std::function<void()>> functions_;
    std::thread thread_;  // last: it uses all other members
};

}  // namespace sigma::monitor
