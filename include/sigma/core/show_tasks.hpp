// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// A status line for downloads and other long steps: show_tasks. Include it yourself.

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

/// Returns an amount as a text: "1.5 MB" for 1500000 "bytes", "1500000 records" for other units.
std::string amount_text(std::uint64_t amount, std::string_view unit);

/// Returns a line of at most `width` columns, without a line break:
/// "download mnist.gz  45 %, 4.5 MB of 9.9 MB, 1.2 MB/s"
std::string task_line(const TaskView& view, std::size_t width,
                      std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now(),
                      bool utf8 = terminal::has_utf8());

/// Shows the task that advanced last in the status line of a terminal. The line disappears when that task ends.
class TaskLine {
public:
    explicit TaskLine(std::FILE* file = stderr) : status_(file) {}
    TaskLine(std::FILE* file, bool interactive) : status_(file, interactive) {}

    void operator()(const TaskView& view, TaskEvent event);

private:
    terminal::StatusLine status_;
    std::uint64_t shown_ = 0;  // number of the task that is shown, or 0
};

}  // namespace detail

/// Shows downloads and other long steps in a status line on standard error.
///
/// @return a listener: the line is shown until you destroy it. Nothing if standard error is not a terminal.
///
/// @par Example
/// @code
/// const auto shown = show_tasks();
/// auto digits = data::mnist();  // shows "download train-images-idx3-ubyte.gz  45 %, 4.5 MB of 9.9 MB, 1.2 MB/s"
/// @endcode
///
/// @see on_task
[[nodiscard]] std::optional<TaskListener> show_tasks();

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/show_tasks.ipp>
#endif
