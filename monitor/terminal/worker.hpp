// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace sigma::monitor {

/// A thread that calls functions, in order: what waits for a trainer does not keep the keys waiting.
class Worker {
public:
    Worker() : thread_([this](const std::stop_token& stop) { run(stop); }) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Those that have not begun are forgotten.
    ~Worker() {
        thread_.request_stop();
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
    void run(const std::stop_token& stop) {
        for (;;) {
            std::function<void()> function;
            {
                std::unique_lock lock(mutex_);
                given_.wait(lock, stop, [&] { return !functions_.empty(); });
                if (stop.stop_requested()) return;
                function = std::move(functions_.front());
                functions_.pop_front();
            }
            function();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any given_;
    std::deque<std::function<void()>> functions_;
    std::jthread thread_;  // last: it uses all of it
};

}  // namespace sigma::monitor
