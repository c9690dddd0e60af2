// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/core/terminal.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace sigma {

namespace detail {

/// "1.5 MB" of 1500000 "bytes", "1500000 records" of others.
std::string amount_text(std::uint64_t amount, std::string_view unit);

/// A line of `width` columns at most, without a line break:
/// "download mnist.gz  45 %, 4.5 MB of 9.9 MB, 1.2 MB/s"
std::string task_line(const TaskView& view, std::size_t width,
                      std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now(),
                      bool utf8 = terminal::has_utf8());

/// Shows the task that moved last in the status line of a terminal, and leaves nothing behind when all have ended.
class TaskLine {
public:
    explicit TaskLine(std::FILE* file = stderr) : status_(file) {}
    TaskLine(std::FILE* file, bool interactive) : status_(file, interactive) {}

    void operator()(const TaskView& view, TaskEvent event);

private:
    terminal::StatusLine status_;
    std::uint64_t shown_ = 0;  // its number
};

}  // namespace detail

/// A status line on standard error for downloads and other long steps, as long as what it returns lives. Nothing
/// where standard error is no terminal.
///
///     const auto shown = show_tasks();
[[nodiscard]] std::optional<TaskListener> show_tasks();

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/show_tasks.ipp>
#endif
