// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/environment/log_sink.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sigma {

SIGMA_IMPL void LogSink::deliver(const LogRecord& record) noexcept {
    thread_local const LogSink* within = nullptr;
    if (record.level < level() || within == this) return;  // a callback that logs does not get its own messages
    const LogSink* const outer = std::exchange(within, this);
    try {
        std::lock_guard lock(mutex_);
        take(record);
    } catch (...) { ++failures_; }
    within = outer;
}

SIGMA_IMPL CallbackSink::CallbackSink(std::function<void(const LogRecord&)> function, LogLevel least)
    : LogSink(least), function_(std::move(function)) {}

SIGMA_IMPL TerminalSink::TerminalSink(LogLevel least, std::FILE* file)
    : TerminalSink(least, file, wants_colour(file)) {}

SIGMA_IMPL bool TerminalSink::wants_colour(std::FILE* file) {
    const char* const none = std::getenv("NO_COLOR");
    return terminal::is_interactive(file) && (none == nullptr || *none == '\0');
}

SIGMA_IMPL void TerminalSink::take(const LogRecord& record) {
    constexpr std::array<const char*, 6> colours = {"\033[2m",  "\033[36m", "\033[32m",
                                                    "\033[33m", "\033[31m", "\033[1;31m"};
    std::string text(record.line);
    if (coloured_) {
        const auto name = detail::level_text(record.level);
        const std::size_t at = text.find(name);  // times contain no letters
        text.insert(at + name.size(), "\033[0m");
        text.insert(at, colours[static_cast<std::size_t>(record.level)]);
    }
    if (!terminal::print(file_, text)) throw Error("a terminal does not take what is printed");
}

}  // namespace sigma
