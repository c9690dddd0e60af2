// SPDX-License-Identifier: BSL-1.0
// served PORT [RUNS]: a run with every panel, for the browser that the tests drive; prints its address, ends with
// SIGTERM. RUNS is the folder in which runs are kept.
#include <sigma/data/mnist.hpp>
#include <sigma/environment/log.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <unistd.h>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(32, relu) + Dense(16, relu) + Dense(10) + SoftmaxCE()> {};

int main(int count, char** arguments) {
    const auto [digits, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(digits, 32));
    trainer.add(every(1, epoch).then(score(testing)), every(100, iteration).then(report(epoch, loss)));
    // No faster than eyes can follow, on a machine whose browser wants the processor too.
    trainer.on_iteration([](auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    Log log("served");
    const std::filesystem::path mine = std::filesystem::temp_directory_path() / sentence("sigma-served-", ::getpid());
    const std::filesystem::path runs = count > 2 ? std::filesystem::path(arguments[2]) : mine;
    monitor::Web web(trainer, {.port = static_cast<std::uint16_t>(std::atoi(arguments[1])), .runs = runs.string()});
    web.on_start("digits", [&] { trainer.start(cpu()); });
    web.add(monitor::state, monitor::controls, monitor::chart(loss, error), monitor::chart(accuracy),
            monitor::parameters("optimizer.*"), monitor::draw_digit(28, 28), monitor::confusion(testing),
            monitor::weights("network.layers.1-dense.weights", 28, 28), monitor::graph, monitor::log);
    std::printf("%s\n", web.address().c_str());
    std::fflush(stdout);
    trainer.run({.epochs = RunOptions::forever});
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));  // stopped by the page: it may start again
}
