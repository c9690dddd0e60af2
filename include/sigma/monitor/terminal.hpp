// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/monitor.hpp>

#include <string>
#include <utility>

namespace sigma::monitor {

struct TerminalOptions {
    std::string runs{};      ///< a folder: each run is kept in one below it, with what is saved
    bool read_only = false;  ///< nothing can be commanded
};

/// The whole terminal shows trainers, and keys steer them: docs/monitors.md.
///
///     monitor::Terminal view(trainer);
///     view.add(monitor::chart(loss, accuracy), monitor::parameters("optimizer.*"), monitor::log);
///     trainer.run(cpu(), 20);
///
/// Where standard output is no terminal, or $TERM is "dumb", there is no full screen: the program prints its lines as
/// ever. While there is one, what is printed through the library is in the log, and printed when the screen is left: by
/// the key q, or by destruction, not on the thread that trains. A run goes on without it. Its panels are charts,
/// parameters, tasks, the graph as a list, the log; those without `of` are of whichever trainer is looked at. What is
/// given to `on_start` is what the space key does while that trainer is idle.
class Terminal : public Monitor {
public:
    /// Nothing yet: `watch` says what. Throws Error where there is a full screen already.
    explicit Terminal(TerminalOptions options = {});
    template <class N, class O, class T>
    explicit Terminal(Trainer<N, O, T>& trainer, TerminalOptions options = {}) : Terminal(std::move(options)) {
        watch(trainer);
    }
    /// All its trainers, with what their registries hold, and its log. The environment must outlive the monitor.
    explicit Terminal(sigma::detail::Environment& environment, TerminalOptions options = {});

    /// Whether the screen shows it at present.
    bool full_screen() const;
    /// Waits until somebody leaves the view; not at all where there is none.
    void wait() const;
    /// As the key q does.
    void leave();
    /// Takes the screen again that was left; nothing where there is none, or it is up. At the keys a shell's `fg` does
    /// it, after Ctrl-Z.
    void open();

private:
    struct Parts;
    Parts& parts() const;
};

}  // namespace sigma::monitor
