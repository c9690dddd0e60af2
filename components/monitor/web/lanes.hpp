// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace sigma::monitor {

/// Threads for work that may wait, for example for a trainer's next step. Each name has a lane, and work that waits in
/// one lane does not delay others. Any thread may add work.
class Lanes {
public:
    static constexpr std::size_t at_once = 8, waiting = 64;  ///< threads and waiting jobs of a lane

    Lanes() = default;
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;
    ~Lanes() { join(); }
    /// Adds work to a lane. Returns false if too many jobs wait there, or `join` was called.
    bool give(const std::string& name, std::function<void()> work) {
        std::list<std::thread> ended;
        bool taken = false;
        {
            const std::scoped_lock lock(mutex_);
            ended.swap(ended_);
            Lane& lane = lanes_[name];
            if (!closed_ && lane.waiting.size() < waiting) {
                lane.waiting.push_back(std::move(work));
                taken = true;
                if (lane.threads < at_once) {
                    try {
                        std::thread next([this, name] { run(name); });  // starts to work once the lock is free
                        const auto id = next.get_id();
                        running_.emplace(id, std::move(next));
                        ++lane.threads;
                        ++threads_;
                    } catch (const std::system_error&) {  // the system has no more threads
                        if (lane.threads == 0) lane.waiting.pop_back(), taken = false;
                    }
                }
            }
        }
        for (std::thread& one : ended) one.join();
        return taken;
    }
    /// Waits for all work.
    void join() {
        std::unique_lock lock(mutex_);
        closed_ = true;
        changed_.wait(lock, [&] { return threads_ == 0; });
        std::list<std::thread> ended = std::exchange(ended_, {});
        lock.unlock();
        for (std::thread& one : ended) one.join();
    }

private:
    struct Lane {
        std::deque<std::function<void()>> waiting{};
        std::size_t threads = 0;
    };
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Lane> lanes_;
    std::size_t threads_ = 0;
    std::list<std::thread> ended_;  ///< threads to be joined
    std::map<std::thread::id, std::thread> running_;
    bool closed_ = false;

    /// Works until nothing waits in the lane; a thread is cheap compared with a step.
    void run(const std::string& name) {
        std::unique_lock lock(mutex_);
        Lane& lane = lanes_[name];
        while (!lane.waiting.empty()) {
            const auto work = std::move(lane.waiting.front());
            lane.waiting.pop_front();
            lock.unlock();
            work();
            lock.lock();
        }
        --lane.threads;
        --threads_;
        if (lane.threads == 0) lanes_.erase(name);
        const auto self = running_.find(std::this_thread::get_id());
        ended_.push_back(std::move(self->second));
        running_.erase(self);
        changed_.notify_all();
    }
};

}  // namespace sigma::monitor
