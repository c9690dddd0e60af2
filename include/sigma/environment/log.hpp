// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Logs: messages with levels, on the terminal, in files, or to a function. Included by
/// `<sigma/environment/environment.hpp>`.

#include <sigma/core/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// The importance of a message, from the least to the most important.
///
/// @see Log
enum class LogLevel : unsigned char {
    trace,     ///< single steps, for finding errors
    debug,     ///< details; files get them by default
    info,      ///< progress; terminals get it by default
    warning,   ///< something unexpected happened
    error,     ///< something failed
    critical,  ///< the program cannot continue
    off        ///< a sink with this level takes no messages
};

namespace detail {

/// Returns the name of a level: "trace", "debug", …
constexpr std::string_view level_text(LogLevel level) {
    constexpr std::array<std::string_view, 7> texts = {"trace", "debug", "info", "warning", "error", "critical", "off"};
    return texts[static_cast<std::size_t>(level)];
}

}  // namespace detail

/// A message as sinks get it. The texts live only as long as the call.
///
/// @see LogSink::take
struct LogRecord {
    LogLevel level;                              ///< importance of the message
    std::chrono::system_clock::time_point time;  ///< time at which it was written
    std::string_view source;                     ///< name of the log
    std::string_view message;                    ///< text of the message
    std::string_view line;                       ///< the message as files show it, with its line end
};

namespace detail {

// Returns "2026-11-21 14:03:07.123 warning  digits: the message". Further lines of a message are not changed.
std::string log_line(LogLevel level, std::chrono::system_clock::time_point time, std::string_view source,
                     std::string_view message);

}  // namespace detail

/// The base of destinations for messages. A derived class has `take`, which one thread at a time calls.
///
/// @see TerminalSink, FileSink, CallbackSink
class LogSink {
public:
    /// Constructs a sink.
    /// @param least  level of the least important messages that it takes
    explicit LogSink(LogLevel least) : level_(least) {}
    virtual ~LogSink() = default;
    LogSink(const LogSink&) = delete;
    LogSink& operator=(const LogSink&) = delete;

    /// Returns the level of the least important messages that the sink takes.
    /// @return the level
    LogLevel level() const noexcept { return level_.load(std::memory_order_relaxed); }
    /// Sets the level, from the next message on.
    /// @param least  level of the least important messages that the sink takes
    void level(LogLevel least) noexcept { level_.store(least, std::memory_order_relaxed); }
    /// Returns the number of messages that could not be delivered. A log never throws at its writers.
    /// @return the number
    std::uint64_t failures() const noexcept { return failures_.load(); }

    /// Passes a message to `take`, and counts a failure if that throws.
    /// @param record  the message
    void deliver(const LogRecord& record) noexcept;

protected:
    /// Writes a message. May throw, which counts as a failure.
    /// @param record  the message
    virtual void take(const LogRecord& record) = 0;

private:
    std::mutex mutex_;
    std::atomic<LogLevel> level_;
    std::atomic<std::uint64_t> failures_{0};
};

/// A sink that calls a function with each message.
///
/// @see Sigma
class CallbackSink : public LogSink {
public:
    /// Constructs a sink.
    /// @param function  function of a message
    /// @param least     level of the least important messages that the sink takes (default: info)
    CallbackSink(std::function<void(const LogRecord&)> function, LogLevel least = LogLevel::info);

protected:
    /// Calls the function.
    void take(const LogRecord& record) override { function_(record); }

private:
    std::function<void(const LogRecord&)> function_;
};

/// A sink that prints to an open file, such as standard error, above a status line.
///
/// Levels are coloured if the file is a terminal other than "dumb" and NO_COLOR is not set (no-color.org).
///
/// @see Sigma
class TerminalSink : public LogSink {
public:
    /// Constructs a sink, which is coloured if the file is a terminal that supports it.
    /// @param least  level of the least important messages that the sink takes (default: info)
    /// @param file   open file (default: standard error)
    explicit TerminalSink(LogLevel least = LogLevel::info, std::FILE* file = stderr);
    /// Constructs a sink with or without colours.
    /// @param least     level of the least important messages that the sink takes
    /// @param file      open file
    /// @param coloured  whether levels are coloured
    TerminalSink(LogLevel least, std::FILE* file, bool coloured) : LogSink(least), file_(file), coloured_(coloured) {}

