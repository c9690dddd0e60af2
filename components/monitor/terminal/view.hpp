// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "terminal/chart.hpp"
#include "terminal/grid.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A trainer in the head of the view.
struct TrainerSeen {
    std::string name, state, device{};
    std::string reason{};                                 ///< reason why the run has ended
    std::uint64_t epoch = 0, iteration = 0, batches = 0;  ///< `epoch`: completed epochs
    std::optional<std::uint64_t> epochs{};                ///< planned epochs; empty: without end
    double per_second = 0, runtime = 0;
    std::optional<double> left{};
    bool can_start = false;
};
/// A panel of the selected trainer: a chart, or lines.
struct PanelSeen {
    std::string kind, title;
    std::string ended{};  ///< end of the run in a chart: "failed at 120"
    std::vector<Curve> curves{};
    std::vector<std::pair<std::string, std::string>> rows{};
};
struct LineSeen {
    double time = 0;
    std::string level, source, message;
};
struct CommandSeen {
    std::uint64_t id = 0;  ///< id on the board; 0: none yet
    std::string text, status = "pending", reason{};
};

/// The contents of the view.
struct Seen {
    std::vector<TrainerSeen> trainers{};
    std::vector<PanelSeen> panels{};
    std::deque<LineSeen> log{};
    bool shows_log = true, read_only = false;
    std::optional<CommandSeen> command{};  ///< the last command
};

/// The selection of the user.
struct Choice {
    std::size_t trainer = 0, chart = 0, level = 2;  ///< `level`: index in log_levels
    std::size_t back = 0;                           ///< lines of the log between the last one and the end of the view
    bool enlarged = false;
};
inline constexpr const char* log_levels[] = {"trace", "debug", "info", "warning", "error", "critical"};

/// Keys without a character.
enum class Key : char32_t {
    none = 0,
    interrupt = 3,
    tab = 9,
    enter = 10,
    redraw = 12,
    suspend = 26,
    quit = 28,
    up = 0x110000,  // beyond Unicode
    down,
    left,
    right,
    page_up,
    page_down,
    back_tab
};
/// The action of a key, except for selections, which `look` handles.
enum class Wish { nothing, pause, resume, step, stop, save, start, leave, redraw, interrupt, suspend, quit };
Wish wish_of(Key key, const Seen& seen, const Choice& choice);
/// Changes the selection. Returns whether the key did so.
bool look(Key key, const Seen& seen, Choice& choice);

/// Draws the whole view on a grid of any size.
void draw(Grid& to, const Seen& seen, const Choice& choice);

}  // namespace sigma::monitor
