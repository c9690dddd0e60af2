// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Common part of the page and the terminal view: trainers, logs, panels. Included by `<sigma/monitor/web.hpp>` and
/// `<sigma/monitor/terminal.hpp>`.
#include <sigma/environment/environment.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sigma::monitor {

/// The common base class of `Web` and `Terminal`: selects the trainers, logs, and panels that a monitor shows.
///
/// You can call all members from any thread.
///
/// @par Example
/// @code
/// monitor::Web web(trainer);
/// monitor::Monitor& any = web;
/// any.add(monitor::chart(loss), monitor::log);
/// @endcode
/// @see Web, Terminal
class Monitor {
public:
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /// Shows a trainer and its network, predictions, and parameters.
    ///
    /// The trainer may be destroyed before the monitor. The monitor keeps its data until another trainer with the same
    /// name is added.
    ///
    /// @tparam N  network
    /// @tparam O  optimizer
    /// @tparam T  type of the elements
    /// @param trainer  the trainer, idle or training
    /// @throws ArgumentError  if the monitor already shows an existing trainer with this name
    ///
    /// @par Example
    /// @code
    /// monitor::Web web;
    /// web.watch(trainer);
    /// @endcode
    template <class N, class O, class T>
    void watch(Trainer<N, O, T>& trainer) {
        enter(monitor::watch(trainer));
    }
    /// Shows the messages that a log writes from now on, from the level `debug`.
    /// @param messages  the log, such as `environment.log`
    ///
    /// @par Example
    /// @code
    /// monitor::Web web(trainer);
    /// Sigma lab("lab", 1);
    /// web.follow(lab.log);
    /// @endcode
    void follow(const sigma::detail::Log& messages);
    /// Sets the function that the Run button of the page, or the space key of the terminal view, calls for an idle
    /// trainer.
    ///
    /// Without such a function the user cannot start an idle trainer.
    ///
    /// @param trainer  name of the trainer
    /// @param begin    function that starts a run and returns at once, usually by `Trainer::start`. The monitor calls
    /// it on
    ///                 one of its own threads, and shows the text of an exception as the reason why the command failed.
    ///
    /// @par Example
    /// @code
    /// monitor::Web web(trainer);
    /// web.on_start("digits", [&] { trainer.start(cpu(2), 20); });
    /// @endcode
    void on_start(std::string trainer, std::function<void()> begin);

    /// Continues a trainer from a checkpoint of a recorded run, as a new run in the folder `runs`.
    ///
    /// The trainer then has the parameters, the state of the optimizer, and the iteration, epoch and position within
    /// the epoch of the checkpoint. The new run has a folder of its own, and `run.json` names its parent. `fork` itself
    /// changes no file of the parent. If the trainer is idle, start it afterwards. If it is running, it loads the
    /// checkpoint before its next step, and `fork` waits for the load.
    ///
    /// You can fork from each checkpoint that `Trainer::save`, a hook `save`, or a user wrote while the run was
    /// recorded, if its file still exists.
    ///
    /// @param trainer    name of a trainer that was given to the constructor or to `watch`
    /// @param run        name of a run in the folder `runs`, such as "20261121-101500-digits"; empty for the run that
    ///                   this monitor records
    /// @param iteration  iteration at which the checkpoint was saved
    /// @throws ArgumentError  if there is no such trainer, run, or checkpoint; the text lists the checkpoints of the
    /// run
    /// @throws StateError     if the option `runs` is not set, if the trainer was destroyed, or if a hook of this
    /// trainer
    ///                        calls `fork`
    /// @throws Error          if the trainer was not given to the constructor or to `watch`
    /// @throws StorageError   if the new run cannot be written
    /// @throws MismatchError  if the checkpoint does not match the trainer, as `Trainer::load` does
    ///
    /// @par Example
    /// @code
    /// monitor::Web web(trainer, {.runs = "runs"});
    /// web.fork("digits", "20261121-101500-digits", 3000);
    /// trainer.run(cpu(), 20 - static_cast<int>(trainer.epoch()));
    /// @endcode
    /// @see run_folder, runs_in, KeptRun::parents
    void fork(const std::string& trainer, const std::string& run, std::uint64_t iteration);

    /// Adds panels in this order.
    ///
    /// Without any panel, the monitor shows a default selection: charts of loss and accuracy, the optimizer's
    /// parameters, the network, tasks, and the log.
    ///
    /// @tparam P  types that convert to Panel
    /// @param panels  one or more panels
    /// @throws ArgumentError  if a panel could never show anything, such as a table of 0 records, a width of 4 columns,
    /// or a
    ///                        kind that a terminal cannot draw
    ///
    /// @par Example
    /// @code
    /// monitor::Web web(trainer);
    /// web.add(monitor::chart(loss, error), monitor::parameters("optimizer.*"), monitor::log);
    /// @endcode
    template <class... P>
        requires(sizeof...(P) > 0 && (std::convertible_to<P, Panel> && ...))
    void add(const P&... panels) {
        for (const Panel& panel : {Panel(panels)...}) show(panel);
    }

    /// Returns the folder in which this run is kept.
    /// @return the path, such as "runs/20261121-101500-digits"; empty if the option `runs` is not set or the run has
    /// not
    ///         begun
    /// @see WebOptions::runs, read_run
    std::string run_folder() const;

    /// @cond internal
protected:
    struct Parts;
    explicit Monitor(std::unique_ptr<Parts> parts);
    ~Monitor();
    /// Shows all trainers of an environment, and its log.
    void enter(sigma::detail::Environment& environment);

    const std::unique_ptr<Parts> parts_;

private:
    void enter(Watched trainer);
    void show(Panel panel);
    /// @endcond
};

}  // namespace sigma::monitor
