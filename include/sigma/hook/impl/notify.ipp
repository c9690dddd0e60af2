// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/hook/notify.hpp>
#include <sigma/storage/shell.hpp>

#include <cstdio>
#include <memory>
#include <utility>

namespace sigma {

namespace detail {

class NotificationPlace final : public ReportPlace {
public:
    explicit NotificationPlace(Notification notification) : notification_(std::move(notification)) {}
    Owned<ReportPlace> clone() const override { return std::make_unique<NotificationPlace>(*this); }
    void write(std::string_view line) override { notification_.send(line); }
    std::string text() const override { return sentence(".to(", notification_.text, ")"); }

private:
    Notification notification_;
};

/// Runs a command of the shell. `name` is its name in errors.
inline void run_notifier(const std::string& name, const std::string& shell_line, std::string_view report,
                         const std::string& file = {}) {
    const int status =
        storage::run_in_shell(shell_line, {sentence("SIGMA_REPORT=", report), sentence("SIGMA_SOUND=", file)});
    if (status != 0) throw Error(sentence(name, ": expected exit status 0, found ", status));
}

}  // namespace detail

SIGMA_IMPL detail::Owned<detail::ReportPlace> Notification::report_place() const {
    return std::make_unique<detail::NotificationPlace>(*this);
}

SIGMA_IMPL Notification command(std::string line) {
    if (line.empty()) throw ArgumentError("command", "a command of the shell", "an empty text");
    std::string name = sentence("command(\"", line, "\")");
    return {name, [name, shell_line = std::move(line)](std::string_view report) {
                detail::run_notifier(name, shell_line, report);
            }};
}
SIGMA_IMPL Notification sound() {
    return {"sound()", [](std::string_view) {
                if (!terminal::is_interactive(stderr)) return;
                std::fputc('\a', stderr);
                std::fflush(stderr);
            }};
}
SIGMA_IMPL Notification sound(std::string file) {
    if (file.empty()) throw ArgumentError("sound", "the path of a file", "an empty text");
    std::string name = sentence("sound(\"", file, "\")");
    return {name, [name, played = std::move(file)](std::string_view report) {
                detail::run_notifier(name,
                                     "for player in pw-play paplay aplay afplay; do "
                                     "command -v $player > /dev/null 2>&1 && exec $player \"$SIGMA_SOUND\"; "
                                     "done; exit 127",
                                     report, played);
            }};
}

}  // namespace sigma
