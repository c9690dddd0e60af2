// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/network_actions.hpp>
#include <sigma/trainer/terminal/draw_maximised.hpp>

#include "support/steered_trainer.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

using namespace sigma;
using namespace sigma::test;

namespace {

using M = Model<SteeredNetwork>;
const MaximiseOptions quick{.steps = 20, .attempts = 1, .cost = 1e-3};

std::vector<float> dense(const Array<float>& x) { return {x.begin(), x.end()}; }
Array<float> two_records() { return {{1, 2, 3}, {-1, 0.5f, 0}}; }

}  // namespace

TEST_CASE("inputs are maximised in the background with the parameters of the moment") {
    SteeredTrainer trainer;
    std::vector<std::vector<float>> found, expected, passed, predicted;
    trainer.add(every(1, epoch)
                    .then(maximise(2, quick,
                                   [&](const Maximised<float>& x) {
                                       std::this_thread::sleep_for(std::chrono::milliseconds(5));  // training goes on
                                       found.push_back(dense(x.input));
                                   }),
                          pass(two_records(), [&](const auto& y) { passed.push_back(dense(y)); }))
                    .in_background(100));
    trainer.on_epoch([&](auto& t) {
        M copy = t.model();
        expected.push_back(dense(maximise(copy, 2, quick).input));
        predicted.push_back(dense(copy.predict(two_records())));
    });
    trainer.run(cpu(), 6);
    REQUIRE(found.size() == 6);
    CHECK(found == expected);
    CHECK(passed == predicted);
    CHECK(passed[0] != passed[5]);
    CHECK(found[0] != found[5]);
}

TEST_CASE("on the trainer's thread they change nothing of training") {
    SteeredTrainer alone, watched;
    int calls = 0;
    watched.add(every(1, iteration)
                    .then(maximise(Array<float>{2}, quick, [&](const auto&) { ++calls; }),
                          pass(two_records(), [&](const Array<float>& y, auto& context) {
                              calls += y.shape()[0] == 2;
                              context.print("passed");
                          })));
    std::vector<std::string> lines;
    watched.output = [&](std::string_view line) { lines.emplace_back(line); };
    alone.run(cpu(), 3);
    watched.run(cpu(), 3);
    CHECK(calls == 12);
    CHECK(lines == std::vector<std::string>(6, "passed"));
    CHECK(alone.parameters() == watched.parameters());
}

TEST_CASE("a maximised input is drawn") {
    SteeredTrainer trainer;
    std::string drawn;
    trainer.output = [&](std::string_view line) { drawn += line; };
    const auto hook = every(3, epoch).then(draw_maximised(1, quick));
    CHECK(hook.text() == "when(every(3, epoch)).then(draw_maximised(1))");
    trainer.add(hook.in_background());
    trainer.run(cpu(), 3);
    CHECK(drawn.starts_with("maximised 1: cost "));
    CHECK(std::ranges::count(drawn, '\n') == 1);  // a row of three, in one line

    auto picture = Array<float>::from_shape({2, 2, 3});
    picture(0, 1, 0) = 3, picture(1, 0, 2) = 6;
    const auto lines = detail::DrawMaximised::picture(picture);
    CHECK(lines == terminal::draw_lines(std::vector<float>{0, 0.5f, 1, 0}, 2, 2, terminal::has_utf8()));
    CHECK(detail::DrawMaximised::picture(Array<float>::from_shape({16})).size() == 2);
}

TEST_CASE("a time limit ends the search") {
    SteeredTrainer trainer;
    int found = 0;
    // Without all_steps, a search ends when its cost stays the same, which can be before the limit.
    MaximiseOptions endless{.steps = std::int64_t{1} << 60, .cost = 0, .all_steps = true};
    trainer.add(
        every(1, epoch)
            .then(maximise(Array<float>{1e6f}, endless, [&](const Maximised<float>& x) { found += !x.success; }))
            .in_background()
            .limit(std::chrono::milliseconds(20)));
    CHECK_THROWS_AS(trainer.run(cpu()), HookError);
    trainer.reset().wait();  // waits for the background
    CHECK(found == 1);
}

TEST_CASE("targets and inputs that do not fit are refused when the hook is added") {
    SteeredTrainer trainer;
    CHECK_THROWS_WITH(trainer.add(every(1, epoch).then(maximise(Array<float>{1, 2}, [](const auto&) {}))),
                      "target of maximise: expected shape (1), found shape (2)");
    CHECK_THROWS_AS(maximise(1, {.rate = -1}, [](const auto&) {}), ArgumentError);
    CHECK_THROWS_AS(trainer.add(every(1, epoch).then(pass(Array<float>{{1, 2}}, [](const auto&) {}))), ShapeError);
}
