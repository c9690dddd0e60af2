// SPDX-License-Identifier: BSL-1.0
// What a monitor costs a step of 784-128-64-10: none, one without clients, and with 1 and 10 that listen to the loss
// and read. The four take turns, and the median of the rounds counts.
#include <sigma/core/number_text.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include "support/raw_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <memory>
#include <thread>
#include <vector>

using namespace sigma;

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

Dataset records() {
    std::vector<float> inputs(1000 * 784), labels(1000);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<float>(i * 7 % 10);
    return Dataset(Numbers{{1000, 784}, std::move(inputs)}, Numbers{{1000}, std::move(labels)}, "random");
}

/// A trainer with a monitor, or none, and those who look.
struct Watching {
    Trainer<Digits, GradientDescent> trainer{"digits", Digits{}, GradientDescent{.learning_rate = 0.001},
                                             minibatches(records(), 100)};
    std::unique_ptr<monitor::Web> web;
    std::list<test::RawClient> clients;
    std::vector<std::jthread> readers;
    std::vector<double> microseconds;

    explicit Watching(int watching) {
        if (watching < 0) return;
        web = std::make_unique<monitor::Web>(trainer, monitor::WebOptions{.port = 0});
        for (int i = 0; i < watching; ++i) {
            test::RawClient& client = clients.emplace_back(web->port());
            client.upgrade();
            client.send_message(R"({"subscribe":{"trainer":"digits","series":["loss","optimizer.learning_rate"]}})");
            readers.emplace_back([&client] {
                while (client.message() != "gone") {}
            });
        }
    }
    ~Watching() {
        web.reset();  // its clients are gone, too
        readers.clear();
    }
    void round(int epochs) {
        const auto began = std::chrono::steady_clock::now();
        trainer.run(cpu(), epochs);
        const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - began;
        microseconds.push_back(all.count() / (10 * epochs));
    }
    double median() {
        std::ranges::sort(microseconds);
        return microseconds[microseconds.size() / 2];
    }
};

}  // namespace

int main(int count, char** arguments) {
    double rounds = 100;
    if (count > 1 && !detail::read_number(arguments[1], rounds)) return 2;
    Watching none(-1), nobody(0), one(1), ten(10);
    Watching* const all[] = {&none, &nobody, &one, &ten};
    for (int i = 0; i < static_cast<int>(rounds) + 3; ++i)
        for (Watching* each : all) {
            each->round(20);
            if (i < 3) each->microseconds.clear();
        }
    const char* const names[] = {"no monitor", "a monitor", "1 client", "10 clients"};
    for (int i = 0; i < 4; ++i)
        std::printf("%-12s %8.2f us a step, %+.2f %%\n", names[i], all[i]->median(),
                    100 * (all[i]->median() / none.median() - 1));
}
