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

/// The common parts of a monitor, from which those of `Web` and `Terminal` derive. The destructor of a derived class
/// calls `follow_none` and `board.quiet` before it destroys members that the board's thread or logs call.
struct Monitor::Parts {
    explicit Parts(Board::Options options) : board(std::move(options)) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    virtual ~Parts() = default;

    /// Returns whether the monitor can show anything; else trainers print as without a monitor.
    virtual bool wanted() const { return true; }
    virtual void show(Panel panel) = 0;
    virtual void on_start(std::string trainer, std::function<void()> begin) {
        board.on_start(std::move(trainer), std::move(begin));
    }
    /// Returns the function for a sink of a log, which may be called even after the sink was removed.
    virtual std::function<void(const LogRecord&)> follower() = 0;

    void follow(const sigma::detail::Log& messages);
    void follow_none();

    Board board;

private:
    std::mutex mutex_;  // guards the logs
    std::vector<std::pair<sigma::detail::Log, std::shared_ptr<CallbackSink>>> logs_;
};

}  // namespace sigma::monitor
