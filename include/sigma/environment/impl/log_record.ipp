// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/log_record.hpp>
#include <sigma/storage/process.hpp>

#include <ctime>

namespace sigma::detail {

SIGMA_IMPL std::string time_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
    const std::tm parts = storage::local_time(seconds);
    std::array<char, 32> digits{};
    std::strftime(digits.data(), digits.size(), "%Y-%m-%d %H:%M:%S", &parts);
    std::string fraction = sentence(1000 + (since % 1000 + 1000) % 1000);
    fraction[0] = '.';
    return sentence(digits.data(), fraction);
}

SIGMA_IMPL std::string log_line(LogLevel level, std::chrono::system_clock::time_point time, std::string_view source,
                                std::string_view message) {
    std::string line = sentence(time_text(time), ' ', level_text(level));
    line.append(9 - level_text(level).size(), ' ');
    return sentence(line, source, source.empty() ? "" : ": ", message, '\n');
}

}  // namespace sigma::detail
