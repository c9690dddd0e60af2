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

/// What the view shows of a board, and what its keys do to it. Any thread may call anything; none of it waits for a
/// trainer.
class Model {
public:
    /// `changed` is called when a command or a value has come, on another thread.
    Model(Board& board, bool keeps_files, std::function<void()> changed);
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model();

    void show(Panel panel);
    void can_start(std::string trainer);

    /// Lines that were printed while the screen was up.
    void hear(std::string_view lines);
    /// A message of a log. One that this thread has printed, or prints then, is not in the view twice, nor one that is
    /// the line of a trainer.
    void hear(const LogRecord& record);

    /// What is to be drawn on a screen of so many columns.
    Seen look(const Choice& choice, std::size_t columns);
    /// What a key wants of the trainer that is looked at.
    void command(Wish wish, const Choice& choice);

private:
    using Rows = std::vector<std::pair<std::string, std::string>>;
    struct Heard {
        std::thread::id by;
        std::string line;
        double time;
    };

    /// What was printed before that moment. A line of a log waits for a while, since the log tells it, too.
    void tell_heard(double until);
    std::vector<TrainerSeen> trainers(const Json& now) const;
    std::vector<Panel> panels_for(const std::string& trainer, const Json& now) const;
    PanelSeen seen(const Panel& panel, const std::string& trainer, const Json& now, std::size_t points) const;
    void read_parameters(const std::string& trainer, const std::vector<Panel>& panels);
    void settle(std::uint64_t number, const Json& answer);
    void refuse(std::uint64_t number, std::string reason);

    Board& board_;
    const bool keeps_files_;
    const std::function<void()> changed_;

    mutable std::mutex mutex_;  // held for a moment; the board's may be taken within
    std::vector<Panel> panels_;
    std::set<std::string> starts_;
    std::deque<LineSeen> log_;
    std::uint64_t newest_line_ = 0;                                   // its number on the board
    std::map<std::pair<std::string, std::string>, Rows> parameters_;  // by trainer and pattern
    std::vector<std::string> trainer_names_;
    std::chrono::steady_clock::time_point read_{};
    bool reading_ = false;
    std::optional<CommandSeen> command_;
    std::uint64_t commands_ = 0;

    std::mutex heard_mutex_;  // of who prints, the terminal's lock being held
    std::deque<Heard> heard_;
    std::deque<Heard> told_;  // the last ones: a log that tells one of them comes too late

    Worker reader_, commander_;  // last: they use all of it
};

}  // namespace sigma::monitor
