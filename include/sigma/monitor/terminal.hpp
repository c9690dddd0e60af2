// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Full-screen terminal view that shows trainers and controls them by keys. Include it yourself and link
/// `sigma::monitor`.
#include <sigma/monitor/monitor.hpp>

#include <string>
#include <utility>

namespace sigma::monitor {

/// Options of `Terminal`.
///
/// @par Example
/// @code
/// monitor::Terminal view(trainer, {.runs = "runs"});
/// @endcode
struct TerminalOptions {
    std::string runs{};      ///< Folder in which each run gets a folder of its own. Empty: runs are not kept.
    bool read_only = false;  ///< Keys give no commands to trainers if true.
    bool provenance = true;  ///< Records the origin of a run in its folder, see `WebOptions::provenance`.
};

/// A full-screen view in the terminal that shows trainers and controls them by keys.
///
/// The view draws charts, parameters, tasks, the network as a list, and the log. Panels without `Panel::of` show the
/// trainer that the user has selected. While the screen is up, the library's output appears in the log panel. It is
/// printed when the user leaves the view with `q`, or when the object is destroyed. A run continues without the view.
/// Do not destroy the object on the thread that trains.
///
/// If standard output is not a terminal, or `$TERM` is "dumb" or unknown, there is no full screen, and the program
/// prints its lines as usual.
///
/// @par Example
/// @code
/// monitor::Terminal view(trainer);
/// view.add(monitor::chart(loss, accuracy), monitor::parameters("optimizer.*"), monitor::log);
/// trainer.run(cpu(), 20);
/// @endcode
/// @see Web, TerminalOptions, docs/monitors.md
class Terminal : public Monitor {
public:
    /// Opens a view that shows no trainer yet. Add trainers with `watch`.
    /// @param options  folder of the runs, read-only mode
    /// @throws Error  if the process already has a full-screen view
    ///
    /// @par Example
    /// @code
    /// monitor::Terminal view;
    /// view.watch(trainer);
    /// @endcode
    explicit Terminal(TerminalOptions options = {});
    /// Opens a view that shows a trainer.
    /// @tparam N  network
    /// @tparam O  optimizer
    /// @tparam T  type of the elements
    /// @param trainer  the trainer, which may be destroyed before the monitor
    /// @param options  folder of the runs, read-only mode
    /// @throws Error  if the process already has a full-screen view
    template <class N, class O, class T>
    explicit Terminal(Trainer<N, O, T>& trainer, TerminalOptions options = {}) : Terminal(std::move(options)) {
        watch(trainer);
    }
    /// Opens a view that shows the log and all trainers of an environment, with the values of their registries.
    /// @param environment  the environment, which must outlive the monitor
    /// @param options      folder of the runs, read-only mode
    /// @throws Error  if the process already has a full-screen view
    explicit Terminal(sigma::detail::Environment& environment, TerminalOptions options = {});

    /// Returns whether the view fills the screen now.
    /// @return false without a terminal, after the user has left the view, and while the process is in the background
    /// @see wait
    bool full_screen() const;
    /// Waits until the user leaves the view. Returns at once if there is no view.
    ///
    /// @par Example
    /// @code
    /// monitor::Terminal view(trainer);
    /// view.on_start("digits", [&] { trainer.start(cpu(), 20); });
    /// view.wait();
    /// @endcode
    void wait() const;
    /// Leaves the view like the key `q`, and prints the lines that the log panel has collected.
    /// @see open
    void leave();
    /// Opens the view again after it was left. Does nothing if the view is open or there is no terminal.
    ///
    /// The user can do the same with Ctrl-Z and the shell's `fg`.
    ///
    /// @par Example
    /// @code
    /// monitor::Terminal view(trainer);
    /// view.leave();
    /// view.open();
    /// @endcode
    void open();

private:
    struct Parts;
    Parts& parts() const;
};

}  // namespace sigma::monitor
