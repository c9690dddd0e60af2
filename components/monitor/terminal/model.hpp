// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/log.hpp>
#include <sigma/monitor/panel.hpp>

#include "board.hpp"
#include "terminal/view.hpp"
#include "terminal/worker.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sigma::monitor {

/// The contents of the view and the actions of its keys. Any thread may call any member; none waits for a trainer.
class Model {
public:
    /// Constructs the model. Calls `changed` on another thread when a command or a value has arrived.
    Model(Board& board, bool keeps_files, std::function<void()> changed);
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model();

    void show(Panel panel);
    void can_start(std::string trainer);

    /// Takes lines that were printed while the screen was up.
    void add(std::string_view lines);
    /// Takes a message of a log. The view does not repeat a message that this thread prints, too, nor the line of a
    /// trainer.
    void add(const LogRecord& record);

    /// Returns the contents for a screen of this width.
    Seen look(const Choice& choice, std::size_t columns);
    /// Gives the command of a key to the selected trainer.
    void command(Wish wish, const Choice& choice);

private:
    using Rows = std::vector<std::pair<std::string, std::string>>;
    struct Printed {
        std::thread::id by;
        std::string line;
        double time;
    };

    /// Moves lines printed before that time to the log. A line of a log waits briefly, since the log sends it, too.
    void log_printed(double until);
    std::vector<TrainerSeen> trainers(const Json& now) const;
    std::vector<Panel> panels_for(const std::string& trainer, const Json& now) const;
    PanelSeen seen(const Panel& panel, const std::string& trainer, const Json& now, std::size_t points) const;
    void read_parameters(const std::string& trainer, const std::vector<Panel>& panels);
    void finish(std::uint64_t number, const Json& answer);
    void refuse(std::uint64_t number, std::string reason);

    Board& board_;
    const bool keeps_files_;
    const std::function<void()> changed_;

    mutable std::mutex mutex_;  // held briefly; the board's mutex may be taken within
    std::vector<Panel> panels_;
    std::set<std::string> starts_;
    std::deque<LineSeen> log_;
    std::uint64_t newest_line_ = 0;                                   // number on the board
    std::map<std::pair<std::string, std::string>, Rows> parameters_;  // values by trainer and pattern
    std::vector<std::string> trainer_names_;
    std::chrono::steady_clock::time_point read_{};
    bool reading_ = false;
    std::optional<CommandSeen> command_;
    std::uint64_t commands_ = 0;

    std::mutex printed_mutex_;  // taken by threads that print and hold the terminal's lock
    std::deque<Printed> printed_;
    std::deque<Printed> shown_;  // the last lines: ignores a log that sends one of them later

    Worker reader_, commander_;  // last: they use all other members
};

}  // namespace sigma::monitor
