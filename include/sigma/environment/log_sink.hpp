// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/log_record.hpp>

#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>

namespace sigma {

/// Where messages of a level and above go. Deriving classes write `take`, which is called by one thread at a time.
class LogSink {
public:
    explicit LogSink(LogLevel least) : level_(least) {}
    virtual ~LogSink() = default;
    LogSink(const LogSink&) = delete;
    LogSink& operator=(const LogSink&) = delete;

    LogLevel level() const noexcept { return level_.load(std::memory_order_relaxed); }
    /// From the next message on.
    void level(LogLevel least) noexcept { level_.store(least, std::memory_order_relaxed); }
    /// Messages that could not be delivered: a log never throws at those who write to it.
    std::uint64_t failures() const noexcept { return failures_.load(); }

    void deliver(const LogRecord& record) noexcept;

protected:
    virtual void take(const LogRecord& record) = 0;

private:
    std::mutex mutex_;
    std::atomic<LogLevel> level_;
    std::atomic<std::uint64_t> failures_{0};
};

/// Gives each record to a function.
class CallbackSink : public LogSink {
public:
    CallbackSink(std::function<void(const LogRecord&)> function, LogLevel least = LogLevel::info);

protected:
    void take(const LogRecord& record) override { function_(record); }

private:
    std::function<void(const LogRecord&)> function_;
};

/// Prints to a file that is open, above a status line: standard error, say. Levels are coloured where a person sees
/// them: on a terminal that is not "dumb", unless NO_COLOR is set (no-color.org).
class TerminalSink : public LogSink {
public:
    explicit TerminalSink(LogLevel least = LogLevel::info, std::FILE* file = stderr);
    TerminalSink(LogLevel least, std::FILE* file, bool coloured) : LogSink(least), file_(file), coloured_(coloured) {}

    static bool wants_colour(std::FILE* file);

protected:
    void take(const LogRecord& record) override;

private:
    std::FILE* file_;
    bool coloured_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/log_sink.ipp>
#endif
