// SPDX-License-Identifier: BSL-1.0
// Drawing on grids, without any terminal.
#include "terminal/view.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace sigma::monitor;

namespace {

bool shows(const Grid& grid, std::string_view part) {
    const std::string all = grid.text();
    if (all.find(part) != all.npos) return true;
    UNSCOPED_INFO("expected " << part << " in\n" << all);
    return false;
}
bool has_part(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
Curve falling_curve(std::size_t points = 50) {
    Curve curve{.name = "loss"};
    for (std::size_t i = 1; i <= points; ++i) curve.points.emplace_back(i, 1.0 / static_cast<double>(i));
    curve.last = curve.points.back().second;
    return curve;
}
Seen digits_seen() {
    Seen seen;
    seen.trainers.push_back({.name = "digits", .state = "running", .device = "cpu, 2 threads"});
    TrainerSeen& trainer = seen.trainers.back();
    trainer.epoch = 2;
    trainer.iteration = 1500;
    trainer.batches = 600;
    trainer.epochs = 20;
    trainer.per_second = 12345;
    trainer.runtime = 65.5;
    trainer.left = 80;
    seen.panels.push_back({.kind = "chart", .title = "loss", .curves = {falling_curve()}});
    seen.panels.push_back({.kind = "chart", .title = "accuracy", .curves = {{.name = "accuracy"}}});
    seen.panels.push_back(
        {.kind = "parameters", .title = "optimizer.*", .rows = {{"optimizer.learning_rate", "0.01"}}});
    seen.log.push_back({0, "info", "digits", "a line"});
    seen.log.push_back({0, "debug", "digits", "a small one"});
    seen.log.push_back({0, "error", "", "a bad one"});
    return seen;
}
std::size_t row_with(const Grid& grid, std::string_view part) {
    for (std::size_t y = 0; y < grid.rows(); ++y)
        if (grid.line(y).find(part) != std::string::npos) return y;
    return grid.rows();
}

}  // namespace

TEST_CASE("A grid takes any text and keeps it within its columns") {
    Grid grid(6, 2, true);
    CHECK(grid.put(1, 0, "Größe und mehr") == 5);
    CHECK(grid.line(0) == " Größe");
    CHECK(grid.put(0, 1, "数据e\u0301\x1b[2J") == 6);
    CHECK(grid.line(1) == "数据e\u0301?");
    CHECK(grid.at(0, 1).text == "数");
    CHECK(grid.at(1, 1).text.empty());
    CHECK(grid.put(6, 0, "x") == 0);
    CHECK(grid.put(0, 2, "x") == 0);
    grid.set(9, 9, "x", Style::plain);
    CHECK(grid.put(0, 0, "abc", Style::bad, 2) == 2);
    CHECK(grid.at(1, 0) == GridCell{"b", Style::bad});
    CHECK(grid.at(2, 0).style == Style::plain);
    Grid ascii(6, 1, false);
    ascii.put(0, 0, "Größe");
    CHECK(ascii.line(0) == "Gr??e");
}

TEST_CASE("Numbers of a chart are short") {
    CHECK(short_number(0.123456) == "0.1235");
    CHECK(short_number(0) == "0");
    CHECK(short_number(-2.5) == "-2.5");
    CHECK(short_number(1234567) == "1234567");
    CHECK(short_number(1e-7) == "1e-07");
    CHECK(short_number(std::numeric_limits<double>::quiet_NaN()) == "nan");
    CHECK(short_number(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("A chart has its curve, axes and the last value") {
    Grid grid(40, 10, true);
    draw_chart(grid, grid.area(), {falling_curve()}, "loss", true);
    CHECK(grid.line(0) == "▸ loss 0.02");
    CHECK(grid.line(1).starts_with("   1│"));
    CHECK(grid.line(7).starts_with("0.02│"));
    CHECK(grid.line(8).starts_with("    └───"));
    CHECK(grid.line(9).starts_with("     1"));
    CHECK(grid.line(9).ends_with("50"));
    // The curve begins above and ends below, and is in one piece.
    CHECK(grid.at(5, 1).text != " ");
    CHECK(grid.at(5, 1).style == Style::first);
    CHECK(grid.at(39, 7).text != " ");
    CHECK(grid.at(39, 1).text == " ");
    for (std::size_t x = 5; x < 40; ++x) {
        bool drawn = false;
        for (std::size_t y = 1; y < 8; ++y) drawn = drawn || grid.at(x, y).text != " ";
        CHECK(drawn);
    }
}

TEST_CASE("Dots of a chart are where the numbers are") {
    Grid grid(2, 2, true);  // too small for axes, and for a curve
    draw_chart(grid, grid.area(), {falling_curve()}, "loss", false);
    CHECK(grid.line(0) == "lo");
    Grid four(4, 2, true);
    draw_chart(four, four.area(), {{.name = "y", .points = {{0, 0}, {7, 3}}}}, "y", false);
    CHECK(four.line(1) == "⣀⠤⠒⠉");
    Grid ascii(4, 2, false);
    draw_chart(ascii, ascii.area(), {{.name = "y", .points = {{0, 0}, {3, 1}}}}, "y", false);
    CHECK(ascii.line(1) == "..''");
}

TEST_CASE("Numbers that are not finite are gaps, and none is no chart") {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    Grid grid(8, 2, true);
    draw_chart(grid, grid.area(), {{.name = "y", .points = {{0, 1}, {3, none}, {4, none}, {15, 1}}}}, "y", false);
    CHECK(grid.at(0, 1).text != " ");
    CHECK(grid.at(7, 1).text != " ");
    for (std::size_t x = 1; x < 7; ++x) CHECK(grid.at(x, 1).text == " ");
    Grid empty(30, 6, true);
    draw_chart(empty, empty.area(), {{.name = "accuracy"}}, "accuracy", false);
    CHECK(empty.line(0) == "accuracy -");
    CHECK(empty.line(1) == "no numbers yet");
    constexpr double most = std::numeric_limits<double>::max();
    Grid wide(30, 8, true);
    draw_chart(wide, wide.area(), {{.name = "y", .points = {{1, -most}, {2, most}}}}, "y", false);
    CHECK(wide.at(29, 1).text != " ");
}

TEST_CASE("Several curves share a chart, each in its colour") {
    Grid grid(40, 8, true);
    draw_chart(grid, grid.area(), {falling_curve(), {.name = "error", .points = {{1, 0.5}, {50, 0.5}}, .last = 0.5}},
               "both", false);
    CHECK(grid.line(0) == "both  loss 0.02  error 0.5");
    CHECK(grid.at(6, 0).style == Style::first);
    CHECK(grid.at(17, 0).style == Style::second);
    bool second = false;
    for (std::size_t y = 1; y < 6; ++y) second = second || grid.at(30, y).style == Style::second;
    CHECK(second);
}

TEST_CASE("The view has a head, charts, parameters, the log and the keys") {
    const Seen seen = digits_seen();
    Grid grid(100, 30, true);
    draw(grid, seen, {});
    CHECK(grid.line(0) == "digits  running  cpu, 2 threads  in 1:05");
    CHECK(grid.line(1).starts_with("epoch 2/20 ▕██"));
    CHECK(shows(grid, "iteration 1500  12.3k records/s  1:20 left"));
    CHECK(shows(grid, "▸ loss 0.02"));
    CHECK(shows(grid, "accuracy -"));
    CHECK(shows(grid, "optimizer.learning_rate  0.01"));
    CHECK(shows(grid, "digits  a line"));
    CHECK(shows(grid, "error a bad one"));
    CHECK_FALSE(has_part(grid.text(), "a small one"));
    CHECK(grid.line(29) ==
          "space pause  s step  x stop  w save  q leave  ←→ chart  enter enlarge  l log: info  ↑↓ scroll");
    CHECK(grid.line(28).empty());
    CHECK(row_with(grid, "▸ loss") < row_with(grid, "a line"));
}

TEST_CASE("The view says how a run has ended, in its head and in its charts") {
    Seen seen = digits_seen();
    seen.trainers[0].state = "failed";
    seen.trainers[0].reason = "the loss is NaN";
    seen.panels[0].ended = "failed at 1500";
    Grid grid(100, 30, true);
    draw(grid, seen, {});
    CHECK(grid.line(0) == "digits  failed  cpu, 2 threads  in 1:05  the loss is NaN");
    CHECK(shows(grid, "▸ failed at 1500  loss 0.02"));
    seen.trainers[0].state = "stopped";
    seen.trainers[0].reason = "a hook";
    Grid next(100, 30, true);
    draw(next, seen, {});
    CHECK(next.line(0).ends_with("by a hook"));
    for (const char* over : {"finished", "stopped", "failed"}) {
        seen.trainers[0].state = over;
        seen.trainers[0].can_start = true;
        CHECK(wish_of(Key{U' '}, seen, {}) == Wish::start);
    }
}

TEST_CASE("Numbers that are not finite are marks at the edges of a chart") {
    Curve curve = falling_curve();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    curve.odd = {{10, infinity}, {25, std::nan("")}, {40, -infinity}};
    for (const bool utf8 : {true, false}) {
        Grid grid(60, 12, utf8);
        draw_chart(grid, grid.area(), {curve}, "loss", false);
        CHECK(has_part(grid.line(1), utf8 ? "▲" : "^"));
        CHECK(has_part(grid.line(9), utf8 ? "×" : "x"));
        CHECK(has_part(grid.line(9), utf8 ? "▼" : "v"));
    }
}

TEST_CASE("Everything fits on a narrow screen, and nothing goes wrong on any") {
    Seen seen = digits_seen();
    Grid narrow(60, 24, false);
    draw(narrow, seen, {});
    CHECK(shows(narrow, "> loss 0.02"));
    CHECK(shows(narrow, "optimizer.learning_rate  0.01"));
    CHECK(shows(narrow, "a bad one"));
    CHECK(row_with(narrow, "> loss") < row_with(narrow, "optimizer.*"));
    CHECK(row_with(narrow, "optimizer.*") < row_with(narrow, "a bad one"));
    for (const char c : narrow.text()) CHECK(static_cast<unsigned char>(c) < 0x80);
    for (int i = 0; i < 9; ++i) seen.panels.push_back(seen.panels.front());
    seen.command = CommandSeen{.text = "pause", .status = "refused", .reason = "because"};
    for (std::size_t columns = 0; columns < 130; columns += columns < 20 ? 1 : 9)
        for (std::size_t rows = 0; rows < 50; rows += rows < 12 ? 1 : 8)
            for (const bool enlarged : {false, true})
                for (const std::size_t chart : {std::size_t{0}, std::size_t{10}}) {
                    Grid any(columns, rows, true);
                    draw(any, seen, {.chart = chart, .enlarged = enlarged});
                    if (columns > 30 && rows > 12) CHECK(shows(any, "▸ "));
                }
}

TEST_CASE("What a command did is said") {
    Seen seen = digits_seen();
    const auto said = [&](std::string status, std::string reason) {
        seen.command = CommandSeen{.text = "pause", .status = std::move(status), .reason = std::move(reason)};
        Grid grid(80, 24, true);
        draw(grid, seen, {});
        return grid.line(22);
    };
    CHECK(said("pending", "") == "pause: pending");
    CHECK(said("done", "") == "pause: done");
    CHECK(said("refused", "pause of trainer 'digits': expected a running trainer, found an idle one") ==
          "pause: refused: pause of trainer 'digits': expected a running trainer, found an");
}

TEST_CASE("Keys ask for what fits the state") {
    Seen seen = digits_seen();
    const auto wish = [&](char32_t key) { return wish_of(Key{key}, seen, {}); };
    CHECK(wish(U' ') == Wish::pause);
    CHECK(wish(U's') == Wish::step);
    CHECK(wish(U'x') == Wish::stop);
    CHECK(wish(U'S') == Wish::stop);
    CHECK(wish(U'w') == Wish::save);
    CHECK(wish(U'q') == Wish::leave);
    CHECK(wish(3) == Wish::interrupt);
    CHECK(wish(26) == Wish::suspend);
    CHECK(wish(12) == Wish::redraw);
    CHECK(wish(U'y') == Wish::nothing);
    seen.trainers[0].state = "paused";
    CHECK(wish(U' ') == Wish::resume);
    seen.trainers[0].state = "idle";
    CHECK(wish(U' ') == Wish::pause);
    seen.trainers[0].can_start = true;
    CHECK(wish(U' ') == Wish::start);
    Grid grid(100, 24, true);
    draw(grid, seen, {});
    CHECK(shows(grid, "space start"));
    seen.trainers.clear();
    CHECK(wish(U' ') == Wish::pause);
    Grid none(80, 24, true);
    draw(none, seen, {});
    CHECK(none.line(0) == "no trainer yet");
}

TEST_CASE("Keys choose what is looked at") {
    Seen seen = digits_seen();
    seen.trainers.push_back({.name = "other", .state = "idle"});
    Choice choice;
    CHECK(look(Key::tab, seen, choice));
    CHECK(choice.trainer == 1);
    Grid grid(100, 30, true);
    draw(grid, seen, choice);
    CHECK(grid.line(0).starts_with(" digits  [other] idle"));
    look(Key::tab, seen, choice);
    CHECK(choice.trainer == 0);
    look(Key::back_tab, seen, choice);
    CHECK(choice.trainer == 1);
    look(Key::right, seen, choice);
    CHECK(choice.chart == 1);
    look(Key::right, seen, choice);
    CHECK(choice.chart == 0);
    look(Key::left, seen, choice);
    CHECK(choice.chart == 1);
    look(Key::enter, seen, choice);
    Grid large(80, 24, true);
    draw(large, seen, choice);
    CHECK(shows(large, "▸ accuracy"));
    CHECK_FALSE(has_part(large.text(), "loss"));
    look(Key::enter, seen, choice);
    CHECK(!choice.enlarged);
    CHECK_FALSE(look(Key{U'q'}, seen, choice));
    Seen nothing;
    for (const Key key : {Key::tab, Key::back_tab, Key::left, Key::right, Key::up, Key::page_down, Key::enter})
        look(key, nothing, choice);
}

TEST_CASE("The log shows levels, and scrolls") {
    Seen seen = digits_seen();
    for (std::uint64_t i = 4; i < 100; ++i) seen.log.push_back({0, "info", "", "line " + std::to_string(i) + "."});
    Choice choice;
    const auto drawn = [&] {
        Grid grid(80, 24, true);
        draw(grid, seen, choice);
        return grid.text();
    };
    CHECK(has_part(drawn(), "line 99."));
    for (int i = 0; i < 20; ++i) look(Key::page_up, seen, choice);
    CHECK(has_part(drawn(), "digits  a line"));
    CHECK(has_part(drawn(), "newer lines"));
    for (int i = 0; i < 200; ++i) look(Key::page_down, seen, choice);
    CHECK(has_part(drawn(), "line 99."));
    look(Key::up, seen, choice);
    CHECK(!has_part(drawn(), "line 99."));
    look(Key{U'l'}, seen, choice);  // warning
    CHECK(!has_part(drawn(), "line 9"));
    CHECK(has_part(drawn(), "a bad one"));
    look(Key{U'l'}, seen, choice);  // error
    look(Key{U'l'}, seen, choice);  // debug
    look(Key::page_up, seen, choice);
    for (int i = 0; i < 20; ++i) look(Key::page_up, seen, choice);
    CHECK(has_part(drawn(), "debug digits  a small one"));
}
