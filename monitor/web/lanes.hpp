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
#include <thread>

namespace sigma::monitor {

/// Work that may wait, for a trainer's next step say, on threads of its own: each name has a lane, and who waits in one
/// holds up no other. Any thread may give.
class Lanes {
public:
    static constexpr std::size_t at_once = 8, waiting = 64;  ///< of a lane

    Lanes() = default;
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;
    ~Lanes() { join(); }
    /// False where too many wait in that lane already, or `join` was called.
    bool give(const std::string& lane, std::function<void()> work);
    /// Waits for what was given.
    void join();

private:
    struct Lane {
        std::deque<std::function<void()>> waiting{};
        std::size_t threads = 0;
    };
    void run(const std::string& name);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Lane> lanes_;
    std::size_t threads_ = 0;
    std::list<std::thread> ended_;  ///< to be joined
    std::map<std::thread::id, std::thread> running_;
    bool closed_ = false;
};

}  // namespace sigma::monitor
