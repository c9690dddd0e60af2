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

/// A trainer as the head of the view has it.
struct TrainerSeen {
    std::string name, state, device{};
    std::string reason{};                                 ///< why its run has ended
    std::uint64_t epoch = 0, iteration = 0, batches = 0;  ///< epochs that are over
    std::optional<std::uint64_t> epochs{};                ///< planned; none: without end
    double per_second = 0, runtime = 0;
    std::optional<double> left{};
    bool can_start = false;
};
/// A panel of the trainer that is looked at: a chart, or lines.
struct PanelSeen {
    std::string kind, title;
    std::string ended{};  ///< "failed at 120": of a chart
    std::vector<Curve> curves{};
    std::vector<std::pair<std::string, std::string>> rows{};
};
struct LineSeen {
    double time = 0;
    std::string level, source, message;
};
struct CommandSeen {
    std::uint64_t id = 0;  ///< of the board; 0: not there yet
    std::string text, status = "pending", reason{};
};

/// All that is drawn.
struct Seen {
    std::vector<TrainerSeen> trainers{};
    std::vector<PanelSeen> panels{};
    std::deque<LineSeen> log{};
    bool shows_log = true, read_only = false;
    std::optional<CommandSeen> command{};  ///< the last one
};

/// What the person at the keys looks at.
struct Choice {
    std::size_t trainer = 0, chart = 0, level = 2;  ///< level: of log_levels
    std::size_t back = 0;                           ///< lines of the log, from its end
    bool enlarged = false;
};
inline constexpr const char* log_levels[] = {"trace", "debug", "info", "warning", "error", "critical"};
/// Is there no run of it, and may one begin?
bool may_start(const TrainerSeen& trainer);
std::size_t level_rank(std::string_view word);

/// Keys that are no characters.
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
/// What a key asks for; looking around is done by `look`.
enum class Wish { nothing, pause, resume, step, stop, save, start, leave, redraw, interrupt, suspend, quit };
Wish wish_of(Key key, const Seen& seen, const Choice& choice);
/// Changes what is looked at; whether the key did.
bool look(Key key, const Seen& seen, Choice& choice);

/// The whole of it, for a grid of any size.
void draw(Grid& to, const Seen& seen, const Choice& choice);

}  // namespace sigma::monitor
