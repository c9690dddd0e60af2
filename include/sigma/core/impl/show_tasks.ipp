// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/show_tasks.hpp>
#include <sigma/core/utf8_length.hpp>

#include <iterator>
#include <memory>

namespace sigma {

namespace detail {

SIGMA_IMPL std::string amount_text(std::uint64_t amount, std::string_view unit) {
    if (unit != "bytes") return sentence(amount, ' ', unit);
    double size = static_cast<double>(amount);
    std::size_t power = 0;
    constexpr std::string_view units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    for (; size >= 999.95 && power + 1 < std::size(units); ++power) size /= 1000;
    return sentence(detail::fixed_text(size, power == 0 ? 0 : 1), ' ', units[power]);
}

SIGMA_IMPL std::string task_line(const TaskView& view, std::size_t width, std::chrono::steady_clock::time_point now,
                                 bool utf8) {
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
    // A name may come from a server or an archive: what would move the cursor is not shown.
    std::string name =
        terminal::shortened(sentence(task_word(view.kind()), ' ', view.description()), std::string::npos, utf8);
    if (numbers.size() >= width) numbers.clear();
    if (const std::size_t room = width - numbers.size(); terminal::width(name) > room) {
        while (terminal::width(name) > (room > 3 ? room - 3 : 0)) name.erase(0, detail::utf8_length(name));  // its end
        if (room > 3) name.insert(0, "...");
    }
    return name + numbers;
}

SIGMA_IMPL void TaskLine::operator()(const TaskView& view, TaskEvent event) {
    if (event == TaskEvent::ended) {
        if (view.number() == shown_) shown_ = 0, status_.hide();
    } else if (event == TaskEvent::advanced && status_.interactive()) {
        status_.show(task_line(view, terminal::columns(status_.file()) - 1));
        shown_ = view.number();
    }
}

}  // namespace detail

SIGMA_IMPL std::optional<TaskListener> show_tasks() {
    if (!terminal::is_interactive(stderr)) return {};
    const auto line = std::make_shared<detail::TaskLine>(stderr, true);
    return on_task([line](const TaskView& view, TaskEvent event) { (*line)(view, event); });
}

}  // namespace sigma
