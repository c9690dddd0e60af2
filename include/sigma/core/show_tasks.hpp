// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sigma {

/// "1.5 MB" of 1500000 "bytes", "1500000 records" of others.
inline std::string amount_text(std::uint64_t amount, std::string_view unit) {
    if (unit != "bytes") return sentence(amount, ' ', unit);
    double size = static_cast<double>(amount);
    std::size_t power = 0;
    constexpr std::string_view units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    for (; size >= 999.95 && power + 1 < std::size(units); ++power) size /= 1000;
    return sentence(detail::fixed_text(size, power == 0 ? 0 : 1), ' ', units[power]);
}

/// A line of `width` characters at most, without a line break:
/// "download mnist.gz  45 %, 4.5 MB of 9.9 MB, 1.2 MB/s"
inline std::string task_line(const TaskView& view, std::size_t width,
                             std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()) {
    std::string numbers = "  ";
    if (const auto progress = view.progress()) {
        numbers += sentence(static_cast<int>(*progress * 100), " %, ");
        numbers += sentence(amount_text(view.done(), view.unit()), " of ", amount_text(*view.total(), view.unit()));
    } else {
        numbers += amount_text(view.done(), view.unit());
    }
    const std::chrono::duration<double> seconds = now - view.begun();
    if (view.unit() == "bytes" && seconds.count() >= 0.5) {
        const double rate = static_cast<double>(view.done()) / seconds.count();
        numbers += sentence(", ", amount_text(static_cast<std::uint64_t>(rate), "bytes"), "/s");
    }
    std::string name = sentence(task_word(view.kind()), ' ', view.description());
    // A name may come from a server or an archive: what would move the cursor, or break a character apart, is not
    // shown.
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    if (numbers.size() >= width) numbers.clear();
    if (const std::size_t room = width - numbers.size(); name.size() > room)
        name = room > 3 ? sentence("...", name.substr(name.size() - (room - 3))) : name.substr(0, room);
    return name + numbers;
}

/// Writes the task that moved last on one line of `file`, over and over, and leaves nothing behind when all have ended.
class TaskLine {
public:
    TaskLine(std::FILE* file, std::size_t width) : file_(file), width_(width) {}
    TaskLine(const TaskLine&) = delete;
    TaskLine& operator=(const TaskLine&) = delete;
    ~TaskLine() { clear(); }

    void operator()(const TaskView& view, TaskEvent event) {
        if (event == TaskEvent::ended) {
            if (view.number() == shown_) clear();
        } else if (event == TaskEvent::advanced) {
            // What the last line had more is overwritten.
            std::string line = task_line(view, width_);
            const std::size_t size = line.size();
            line.resize(std::max(size, length_), ' ');
            write(sentence('\r', line));
            length_ = size;
            shown_ = view.number();
        }
    }

private:
    void clear() {
        if (shown_ != 0) write(sentence('\r', std::string(length_, ' '), '\r'));
        shown_ = length_ = 0;
    }
    void write(const std::string& text) {
        std::fputs(text.c_str(), file_);
        std::fflush(file_);
    }

    std::FILE* file_;
    std::size_t width_;
    std::size_t length_ = 0;
    std::uint64_t shown_ = 0;  // its number
};

/// A progress line on standard error for downloads and other long steps, as long as what it returns lives. Nothing
/// where standard error is no terminal.
///
///     const auto shown = show_tasks();
[[nodiscard]] inline std::optional<TaskListener> show_tasks() {
    if (::isatty(STDERR_FILENO) == 0) return {};
    ::winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    // In the last column the cursor would go to the next line.
    const auto line = std::make_shared<TaskLine>(stderr, known ? std::size_t{size.ws_col} - 1 : 79);
    return on_task([line](const TaskView& view, TaskEvent event) { (*line)(view, event); });
}

}  // namespace sigma
