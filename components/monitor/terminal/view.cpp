// SPDX-License-Identifier: BSL-1.0
#include "terminal/view.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>

namespace sigma::monitor {

namespace {

/// Returns whether the trainer is idle and can be started.
bool may_start(const TrainerSeen& trainer) {
    return trainer.can_start && trainer.state != "running" && trainer.state != "paused" && trainer.state != "closed";
}

std::size_t level_rank(std::string_view word) {
    const auto found = std::ranges::find(log_levels, word);
    return found == std::end(log_levels) ? 2 : static_cast<std::size_t>(found - std::begin(log_levels));
}

const TrainerSeen* chosen_trainer(const Seen& seen, const Choice& choice) {
    return seen.trainers.empty() ? nullptr : &seen.trainers[std::min(choice.trainer, seen.trainers.size() - 1)];
}
std::vector<const PanelSeen*> panels_of(const Seen& seen, bool charts) {
    std::vector<const PanelSeen*> found;
    for (const PanelSeen& panel : seen.panels)
        if ((panel.kind == "chart") == charts) found.push_back(&panel);
    return found;
}
Style style_of_state(std::string_view state) {
    if (state == "running" || state == "finished") return Style::good;
    if (state == "paused" || state == "stopped") return Style::warning;
    return state == "failed" ? Style::bad : Style::faint;
}

/// A line of words, as many as fit.
class Words {
public:
    Words(Grid& to, const Area& row) : to_(to), x_(row.x), y_(row.y), end_(row.x + row.columns) {}
    Words& put(std::string_view text, Style style = Style::plain) {
        x_ += to_.put(x_, y_, text, style, end_ - std::min(x_, end_));
        return *this;
    }

private:
    Grid& to_;
    std::size_t x_, y_, end_;
};

/// Removes the first row from an area and returns it.
Area take_row(Area& from) {
    const Area row{from.x, from.y, from.columns, 1};
    ++from.y;
    --from.rows;
    return row;
}
Area take_last_rows(Area& from, std::size_t rows) {
    from.rows -= rows;
    return {from.x, from.y + from.rows, from.columns, rows};
}

void draw_head(Grid& to, Area& rest, const Seen& seen, const Choice& choice) {
    const TrainerSeen* trainer = chosen_trainer(seen, choice);
    if (trainer == nullptr) {
        to.put(rest.x, rest.y, "no trainer yet", Style::faint);
        take_row(rest);
        return;
    }
    Words first(to, take_row(rest));
    if (seen.trainers.size() == 1) first.put(trainer->name, Style::strong).put("  ");
    for (const TrainerSeen& each : seen.trainers) {
        if (seen.trainers.size() == 1) break;
        first.put(&each == trainer ? sentence("[", each.name, "]") : sentence(" ", each.name, " "),
                  &each == trainer ? Style::strong : style_of_state(each.state));
        first.put(" ");
    }
    first.put(trainer->state, style_of_state(trainer->state));
    if (!trainer->device.empty()) first.put(sentence("  ", trainer->device), Style::faint);
    first.put(sentence("  in ", sigma::terminal::duration(std::floor(trainer->runtime))), Style::faint);
    if (!trainer->reason.empty())
        first.put(sentence("  ", trainer->state == "stopped" ? "by " : "", trainer->reason),
                  style_of_state(trainer->state));
    if (rest.rows < 2) return;

    const double batches = static_cast<double>(std::max<std::uint64_t>(trainer->batches, 1));
    const double passed = static_cast<double>(trainer->iteration) - static_cast<double>(trainer->epoch) * batches;
    const double within = std::clamp(passed / batches, 0.0, 1.0);
    // Progress of the whole run if it has an end.
    double share = within;
    if (trainer->epochs && *trainer->epochs > 0)
        share = (static_cast<double>(trainer->epoch) + within) / static_cast<double>(*trainer->epochs);
    Words second(to, take_row(rest));
    second.put(
        sentence("epoch ", trainer->epoch, trainer->epochs ? sentence("/", *trainer->epochs) : std::string(), " "));
    second.put(to.utf8() ? "▕" : "[", Style::faint);
    second.put(sigma::terminal::bar(share, std::clamp<std::size_t>(to.columns() / 4, 4, 40), to.utf8()), Style::good);
    second.put(to.utf8() ? "▏" : "]", Style::faint);
    second.put(sentence(" iteration ", trainer->iteration), Style::strong);
    if (trainer->per_second > 0) second.put(sentence("  ", sigma::terminal::rate(trainer->per_second), " records/s"));
    if (trainer->left) second.put(sentence("  ", sigma::terminal::duration(*trainer->left), " left"));
}

void draw_keys(Grid& to, const Area& row, const Seen& seen, const Choice& choice) {
    Words words(to, row);
    const auto key = [&](std::string_view name, std::string_view what) {
        words.put(name, Style::key).put(" ").put(what, Style::faint).put("  ");
    };
    const TrainerSeen* trainer = chosen_trainer(seen, choice);
    if (trainer != nullptr && !seen.read_only) {
        if (may_start(*trainer)) key("space", "start");
        else key("space", trainer->state == "paused" ? "resume" : "pause");
        key("s", "step");
        key("x", "stop");
        key("w", "save");
    }
    key("q", "leave");
    if (seen.trainers.size() > 1) key("tab", "trainer");
    const auto charts = panels_of(seen, true).size();
    if (charts > 1) key(to.utf8() ? "←→" : "< >", "chart");
    if (charts > 0) key("enter", choice.enlarged ? "all" : "enlarge");
    if (!seen.shows_log) return;
    key("l", sentence("log: ", log_levels[choice.level]));
    key(to.utf8() ? "↑↓" : "up down", "scroll");
}

void draw_command(Grid& to, const Area& row, const CommandSeen& command) {
    const Style style = command.status == "done"      ? Style::good
                        : command.status == "refused" ? Style::bad
                                                      : Style::warning;
    Words words(to, row);
    words.put(command.text).put(": ").put(command.status, style);
    if (!command.reason.empty()) words.put(sentence(": ", command.reason));
}

std::string clock_text(double time) {
    const auto whole = static_cast<std::time_t>(time);
    std::tm local{};
    ::localtime_r(&whole, &local);
    const auto two = [](int x) { return sentence(x < 10 ? "0" : "", x); };
    return sentence(two(local.tm_hour), ":", two(local.tm_min), ":", two(local.tm_sec));
}

void draw_log(Grid& to, Area area, const Seen& seen, const Choice& choice) {
    const Area title = take_row(area);
    to.put(title.x, title.y, "log", Style::strong);
    std::vector<const LineSeen*> lines;
    for (const LineSeen& each : seen.log)
        if (level_rank(each.level) >= choice.level) lines.push_back(&each);
    const std::size_t back = std::min(choice.back, lines.size() - std::min(lines.size(), area.rows));
    if (back > 0) to.put(title.x + 5, title.y, sentence(back, " newer lines"), Style::warning);
    const std::size_t end = lines.size() - back, first = end - std::min(end, area.rows);
    for (std::size_t i = first; i < end; ++i) {
        const LineSeen& each = *lines[i];
        const std::size_t rank = level_rank(each.level);
        Words words(to, take_row(area));
        words.put(sentence(clock_text(each.time), " "), Style::faint);
        if (rank != 2)
            words.put(sentence(each.level, " "), rank < 2 ? Style::faint : rank == 3 ? Style::warning : Style::bad);
        if (!each.source.empty()) words.put(sentence(each.source, "  "), Style::faint);
        words.put(each.message, rank >= 4 ? Style::bad : Style::plain);
    }
}

/// Draws a title, and names beside their values.
void draw_rows(Grid& to, Area area, const PanelSeen& panel) {
    if (area.rows == 0) return;
    const Area title = take_row(area);
    to.put(title.x, title.y, panel.title, Style::strong, title.columns);
    std::size_t names = 0;
    for (const auto& [name, value] : panel.rows) names = std::max(names, sigma::terminal::width(name));
    names = std::min(names, area.columns * 2 / 3);
    for (const auto& [name, value] : panel.rows) {
        if (area.rows == 0) break;
        const Area row = take_row(area);
        to.put(row.x, row.y, name, Style::faint, names);
        if (names + 2 < row.columns) to.put(row.x + names + 2, row.y, value, Style::plain, row.columns - names - 2);
    }
    if (panel.rows.empty() && area.rows > 0) to.put(area.x, area.y, "nothing yet", Style::faint, area.columns);
}

void draw_charts(Grid& to, const Area& area, const std::vector<const PanelSeen*>& charts, const Choice& choice) {
    const std::size_t chosen = std::min(choice.chart, charts.size() - 1);
    if (choice.enlarged)
        return draw_chart(to, area, charts[chosen]->curves, charts[chosen]->title, charts.size() > 1,
                          charts[chosen]->ended);
    // Uses as few columns as give each chart a readable height, then shows as many charts as fit, including the
    // chosen one.
    constexpr std::size_t least_rows = 7, least_columns = 36;
    std::size_t columns = 1;
    const auto rows_with = [&](std::size_t n) { return (charts.size() + n - 1) / n; };
    while (columns < charts.size() && area.rows / rows_with(columns) < least_rows &&
           area.columns / (columns + 1) >= least_columns)
        ++columns;
    const std::size_t rows = std::clamp<std::size_t>(area.rows / least_rows, 1, rows_with(columns));
    const std::size_t shown = rows * columns;
    const std::size_t first = chosen < shown ? 0 : (chosen - shown) / columns * columns + columns;
    for (std::size_t i = first; i < std::min(charts.size(), first + shown); ++i) {
        const std::size_t row = (i - first) / columns, column = (i - first) % columns;
        const auto edge = [](std::size_t whole, std::size_t number, std::size_t count) {
            return whole * number / count;
        };
        const std::size_t x = edge(area.columns, column, columns), y = edge(area.rows, row, rows);
        const std::size_t right = edge(area.columns, column + 1, columns), bottom = edge(area.rows, row + 1, rows);
        draw_chart(to, {area.x + x, area.y + y, right - x - (column + 1 < columns ? 2 : 0), bottom - y},
                   charts[i]->curves, charts[i]->title, i == chosen && charts.size() > 1, charts[i]->ended);
    }
}

void draw_body(Grid& to, Area area, const Seen& seen, const Choice& choice) {
    const auto charts = panels_of(seen, true), texts = panels_of(seen, false);
    if (!charts.empty() && (choice.enlarged || texts.empty())) return draw_charts(to, area, charts, choice);
    Area beside = area;
    if (!charts.empty() && area.columns >= 100) {
        beside.columns = std::clamp<std::size_t>(area.columns / 3, 36, 60);
        beside.x = area.x + area.columns - beside.columns;
        area.columns -= beside.columns + 2;
        draw_charts(to, area, charts, choice);
    } else if (!charts.empty()) {
        std::size_t wanted = 0;
        for (const PanelSeen* panel : texts) wanted += 2 + panel->rows.size();
        beside = take_last_rows(area, std::min(wanted, area.rows / 3));
        if (area.rows > 0) draw_charts(to, area, charts, choice);
    }
    for (const PanelSeen* panel : texts) {
        if (beside.rows == 0) break;
        Area own = beside;
        own.rows = std::min(beside.rows, 1 + std::max<std::size_t>(panel->rows.size(), 1));
        draw_rows(to, own, *panel);
        const std::size_t used = std::min(beside.rows, own.rows + 1);
        beside.y += used;
        beside.rows -= used;
    }
}

}  // namespace

Wish wish_of(Key key, const Seen& seen, const Choice& choice) {
    const TrainerSeen* trainer = chosen_trainer(seen, choice);
    switch (static_cast<char32_t>(key)) {
        case U' ':
            if (trainer != nullptr && may_start(*trainer)) return Wish::start;
            return trainer != nullptr && trainer->state == "paused" ? Wish::resume : Wish::pause;
        case U's': return Wish::step;
        case U'x':
        case U'S': return Wish::stop;
        case U'w': return Wish::save;
        case U'q': return Wish::leave;
        default: break;
    }
    switch (key) {
        case Key::redraw: return Wish::redraw;
        case Key::interrupt: return Wish::interrupt;
        case Key::suspend: return Wish::suspend;
        case Key::quit: return Wish::quit;
        default: return Wish::nothing;
    }
}

bool look(Key key, const Seen& seen, Choice& choice) {
    const std::size_t charts = panels_of(seen, true).size(), trainers = seen.trainers.size();
    const auto turn = [](std::size_t& number, std::size_t count, std::size_t by) {
        if (count > 0) number = (std::min(number, count - 1) + by) % count;
    };
    constexpr std::size_t page = 10;
    switch (key) {
        case Key::tab: turn(choice.trainer, trainers, 1); return true;
        case Key::back_tab: turn(choice.trainer, trainers, trainers - 1); return true;
        case Key::right: turn(choice.chart, charts, 1); return true;
        case Key::left: turn(choice.chart, charts, charts - 1); return true;
        case Key::up: choice.back = std::min(choice.back + 1, seen.log.size()); return true;
        case Key::down: choice.back -= std::min<std::size_t>(choice.back, 1); return true;
        case Key::page_up: choice.back = std::min(choice.back + page, seen.log.size()); return true;
        case Key::page_down: choice.back -= std::min(choice.back, page); return true;
        case Key::enter: choice.enlarged = !choice.enlarged && charts > 0; return true;
        default: break;
    }
    if (static_cast<char32_t>(key) != U'l') return false;
    choice.level = choice.level == 4 ? 1 : choice.level + 1;
    choice.back = 0;
    return true;
}

void draw(Grid& to, const Seen& seen, const Choice& choice) {
    Area rest = to.area();
    if (rest.rows == 0 || rest.columns == 0) return;
    draw_head(to, rest, seen, choice);
    if (rest.rows < 2) return;
    draw_keys(to, take_last_rows(rest, 1), seen, choice);
    const Area line = take_last_rows(rest, 1);
    if (seen.command) draw_command(to, line, *seen.command);
    if (rest.rows == 0) return;
    if (rest.rows > 6 && !(choice.enlarged && !panels_of(seen, true).empty())) take_row(rest);  // a blank line
    if (seen.shows_log && seen.panels.empty()) return draw_log(to, rest, seen, choice);
    if (seen.shows_log && rest.rows >= 8 && !choice.enlarged)
        draw_log(to, take_last_rows(rest, std::max<std::size_t>(3, rest.rows / 4)), seen, choice);
    draw_body(to, rest, seen, choice);
}

}  // namespace sigma::monitor
