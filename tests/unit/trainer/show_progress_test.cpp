// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/compute.hpp>
#include <sigma/hook/latest.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <memory>

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
/// Up to what depends on the clock.
std::string front_of(const std::string& line) { return line.substr(0, line.find("  error")); }
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
    CHECK(front_of(lines[0]) == "epoch 1/2 |████████████████████|");
    CHECK(front_of(lines[1]) == "epoch 2/2 |████████████████████|");
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
    CHECK(text.substr(0, text.find("  error")) == "\repoch 1/1 |██████▋             |");  // 1 of 3
    CHECK(text.find("\033[K\repoch 1/1 |████████████████████|") != std::string::npos);
    CHECK(text.ends_with("  0 s left\033[K\n"));
    CHECK(text.find("accuracy") > text.find("\033[K"));  // not known before the epoch is over
    CHECK(text.find("accuracy") != std::string::npos);
}

TEST_CASE("Progress without an end has no end to tell") {
    const auto trainer = make();
    std::string line;
    trainer->output = [&](std::string_view l) { line = l; };
    trainer->add(every(1, epoch).then(ShowProgress<>(stdout, false), [](auto& t) { t.stop(); }));
    trainer->run(cpu(1));
    CHECK(front_of(line) == "epoch 1 |████████████████████|");
    CHECK(line.find("left") == std::string::npos);
    CHECK(line.find("accuracy") == std::string::npos);
}
