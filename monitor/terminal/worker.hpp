// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace sigma::monitor {

/// A thread that calls functions, in order: what waits for a trainer does not keep the keys waiting.
class Worker {
public:
    Worker() : thread_([this] { run(); }) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Those that have not begun are forgotten.
    ~Worker() {
        {
            const std::scoped_lock lock(mutex_);
            stopping_ = true;
        }
        given_.notify_one();
        thread_.join();
    }

    /// It must not throw.
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
    std::thread thread_;  // last: it uses all of it
};

}  // namespace sigma::monitor
