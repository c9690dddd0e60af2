// SPDX-License-Identifier: BSL-1.0
// The workers of a run side by side on a terminal.
#include <sigma/monitor/terminal.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include "board.hpp"
#include "support/point_trainer.hpp"
#include "terminal/model.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace sigma;
using namespace sigma::test;
using Catch::Matchers::Contains;

TEST_CASE("A terminal shows the workers of a run side by side, while there are some") {
    PointTrainer trainer;
    monitor::Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    monitor::Model model(board, false, [] {});
    const auto drawn = [&](std::size_t columns, std::size_t rows) {
        monitor::Grid grid(columns, rows, true);
        draw(grid, model.look({}, columns), {});
        return grid.text();
    };
    trainer.run(cpu(), 1);
    CHECK_THAT(drawn(120, 30), !Contains("worker"));
    trainer.run(workers({cpu(1), cpu({.threads = 2})}), 3);
    const auto seen = model.look({}, 120);
    const auto panel = std::ranges::find(seen.panels, "workers", &monitor::PanelSeen::kind);
    REQUIRE(panel != seen.panels.end());
    CHECK(panel->title == "workers: 0 of 2 train");
    REQUIRE(panel->rows.size() == 3);
    CHECK(panel->rows[0].first == "worker");
    CHECK_THAT(panel->rows[0].second, Contains("state  steps") && Contains("steps/s") && Contains("waits"));
    CHECK(panel->rows[2].first == "2");
    CHECK_THAT(panel->rows[2].second, Contains("over ") && Contains(" 3  ") && Contains(" %  cpu, 2 threads"));
    CHECK(panel->rows[1].second.find("over") == panel->rows[0].second.find("state"));
    for (const auto& screen : {drawn(140, 40), drawn(80, 24)}) {
        INFO(screen);
        CHECK_THAT(screen, Contains("workers: 0 of 2 train") && Contains("1       over"));
        CHECK_THAT(screen, Contains("2       over"));
    }
    // Beside the panels that a program has chosen, too.
    model.show(monitor::chart("loss"));
    CHECK_THAT(drawn(140, 40), Contains("2       over"));
    trainer.run(cpu(), 1);
    CHECK_THAT(drawn(120, 30), !Contains("worker"));
}
