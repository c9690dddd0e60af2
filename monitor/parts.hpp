// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/log.hpp>
#include <sigma/monitor/monitor.hpp>

#include "board.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// What a monitor of any kind consists of; those of a kind derive. Their destructor calls `follow_none` and
/// `board.quiet` before what the board's thread and logs call is gone.
struct Monitor::Parts {
    explicit Parts(Board::Options options) : board(std::move(options)) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    virtual ~Parts() = default;

    /// Whether anybody may ever look; else trainers print what they print without a monitor.
    virtual bool wanted() const { return true; }
    virtual void show(Panel panel) = 0;
    virtual void on_start(std::string trainer, std::function<void()> begin) {
        board.on_start(std::move(trainer), std::move(begin));
    }
    /// What a sink of a log calls, also when it was removed meanwhile.
    virtual std::function<void(const LogRecord&)> follower() = 0;

    void follow(const sigma::detail::Log& messages);
    void follow_none();

    Board board;

private:
    std::mutex mutex_;  // of the logs that are followed
    std::vector<std::pair<sigma::detail::Log, std::shared_ptr<CallbackSink>>> logs_;
};

}  // namespace sigma::monitor
