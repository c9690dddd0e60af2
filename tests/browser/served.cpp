// SPDX-License-Identifier: BSL-1.0
// served PORT RUNS [TOKEN]: a run with every panel, for the browser that the tests drive; prints its address, ends
// with SIGTERM. RUNS is the folder in which runs are kept.
#include <sigma/data/mnist.hpp>
#include <sigma/environment/log.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

using namespace sigma;

constexpr MaximiseOptions as_picture{
    .steps = 100, .all_steps = true, .decay = 0.003, .smoothing = 0.006, .lowest = 0, .highest = 1};

struct Digits : Network<Input(28, 28) + Dense(32, relu) + Dense(16, relu) + Dense(10) + SoftmaxCE()> {};

/// The network of the game, trained or not.
struct Moves : Network<Input(9) + Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};

int main(int count, char** arguments) {
    if (count < 3) {
        std::fprintf(stderr, "served PORT RUNS [TOKEN]: a port and a folder are required\n");
        return 2;
    }
    const auto [digits, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 32));
    trainer.add(every(1, epoch).then(score(testing)), every(100, iteration).then(report(epoch, loss)));
    // Slow enough to watch, and leaves time of the processor to the browser.
    trainer.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    detail::Log log("served");
    Numbers boards{{6, 9}, std::vector<float>(54)};
    for (std::size_t i = 0; i < 54; ++i) boards.values[i] = static_cast<float>(i % 3) - 1;
    Trainer moves("moves", Moves{}, Adam{}, minibatches(Dataset(boards, {{6}, {0, 1, 2, 0, 1, 2}}, "boards"), 3));
    moves.registry().set("mode", "warm");
    moves.registry().set("on", true);
    moves.registry().set("none", std::numeric_limits<double>::quiet_NaN());
    moves.registry().set("story", std::string(300, 'x') + "the end").set("lines", std::string("one\ntwo"));
    // A number that is sometimes not finite.
    trainer.registry().link<double>("odd", [&trainer] {
        constexpr double odd[] = {1,
                                  2,
                                  std::numeric_limits<double>::quiet_NaN(),
                                  2,
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity()};
        return odd[trainer.iteration() / 30 % 6];
    });

    monitor::Web web(trainer, {.port = static_cast<std::uint16_t>(std::atoi(arguments[1])),
                               .token = count > 3 ? arguments[3] : "",
                               .runs = arguments[2]});
    web.watch(moves);
    web.on_start("digits", [&] { trainer.start(cpu()); });
    moves.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    web.on_start("moves", [&] { moves.start(workers(3)); });
    web.add(monitor::overview, monitor::chart(loss, error), monitor::chart(accuracy), monitor::draw_digit(28, 28),
            monitor::ranked(testing, 3), monitor::confusion(testing), monitor::table(testing, 12),
            monitor::bars(loss, "optimizer.learning_rate"), monitor::ranked(accuracy), monitor::tasks,
            monitor::tic_tac_toe.of("moves"));
    web.add(monitor::parameters("optimizer.*", monitor::slider("optimizer.learning_rate", 1e-5, 1.0)),
            monitor::parameters(monitor::choice("mode", {"warm", "cold"})).of("moves"),
            monitor::parameters("on").of("moves"), monitor::parameters("none").of("moves"),
            monitor::weights("network.layers.1-dense.weights", 28, 28), monitor::maximised(10, as_picture),
            monitor::histogram("network.layers.*.weights"), monitor::histogram("network.layers.*.gradients.weights"));
    web.add(monitor::predictions(testing, {.records = 500}), monitor::graph, monitor::activations(testing).on("Health"),
            monitor::health, monitor::system, monitor::log,
            monitor::table("powers", {"n", "n squared"},
                           [] { return monitor::Rows{{1.0, 1.0}, {2.0, 4.0}, {"three", 9.0}}; })
                .on("Mine")
                .wide(1),
            monitor::picture("a ramp", 4, 4,
                             [] {
                                 std::vector<float> ramp(16);
                                 for (std::size_t i = 0; i < 16; ++i) ramp[i] = static_cast<float>(i);
                                 return ramp;
                             }),
            monitor::chart("odd", "optimizer.learning_rate").on("Mine").wide(1),
            monitor::parameters("story").of("moves"), monitor::parameters("lines").of("moves"));
    web.follow(log);
    trainer.on_iteration([&](auto&) {  // lets a test make it fail or warn
        if (moves.registry().get<std::string>("mode") == "failing") {
            moves.registry().set("mode", "warm");
            throw std::runtime_error("the loss is infinite, as a test wanted it");
        }
        if (moves.registry().get<std::string>("mode") != "falling") return;
        moves.registry().set("mode", "warm");
        log.warning("the sky is falling");
    });
    std::printf("%s\n", web.link().c_str());
    std::fflush(stdout);
    try {
        trainer.run({.epochs = RunOptions::forever});
    } catch (const std::runtime_error& error) { std::fprintf(stderr, "%s\n", error.what()); }
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));  // the page may start it again
}
