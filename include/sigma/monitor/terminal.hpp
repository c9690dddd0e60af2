// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/environment.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>

#include <concepts>
#include <functional>
#include <memory>
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
/// the key q, or by destruction, not on the thread that trains. A run goes on without it. Any thread may call anything.
class Terminal {
public:
    /// Nothing yet: `watch` says what. Throws Error where there is a full screen already.
    explicit Terminal(TerminalOptions options = {});
    template <class N, class O, class T>
    explicit Terminal(Trainer<N, O, T>& trainer, TerminalOptions options = {}) : Terminal(std::move(options)) {
        watch(trainer);
    }
    /// All its trainers, with what their registries hold, and its log. The environment must outlive the monitor.
    explicit Terminal(Environment& environment, TerminalOptions options = {});
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal();

    /// Shows a trainer, which may end before the monitor does.
    template <class N, class O, class T>
    void watch(Trainer<N, O, T>& trainer) {
        enter(monitor::watch(trainer));
    }
    /// Shows what is written there from now on.
    void follow(const Log& messages);
    /// What space does while that trainer is idle: `view.on_start("digits", [&] { trainer.start(cpu(), 20); })`.
    void on_start(std::string trainer, std::function<void()> begin);

    /// Panels, in their order: charts, parameters, tasks, the graph as a list, the log. Those without `of` are of
    /// whichever trainer is looked at. Without any it shows what one wants to see. Throws ArgumentError for one that a
    /// terminal cannot show.
    template <class... P>
        requires(sizeof...(P) > 0 && (std::convertible_to<P, Panel> && ...))
    void add(const P&... panels) {
        for (const Panel& panel : {Panel(panels)...}) show(panel);
    }

    /// Whether the screen shows it at present.
    bool full_screen() const;
    /// Waits until somebody leaves the view; not at all where there is none.
    void wait() const;
    /// As the key q does.
    void leave();
    /// The folder of this run, empty where none is kept.
    std::string run_folder() const;

private:
    struct Parts;
    void enter(Watched trainer);
    void show(Panel panel);

    std::unique_ptr<Parts> parts_;
};

}  // namespace sigma::monitor
