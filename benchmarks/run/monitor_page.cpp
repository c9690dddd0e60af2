// SPDX-License-Identifier: BSL-1.0
// monitor_page POINTS: a run of so many iterations with a monitor, whose page stays until SIGTERM; prints its address
// when they are over. For monitor_page.mjs.
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

using namespace sigma;

struct Line : Network<Input(1) + Dense(64, tanh) + Dense(1) + MeanSquaredError()> {};

int main(int count, char** arguments) {
    constexpr int epoch = 1000, batch = 8,
                  records = epoch * batch;  // more than a microsecond each: no point is dropped
    const int points = count > 1 ? std::atoi(arguments[1]) : 0;
    if (points < epoch) {
        std::fprintf(stderr, "monitor_page POINTS: expected at least %d\n", epoch);
        return 2;
    }
    std::vector<float> inputs(records), targets(records);
    for (std::size_t i = 0; i < records; ++i) {
        inputs[i] = static_cast<float>(i) / records;
        targets[i] = static_cast<float>(i * 7 % 13);
    }
    Trainer trainer("line", Line{}, GradientDescent{.learning_rate = 0.001},
                    minibatches(Dataset(Numbers{{records, 1}, inputs}, Numbers{{records, 1}, targets}, "line"), batch));
    trainer.output = [](std::string_view) {};
    monitor::Web web(trainer, {.port = 0});
    trainer.run(cpu(1), points / epoch);
    std::printf("%s\n", web.address().c_str());
    std::fflush(stdout);
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}
