// SPDX-License-Identifier: BSL-1.0
#pragma once

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

/// How much a message matters. A sink with the level `off` takes none.
enum class LogLevel : unsigned char { trace, debug, info, warning, error, critical, off };

namespace detail {

/// "trace", "debug", …
constexpr std::string_view level_text(LogLevel level) {
    constexpr std::array<std::string_view, 7> texts = {"trace", "debug", "info", "warning", "error", "critical", "off"};
    return texts[static_cast<std::size_t>(level)];
}

}  // namespace detail

/// One message, as sinks get it. The texts live only as long as the call.
struct LogRecord {
    LogLevel level;
    std::chrono::system_clock::time_point time;
    std::string_view source;  ///< name of the log
    std::string_view message;
    std::string_view line;  ///< the message as files show it, with its line end
};

namespace detail {

// "2026-11-21 14:03:07.123 warning  digits: the message"; further lines of a message stay what they are.
std::string log_line(LogLevel level, std::chrono::system_clock::time_point time, std::string_view source,
                     std::string_view message);

}  // namespace detail

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

namespace detail {

/// Sizes of a log's files. A file that would grow over `bytes` becomes FILE.1, the one before FILE.2, and so on; there
/// are at most `files` in all.
struct Rotation {
    std::uint64_t bytes = 15 << 20;
    int files = 5;
};

}  // namespace detail

/// Appends to a file, each message at once, and begins new files as they grow. Folders are made as needed.
class FileSink : public LogSink {
public:
    /// Throws DataError when the file cannot be opened, ArgumentError for less than one file or byte.
    explicit FileSink(std::filesystem::path path, LogLevel least = LogLevel::debug, detail::Rotation rotation = {});
    ~FileSink() override;

    const std::filesystem::path& path() const& { return path_; }
    std::filesystem::path path() && { return path_; }

protected:
    void take(const LogRecord& record) override;

private:
    [[noreturn]] void refuse(const char* expected) const;
    void open();
    std::filesystem::path numbered(int number) const;
    void rotate();

    std::filesystem::path path_;
    detail::Rotation rotation_;
    std::FILE* file_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace sigma

namespace sigma::detail {

/// Messages of programs that train. The parts of a message are texts and numbers, as in sentence():
///
///     Log log("lab");
///     log.to_terminal();                                // info and above, coloured on a terminal
///     log.to_file("lab.log", LogLevel::debug);          // rotating: 15 MiB, five files
///     log.info("epoch ", epoch, ", error ", error);
///
/// Any thread may write; nothing is thrown at it. Copies, and `named` ones, share their sinks. The text of a
/// message that no sink wants is not made.
class Log {
public:
    explicit Log(std::string name = {}) : shared_(std::make_shared<Shared>()), name_(std::move(name)) {}

    /// The same sinks for messages under another name: a trainer's.
    Log named(std::string name) const { return Log(shared_, std::move(name)); }
    const std::string& name() const& { return name_; }
    std::string name() && { return name_; }

    std::shared_ptr<TerminalSink> to_terminal(LogLevel least = LogLevel::info, std::FILE* file = stderr);
    /// Throws DataError when the file cannot be opened.
    std::shared_ptr<FileSink> to_file(std::filesystem::path path, LogLevel least = LogLevel::debug,
                                      Rotation rotation = {});
    /// The function is called by one thread at a time; what it throws is counted (`failures`) and forgotten.
    std::shared_ptr<CallbackSink> to(std::function<void(const LogRecord&)> function, LogLevel least = LogLevel::info);
    /// Any sink; the level of one may be changed at any time through what is returned.
    template <class Sink>
    std::shared_ptr<Sink> add(std::shared_ptr<Sink> sink) {
        change([&](Sinks& sinks) { sinks.push_back(sink); });
        return sink;
    }
    void remove(const std::shared_ptr<LogSink>& sink);

    /// Whether any sink wants messages of this level.
    bool enabled(LogLevel level) const;
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
        } catch (...) {  // out of memory: no reason to end a training
        }
    }
    template <class... Parts>
    void trace(const Parts&... parts) const noexcept {
        write(LogLevel::trace, parts...);
    }
    template <class... Parts>
    void debug(const Parts&... parts) const noexcept {
        write(LogLevel::debug, parts...);
    }
    template <class... Parts>
    void info(const Parts&... parts) const noexcept {
        write(LogLevel::info, parts...);
    }
    template <class... Parts>
    void warning(const Parts&... parts) const noexcept {
        write(LogLevel::warning, parts...);
    }
    template <class... Parts>
    void error(const Parts&... parts) const noexcept {
        write(LogLevel::error, parts...);
    }
    template <class... Parts>
    void critical(const Parts&... parts) const noexcept {
        write(LogLevel::critical, parts...);
    }

private:
    using Sinks = std::vector<std::shared_ptr<LogSink>>;
    // Writers take a copy of the list, so that none waits for the sinks of another.
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
