// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sigma {

/// "1.5 MB" of 1500000 "bytes", "1500000 records" of others.
std::string amount_text(std::uint64_t amount, std::string_view unit);

/// A line of `width` characters at most, without a line break:
/// "download mnist.gz  45 %, 4.5 MB of 9.9 MB, 1.2 MB/s"
std::string task_line(const TaskView& view, std::size_t width,
                      std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

/// Writes the task that moved last on one line of `file`, over and over, and leaves nothing behind when all have ended.
class TaskLine {
public:
    TaskLine(std::FILE* file, std::size_t width) : file_(file), width_(width) {}
    TaskLine(const TaskLine&) = delete;
    TaskLine& operator=(const TaskLine&) = delete;
    ~TaskLine() { clear(); }

    void operator()(const TaskView& view, TaskEvent event);

private:
    void clear();
    void write(const std::string& text);

    std::FILE* file_;
    std::size_t width_;
    std::size_t length_ = 0;
    std::uint64_t shown_ = 0;  // its number
};

/// A progress line on standard error for downloads and other long steps, as long as what it returns lives. Nothing
/// where standard error is no terminal.
///
///     const auto shown = show_tasks();
[[nodiscard]] std::optional<TaskListener> show_tasks();

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/show_tasks.ipp>
#endif
