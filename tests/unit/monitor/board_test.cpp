// SPDX-License-Identifier: BSL-1.0
// What a monitor has and answers, without any network. Its thread is quiet: turns are those of the test.
#include <sigma/hook/words.hpp>
#include <sigma/sigma.hpp>

#include "board.hpp"
#include "support/point_trainer.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

using namespace sigma;
using namespace sigma::test;
using monitor::Board;
using monitor::Json;

TEST_CASE("A question sees all that a trainer has left until then") {
    PointTrainer trainer;
    trainer.add(every(epoch).then(score(points())));
    Board board{{}};
    board.quiet();
    board.enter(monitor::watch(trainer));
    trainer.run(cpu(), 2);
    CHECK(board.history("points", "accuracy", 0, 100, 100)["x"] == Json({2.0, 4.0}));
    CHECK(board.history("points", "loss", 0, 100, 100)["x"] == Json({1.0, 2.0, 3.0, 4.0}));
    trainer.run(cpu(), 1);
    bool found = false;
    for (const Json& one : board.series("points"))
        if (one["name"] == "loss") found = one["points"] == 6;
    CHECK(found);
    // Who listens is told all of it, too.
    std::shared_ptr<const monitor::Tick> told;
    board.on_tick([&](std::shared_ptr<const monitor::Tick> tick) { told = std::move(tick); });
    board.turn();
    REQUIRE(told);
    CHECK(told->points.at("points").at("loss").size() == 6);
    board.turn();
    CHECK(told->points.at("points").empty());
    board.on_tick(nullptr);
}
