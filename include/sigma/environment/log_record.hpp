// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

namespace sigma {

/// How much a message matters. A sink with the level `off` takes none.
enum class LogLevel : unsigned char { trace, debug, info, warning, error, critical, off };

/// "trace", "debug", …
constexpr std::string_view level_text(LogLevel level) {
    constexpr std::array<std::string_view, 7> texts = {"trace", "debug", "info", "warning", "error", "critical", "off"};
    return texts[static_cast<std::size_t>(level)];
}

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
inline std::string time_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    std::array<char, 32> digits{};
    std::strftime(digits.data(), digits.size(), "%Y-%m-%d %H:%M:%S", &parts);
    std::array<char, 8> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>((since % 1000 + 1000) % 1000));
    return sentence(digits.data(), fraction.data());
}

// "2026-11-21 14:03:07.123 warning  digits: the message"; further lines of a message stay what they are.
inline std::string log_line(LogLevel level, std::chrono::system_clock::time_point time, std::string_view source,
                            std::string_view message) {
    std::string line = sentence(time_text(time), ' ', level_text(level));
    line.append(9 - level_text(level).size(), ' ');
    return sentence(line, source, source.empty() ? "" : ": ", message, '\n');
}

}  // namespace detail
}  // namespace sigma
