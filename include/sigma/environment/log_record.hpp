// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

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

// "2026-11-21 14:03:07.123", local time
std::string time_text(std::chrono::system_clock::time_point time);

// "2026-11-21 14:03:07.123 warning  digits: the message"; further lines of a message stay what they are.
std::string log_line(LogLevel level, std::chrono::system_clock::time_point time, std::string_view source,
                     std::string_view message);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/log_record.ipp>
#endif
