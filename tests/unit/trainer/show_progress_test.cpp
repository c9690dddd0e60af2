// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>
#include <sigma/hook/compute.hpp>
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>
#include <sigma/trainer/trainer.hpp>

#include <support/pseudo_terminal.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <thread>

using namespace sigma;

namespace {

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

Dataset points() {
    Numbers x{{30, 2}, std::vector<float>(60)}, y{{30}, std::vector<float>(30)};
    for (std::size_t i = 0; i < 30; ++i) {
        x.values[2 * i] = static_cast<float>(i % 7);
        y.values[i] = static_cast<float>(i % 2);
    }
    return {x, y, "points"};
}
auto make() {
    return std::make_unique<Trainer<Tiny, GradientDescent>>("tiny", Tiny{}, GradientDescent{.learning_rate = 0.1},
                                                            minibatches(points(), 10));
}
/// Returns the part of a line before the loss and the times.
std::string front_of(const std::string& line) { return line.substr(0, line.find("  loss")); }
std::string contents(std::FILE* file) {
    std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    return text;
}

}  // namespace

TEST_CASE("Progress in a log is a line for each epoch") {
    const auto trainer = make();
    std::vector<std::string> lines;
    trainer->output = [&](std::string_view line) { lines.emplace_back(line); };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    trainer->add(every(1, iteration).then(ShowProgress<>(file.get(), false)),
                 // The order of hooks is repaired.
                 every(1, epoch).then(show_progress(accuracy, file.get())),
                 every(1, epoch).then(compute<"accuracy">([](auto& t) { return static_cast<double>(t.epoch()) / 8; })));
    trainer->run(cpu(1), 2);
    REQUIRE(lines.size() == 2);
    CHECK(front_of(lines[0]) == "epoch 1/2");
    CHECK(front_of(lines[1]) == "epoch 2/2");
    CHECK(lines[0].find("accuracy 12.50 %") != std::string::npos);
    CHECK(lines[1].find("accuracy 25.00 %") != std::string::npos);
    CHECK(lines[1].find("samples/s  0 s left") != std::string::npos);
    CHECK(std::ftell(file.get()) == 0);
}

TEST_CASE("Progress on a terminal rewrites its line") {
    const auto trainer = make();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    std::vector<double> seen;
    trainer->output = [](std::string_view) { FAIL("nothing is printed"); };
    trainer->add(every(1, iteration).then(ShowProgress(file.get(), true, latest(accuracy))),
                 every(1, epoch).then(score(points()), ShowProgress(file.get(), true, accuracy)));
    trainer->run(cpu(1), 1);
    std::string text = contents(file.get());
    CHECK(text.starts_with("\repoch 1/1 |" + terminal::bar(1.0 / 3, 20, terminal::has_utf8()) + "|  loss"));
    CHECK(text.find("\033[K\r\033[Kepoch 1/1 |" + terminal::bar(1, 20, terminal::has_utf8()) + "|") !=
          std::string::npos);
    CHECK(text.ends_with("  0 s left\n"));
    CHECK(text.find("accuracy") > text.find("\033[K"));  // not known before the epoch is over
    CHECK(text.find("accuracy") != std::string::npos);
}

TEST_CASE("Progress without an end has no end to tell") {
    const auto trainer = make();
    std::string line;
    trainer->output = [&](std::string_view l) { line = l; };
    trainer->add(every(1, epoch).then(ShowProgress<>(stdout, false), [](auto& t) { t.stop(); }));
    trainer->run(cpu(1));
    CHECK(front_of(line) == "epoch 1");
    CHECK(line.find("left") == std::string::npos);
    CHECK(line.find("accuracy") == std::string::npos);
}

TEST_CASE("Progress with a data set is a sentence of its own, which scores") {
    const auto trainer = make();
    std::vector<std::string> lines;
    trainer->output = [&](std::string_view line) { lines.emplace_back(line); };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    double seen = 0;
    int reached = 0;
    trainer->add((every(1, iteration) || every(1, epoch)).then(ShowScored<>(file.get(), false, points())),
                 when(accuracy.exceeds(-1)).then([&] { ++reached; }),
                 every(epoch).then(use(accuracy, [&](double a) { seen = a; })));
    trainer->run(cpu(1), 2);
    REQUIRE(lines.size() == 2);
    const auto score = trainer->evaluate(points());
    CHECK(front_of(lines[0]) == "epoch 1/2");
    CHECK(front_of(lines[1]) == "epoch 2/2");
    CHECK(seen == score.accuracy);
    CHECK(reached == 1);
    CHECK(lines[1].find("  accuracy " + detail::fixed_text(100 * score.accuracy, 2) + " %") != std::string::npos);
    CHECK(lines[1].find("  validation loss " + detail::fixed_text(score.error, 4)) != std::string::npos);
}

TEST_CASE("Progress with metrics shows each of them") {
    const auto trainer = make();
    std::vector<std::string> lines;
    trainer->output = [&](std::string_view line) { lines.emplace_back(line); };
    trainer->add((every(1, iteration) || every(1, epoch)).then(ShowScored(stdout, false, points(), top<1, 2>)),
                 when(value<"top2">.reaches(1)).then(stop));
    trainer->run(cpu(1), 5);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("  top1 0.") != std::string::npos);
    CHECK(lines[0].find("  top2 1.0000") != std::string::npos);
}

TEST_CASE("A trainer without hooks shows a run on a terminal, others do not") {
    ::setenv("TERM", "xterm", 1);
    PseudoTerminal pty(100);
    const auto train = [&](auto& trainer, auto... options) {
        const Redirected redirected(2, pty.descriptor());
        std::thread ends([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(700));
            trainer.stop();
        });
        if constexpr (sizeof...(options) > 0) trainer.run(options...);
        else trainer.run(cpu(1));
        ends.join();
        return pty.screen();
    };
    const auto quiet = make(), hooked = make(), called = make(), spoken = make(), alone = make();
    CHECK(train(*quiet, RunOptions{.epochs = RunOptions::forever, .device = cpu(1), .quiet = true}).empty());
    hooked->add(every(epoch).then([] {}));
    CHECK(train(*hooked).empty());
    called->on_epoch([](auto&) {});
    CHECK(train(*called).empty());
    spoken->output = [](std::string_view) {};
    CHECK(train(*spoken).empty());
    {
        const Redirected redirected(2, pty.descriptor());
        alone->run(cpu(1), 1);  // too short to say something of
        CHECK(pty.screen().empty());
        alone->start(cpu(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        alone->stop();
        alone->wait();
        CHECK(pty.screen().empty());
    }
    const auto screen =
        train(*alone, RunOptions{.epochs = RunOptions::forever, .validation = points(), .device = cpu(1)});
    REQUIRE(screen.size() == 1);
    CHECK(screen[0].starts_with("tiny  epoch "));
    CHECK(screen[0].find("  loss 0.") != std::string::npos);
    CHECK(screen[0].find("  validation loss 0.") != std::string::npos);
    CHECK(screen[0].find("  accuracy ") != std::string::npos);
    CHECK(screen[0].ends_with(" s"));
    CHECK(pty.written().find("tiny  epoch ") != pty.written().rfind("tiny  epoch "));  // it moved
}
