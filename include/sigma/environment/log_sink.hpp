// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/log_record.hpp>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <utility>

#include <unistd.h>

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

    void deliver(const LogRecord& record) noexcept {
        thread_local const LogSink* within = nullptr;
        if (record.level < level() || within == this) return;  // a callback that logs does not get its own messages
        const LogSink* const outer = std::exchange(within, this);
        try {
            std::lock_guard lock(mutex_);
            take(record);
        } catch (...) {
            ++failures_;
        }
        within = outer;
    }

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
    CallbackSink(std::function<void(const LogRecord&)> function, LogLevel least = LogLevel::info)
        : LogSink(least), function_(std::move(function)) {}

protected:
    void take(const LogRecord& record) override { function_(record); }

private:
    std::function<void(const LogRecord&)> function_;
};

/// Prints to a file that is open: standard error, say. Levels are coloured where a person sees them: on a terminal that
/// is not "dumb", unless NO_COLOR is set (no-color.org).
class TerminalSink : public LogSink {
public:
    explicit TerminalSink(LogLevel least = LogLevel::info, std::FILE* file = stderr)
        : TerminalSink(least, file, wants_colour(file)) {}
    TerminalSink(LogLevel least, std::FILE* file, bool coloured) : LogSink(least), file_(file), coloured_(coloured) {}

    static bool wants_colour(std::FILE* file) {
        const char* const none = std::getenv("NO_COLOR");
        const char* const kind = std::getenv("TERM");
        return ::isatty(::fileno(file)) == 1 && (none == nullptr || *none == '\0') &&
               (kind == nullptr || std::string_view(kind) != "dumb");
    }

protected:
    void take(const LogRecord& record) override {
        constexpr std::array<const char*, 6> colours = {"\033[2m",  "\033[36m", "\033[32m",
                                                        "\033[33m", "\033[31m", "\033[1;31m"};
        std::string text(record.line);
        if (coloured_) {
            const auto name = level_text(record.level);
            const std::size_t at = text.find(name);  // times contain no letters
            text.insert(at + name.size(), "\033[0m");
            text.insert(at, colours[static_cast<std::size_t>(record.level)]);
        }
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0)
            throw Error("a terminal does not take what is printed");
    }

private:
    std::FILE* file_;
    bool coloured_;
};

}  // namespace sigma
