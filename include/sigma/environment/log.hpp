// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/file_sink.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

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