    /// Returns whether a file is a terminal that supports colours, and NO_COLOR is not set.
    /// @param file  open file
    /// @return true if so
    static bool wants_colour(std::FILE* file);

protected:
    /// Prints a message.
    SIGMA_IMPL void take(const LogRecord& record) override;

private:
    std::FILE* file_;
    bool coloured_;
};

/// Limits of the files of a log. A file that would grow over `bytes` is renamed to FILE.1, the one before to FILE.2,
/// and so on. There are at most `files` files.
///
/// @see FileSink
struct LogRotation {
    std::uint64_t bytes = 15 << 20;  ///< largest size of a file in bytes, 1 or more (15 MiB)
    int files = 5;                   ///< number of files, 1 or more
};

/// A sink that appends to a file, each message at once, and begins a new file when the file is full. Makes missing
/// folders.
///
/// @see Sigma
class FileSink : public LogSink {
public:
    /// Constructs a sink and opens its file.
    /// @param path      name of the file
    /// @param least     level of the least important messages that the sink takes (default: debug)
    /// @param rotation  size and number of files (default: 5 files of 15 MiB)
    /// @throws DataError      if the file cannot be opened
    /// @throws ArgumentError  if `rotation.files` or `rotation.bytes` is less than 1
    explicit FileSink(std::filesystem::path path, LogLevel least = LogLevel::debug, LogRotation rotation = {});
    /// Closes the file.
    SIGMA_IMPL ~FileSink() override;

    /// Returns the name of the file.
    /// @return the name
    const std::filesystem::path& path() const& { return path_; }
    /// @overload
    std::filesystem::path path() && { return path_; }

protected:
    /// Appends a message.
    SIGMA_IMPL void take(const LogRecord& record) override;

private:
    [[noreturn]] void refuse(const char* expected) const;
    void open();
    std::filesystem::path numbered(int number) const;
    void rotate();

    std::filesystem::path path_;
    LogRotation rotation_;
    std::FILE* file_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace sigma

namespace sigma::detail {

/// A log: messages with levels for any number of sinks. `sigma.log` of an environment is one.
///
/// The parts of a message are texts and numbers. Any thread may write, and writing never throws. Copies share their
/// sinks, and so do the logs of `named`. A message that no sink takes is not formatted.
///
/// @par Example
/// @code
/// Sigma sigma("lab");
/// sigma.log.to_terminal();                        // info and above, coloured on a terminal
/// sigma.log.to_file("lab.log", LogLevel::debug);  // 5 files of 15 MiB
/// sigma.log.info("epoch ", 3, ", error ", 0.25);
/// @endcode
class Log {
public:
    /// Constructs a log without sinks.
    /// @param name  name in its messages
    explicit Log(std::string name = {}) : shared_(std::make_shared<Shared>()), name_(std::move(name)) {}

    /// Returns a log with the same sinks and another name in its messages, such as that of a trainer.
    /// @param name  name in its messages
    /// @return the log
    Log named(std::string name) const { return Log(shared_, std::move(name)); }
    /// Returns the name in its messages.
    /// @return the name
    const std::string& name() const& { return name_; }
    /// @overload
    std::string name() && { return name_; }

