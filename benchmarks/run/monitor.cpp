// SPDX-License-Identifier: BSL-1.0
// What a monitor costs a step of 784-128-64-10: none, one without clients, and with 1 and 10 that listen to the loss
// and read, 200, and one that never reads. They take turns, and the median of the rounds counts. And a chart of 10^7
// points.
#include <sigma/core/number_text.hpp>
#include <sigma/monitor/series.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include "support/raw_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace sigma;

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }
double median(std::vector<double> all) {
    std::ranges::sort(all);
    return all[all.size() / 2];
}
/// MB of this program.
double resident() {
    long all = 0, now = 0;
    std::ifstream("/proc/self/statm") >> all >> now;
    return static_cast<double>(now) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

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
        trainer.output = [](std::string_view) {};
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
        trainer.run(cpu(1), epochs);
        const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - began;
        microseconds.push_back(all.count() / (10 * epochs));
    }
};

/// Steps beside those of the first; of each round, since the machine may be slower in some, and the median of these.
void compare(std::span<Watching* const> all, std::span<const char* const> names, int rounds) {
    for (int i = 0; i < rounds + 3; ++i)
        for (Watching* each : all) {
            each->round(20);
            if (i < 3) each->microseconds.clear();
        }
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<double> more;
        for (std::size_t k = 0; k < all[i]->microseconds.size(); ++k)
            more.push_back(100 * (all[i]->microseconds[k] / all[0]->microseconds[k] - 1));
        std::printf("%-24s %8.2f us a step, %+.2f %%\n", names[i], median(all[i]->microseconds), median(more));
    }
}

/// 10^7 points in one chart, and what a browser asks for.
void many_points() {
    const double before = resident();
    monitor::Series series;
    auto began = Clock::now();
    for (int i = 1; i <= 10'000'000; ++i)
        series.append({static_cast<double>(i), static_cast<double>(i % 997), static_cast<double>(i)});
    const double added = since(began), memory = resident() - before;
    std::vector<double> asked;
    std::size_t columns = 0;
    for (int i = 0; i < 101; ++i) {
        began = Clock::now();
        columns += series.history(0, 1e7, 1000).size();
        asked.push_back(1000 * since(began));
    }
    std::printf("10^7 points of a chart: %.2f s to add, %.1f MB, %zu buckets and points, %.2f ms for %zu columns\n",
                added, memory, series.size(), median(asked), columns / 101);
}

/// Two hundred streams and what they cost: until all have the greeting and the first points, steps, memory.
void many_clients(Watching& none) {
    const double before = resident();
    Watching crowd(0);
    std::list<test::RawClient> clients;
    const auto began = Clock::now();
    for (int i = 0; i < 200; ++i) clients.emplace_back(crowd.web->port()).upgrade();
    for (test::RawClient& client : clients) {
        client.message_with("hello");
        client.send_message(R"({"subscribe":{"trainer":"digits","series":["loss"]}})");
    }
    std::printf("200 clients: %.0f ms until all are greeted\n", 1000 * since(began));
    std::jthread reader([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            for (test::RawClient& client : clients) client.message();
    });
    Watching* const all[] = {&none, &crowd};
    const char* const names[] = {"no monitor", "200 clients"};
    compare(all, names, 20);
    std::printf("200 clients: %.1f MB, with what they hold on their side\n", resident() - before);
    reader.request_stop();
    reader.join();
}

/// One that asks for all, and never reads.
void deaf_client(Watching& none) {
    Watching watched(0);
    const std::string line(4000, 'x');
    const auto print = [&](int lines) {
        for (int i = 0; i < lines; ++i) {
            watched.trainer.output(line);
            if (i % 50 == 49) std::this_thread::sleep_for(std::chrono::milliseconds(55));
        }
    };
    print(10'000);  // the log is full
    const double before = resident();
    test::RawClient deaf(watched.web->port(), 4096);
    deaf.upgrade();
    deaf.send_message(R"({"subscribe":{"trainer":"digits","series":["loss","optimizer.learning_rate"]}})");
    print(5'000);
    std::printf("a client that never reads: %+.1f MB after 20 MB for it\n", resident() - before);
    Watching* const all[] = {&none, &watched};
    const char* const names[] = {"no monitor", "one that never reads"};
    compare(all, names, 20);
}

}  // namespace

int main(int count, char** arguments) {
    double rounds = 100;
    if (count > 1 && !detail::read_number(arguments[1], rounds)) return 2;
    many_points();
    Watching none(-1);
    {
        Watching nobody(0), one(1), ten(10);
        Watching* const all[] = {&none, &nobody, &one, &ten};
        const char* const names[] = {"no monitor", "a monitor", "1 client", "10 clients"};
        compare(all, names, static_cast<int>(rounds));
    }
    none.microseconds.clear();
    many_clients(none);
    none.microseconds.clear();
    deaf_client(none);
}
