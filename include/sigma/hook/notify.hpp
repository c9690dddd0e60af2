// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Reports that notify a person: command, sound. Include it yourself; no library is needed.
#include <sigma/core/any_function.hpp>
#include <sigma/hook/report.hpp>

#include <string>
#include <string_view>

namespace sigma {

/// The destination of `command`, `sound` and `webhook`: sends each line of a report to a person.
///
/// @see command, sound, webhook
struct Notification {
    /// @cond internal
    static constexpr bool takes_lines = true;
    std::string text;  ///< the destination in the text of a hook, without secrets
    detail::AnyFunction<void(std::string_view line)> send;

    detail::Owned<detail::ReportPlace> report_place() const;
    /// @endcond
};

/// Returns a destination for `report(…).to(…)`: runs a command of the shell with each line, and waits for its end.
///
/// The command finds the line in the environment variable `SIGMA_REPORT`. Use `.in_background()` for commands that take
/// long. If the command cannot be run or its exit status is not 0, the report throws Error, which ends the run as a
/// HookError. `.on_error(OnError::report)` prints the error instead.
/// @param line  a command for `/bin/sh`, such as `notify-send Sigma "$SIGMA_REPORT"`
/// @return the destination, for `report(…).to(…)`
/// @throws ArgumentError  if the command is empty
///
/// @par Example
/// @code
/// // #include <sigma/hook/notify.hpp>
/// trainer.add(at(stop).then(report("finished", epoch).to(command("notify-send Sigma \"$SIGMA_REPORT\""))));
/// @endcode
///
/// @see sound, webhook, report
Notification command(std::string line);
/// Returns a destination for `report(…).to(…)`: rings the bell of the terminal. Does nothing if standard error is not a
/// terminal.
/// @return the destination, for `report(…).to(…)`
///
/// @see command
Notification sound();
/// Returns a destination for `report(…).to(…)`: plays a file of sound and waits for its end.
///
/// The first of these programs that is installed plays the file: `pw-play`, `paplay`, `aplay`, `afplay`. If there is
/// none, or if it fails, the report throws Error, as for `command`.
/// @param file  path of the file
/// @return the destination, for `report(…).to(…)`
/// @throws ArgumentError  if the path is empty
///
/// @par Example
/// @code
/// trainer.add(when(error.falls_below(0.1)).then(report(error).to(sound("done.wav"))).in_background());
/// @endcode
///
/// @see command
Notification sound(std::string file);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/notify.ipp>
#endif