    /// Adds a sink that prints to a terminal or another open file.
    /// @param least  level of the least important messages that the sink takes (default: info)
    /// @param file   open file (default: standard error)
    /// @return the sink, for changing its level
    std::shared_ptr<TerminalSink> to_terminal(LogLevel least = LogLevel::info, std::FILE* file = stderr);
    /// Adds a sink that appends to a file.
    /// @param path      name of the file
    /// @param least     level of the least important messages that the sink takes (default: debug)
    /// @param rotation  size and number of files (default: 5 files of 15 MiB)
    /// @return the sink, for changing its level
    /// @throws DataError      if the file cannot be opened
    /// @throws ArgumentError  if `rotation.files` or `rotation.bytes` is less than 1
    std::shared_ptr<FileSink> to_file(std::filesystem::path path, LogLevel least = LogLevel::debug,
                                      LogRotation rotation = {});
    /// Adds a sink that calls a function. One thread at a time calls it. Its exceptions are counted (`failures`) and
    /// ignored.
    /// @param function  function of a message
    /// @param least     level of the least important messages that the sink takes (default: info)
    /// @return the sink, for changing its level
    std::shared_ptr<CallbackSink> to(std::function<void(const LogRecord&)> function, LogLevel least = LogLevel::info);
    /// Adds any sink.
    /// @param sink  object of a class derived from LogSink
    /// @return the sink
    template <class Sink>
    std::shared_ptr<Sink> add(std::shared_ptr<Sink> sink) {
        change([&](Sinks& sinks) { sinks.push_back(sink); });
        return sink;
    }
    /// Removes a sink.
    /// @param sink  sink to remove
    void remove(const std::shared_ptr<LogSink>& sink);

    /// Returns whether any sink takes messages of this level.
    /// @param level  level of a message
    /// @return true if so
    bool enabled(LogLevel level) const;
    /// Writes a message. Never throws.
    /// @param level  importance of the message
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void write(LogLevel level, const Parts&... parts) const noexcept {
        if (!shared_->any.load(std::memory_order_relaxed) || level >= LogLevel::off) return;
        try {
            const auto sinks = present();
            if (std::ranges::none_of(*sinks, [&](const auto& sink) { return level >= sink->level(); })) return;
            const auto now = std::chrono::system_clock::now();
            const std::string message = sentence(parts...);
            const std::string line = detail::log_line(level, now, name_, message);
            for (const auto& sink : *sinks) sink->deliver({level, now, name_, message, line});
        } catch (...) {  // out of memory is no reason to end a training run
        }
    }
    /// Writes a message of level trace.
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void trace(const Parts&... parts) const noexcept {
        write(LogLevel::trace, parts...);
    }
    /// Writes a message of level debug.
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void debug(const Parts&... parts) const noexcept {
        write(LogLevel::debug, parts...);
    }
    /// Writes a message of level info.
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void info(const Parts&... parts) const noexcept {
        write(LogLevel::info, parts...);
    }
    /// Writes a message of level warning.
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void warning(const Parts&... parts) const noexcept {
        write(LogLevel::warning, parts...);
    }
    /// Writes a message of level error.
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void error(const Parts&... parts) const noexcept {
        write(LogLevel::error, parts...);
    }
    /// Writes a message of level critical.
    /// @param parts  texts and numbers, which are joined
    template <class... Parts>
    void critical(const Parts&... parts) const noexcept {
        write(LogLevel::critical, parts...);
    }

private:
    using Sinks = std::vector<std::shared_ptr<LogSink>>;
    // Writers copy the list, so that no writer waits for the sinks of another.
    struct Shared {
        std::mutex mutex;
        std::shared_ptr<const Sinks> sinks = std::make_shared<const Sinks>();
        std::atomic<bool> any{false};
    };

    Log(std::shared_ptr<Shared> shared, std::string name) : shared_(std::move(shared)), name_(std::move(name)) {}

    std::shared_ptr<const Sinks> present() const;
    template <class F>
    void change(F f) {
        std::lock_guard lock(shared_->mutex);
        Sinks sinks = *shared_->sinks;
        f(sinks);
        shared_->any = !sinks.empty();
        shared_->sinks = std::make_shared<const Sinks>(std::move(sinks));
    }

    std::shared_ptr<Shared> shared_;
    std::string name_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/log.ipp>
#endif
