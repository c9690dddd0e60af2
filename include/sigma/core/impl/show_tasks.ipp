// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/show_tasks.hpp>

#include <algorithm>
#include <memory>

namespace sigma {

SIGMA_IMPL std::string amount_text(std::uint64_t amount, std::string_view unit) {
    if (unit != "bytes") return sentence(amount, ' ', unit);
    double size = static_cast<double>(amount);
    std::size_t power = 0;
    constexpr std::string_view units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    for (; size >= 999.95 && power + 1 < std::size(units); ++power) size /= 1000;
    return sentence(detail::fixed_text(size, power == 0 ? 0 : 1), ' ', units[power]);
}

SIGMA_IMPL std::string task_line(const TaskView& view, std::size_t width, std::chrono::steady_clock::time_point now) {
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

SIGMA_IMPL void TaskLine::operator()(const TaskView& view, TaskEvent event) {
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

SIGMA_IMPL void TaskLine::clear() {
    if (shown_ != 0) write(sentence('\r', std::string(length_, ' '), '\r'));
    shown_ = length_ = 0;
}

SIGMA_IMPL void TaskLine::write(const std::string& text) {
    std::fputs(text.c_str(), file_);
    std::fflush(file_);
}

SIGMA_IMPL std::optional<TaskListener> show_tasks() {
    if (::isatty(STDERR_FILENO) == 0) return {};
    ::winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    // In the last column the cursor would go to the next line.
    const auto line = std::make_shared<TaskLine>(stderr, known ? std::size_t{size.ws_col} - 1 : 79);
    return on_task([line](const TaskView& view, TaskEvent event) { (*line)(view, event); });
}

}  // namespace sigma
