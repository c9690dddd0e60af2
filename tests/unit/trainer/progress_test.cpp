// SPDX-License-Identifier: BSL-1.0
#include <sigma/trainer/terminal/progress.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdio>
#include <memory>

using namespace sigma;

namespace {

/// Returns the text that a printer writes to a file.
template <class Use>
std::string printed(bool interactive, Use&& use) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    detail::ProgressPrinter printer(file.get(), interactive);
    use(printer);
    std::rewind(file.get());
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    return text;
}

}  // namespace

TEST_CASE("A progress line shows what is known") {
    detail::Progress progress{.epoch = 3, .epochs = 20, .batch = 50, .batches = 100};
    CHECK(terminal::progress_line(progress, false, 10) == "epoch 3/20 |#####.....|");
    CHECK(terminal::progress_line(progress, true, 0) == "epoch 3/20");
    progress.loss = 0.12345;
    progress.validation_loss = 0.25;
    progress.accuracy = 0.95671;
    progress.samples_per_second = 123456;
    progress.seconds_left = 42;
    CHECK(terminal::progress_line(progress, true, 4) ==
          "epoch 3/20 |██  |  loss 0.1235  validation loss 0.2500  accuracy 95.67 %  123.5k samples/s  42 s left");
}

TEST_CASE("A narrow terminal gets the more important half of a line") {
    const detail::Progress full{.epoch = 3,
                                .epochs = 20,
                                .batch = 50,
                                .batches = 100,
                                .loss = 0.1234,
                                .validation_loss = 0.25,
                                .accuracy = 0.95671,
                                .samples_per_second = 123456,
                                .seconds_left = 42};
    const auto within = [&](std::size_t columns) { return terminal::progress_line_within(columns, full, false); };
    CHECK(within(130) == terminal::progress_line(full, false, 20));
    CHECK(within(101) ==
          "epoch 3/20 |##########..........|  loss 0.1234  validation loss 0.2500  accuracy 95.67 %  42 s left");
    CHECK(within(98) == "epoch 3/20 |#####.....|  loss 0.1234  validation loss 0.2500  accuracy 95.67 %  42 s left");
    CHECK(within(79) == "epoch 3/20 |##########..........|  loss 0.1234  accuracy 95.67 %  42 s left");
    CHECK(within(70) == "epoch 3/20 |#####.....|  loss 0.1234  accuracy 95.67 %  42 s left");
    CHECK(within(30) == "epoch 3/20  loss 0.1234  accuracy 95.67 %  42 s left");
    for (std::size_t columns = 60; columns < 130; ++columns) CHECK(terminal::width(within(columns)) <= columns);
}

TEST_CASE("A bar fills by eighths and stays in its width") {
    CHECK(terminal::bar(0, 3) == "   ");
    CHECK(terminal::bar(0.5, 3) == "█▌ ");
    CHECK(terminal::bar(1, 3) == "███");
    CHECK(terminal::bar(7, 3) == "███");
    CHECK(terminal::bar(-1, 3) == "   ");
    CHECK(terminal::bar(NAN, 3) == "   ");
    CHECK(terminal::bar(0.34, 3, false) == "#..");
}

TEST_CASE("Times and rates are short") {
    CHECK(terminal::duration(0) == "0 s");
    CHECK(terminal::duration(6.2) == "7 s");
    CHECK(terminal::duration(59.5) == "1:00");
    CHECK(terminal::duration(187) == "3:07");
    CHECK(terminal::duration(7387) == "2:03:07");
    CHECK(terminal::duration(-5) == "0 s");
    CHECK(terminal::duration(HUGE_VAL) == "1000000:00:00");
    CHECK(terminal::rate(950) == "950");
    CHECK(terminal::rate(12345) == "12.3k");
    CHECK(terminal::rate(4560000) == "4.56M");
}

TEST_CASE("A terminal line rewrites itself, a log gets one line an epoch") {
    const detail::Progress progress{.epoch = 1, .epochs = 2, .batch = 1, .batches = 1};
    const auto use = [&](detail::ProgressPrinter& printer) {
        printer.update(progress);
        printer.update(progress);  // too soon to be printed again
        printer.end_of_epoch(progress);
    };
    const std::string line = terminal::progress_line(progress);
    CHECK(printed(true, use) == "\r" + line + "\033[K\r\033[K" + line + "\n");
    CHECK(printed(false, use) == "epoch 1/2\n");
}

TEST_CASE("Speed and time left follow from the samples done") {
    const auto begin = detail::Stopwatch::Clock::now();
    const detail::Stopwatch watch(begin);
    detail::Progress progress;
    watch.measure(progress, 0, 100, begin + std::chrono::seconds(1));
    CHECK(std::isnan(progress.seconds_left));
    watch.measure(progress, 25, 100, begin + std::chrono::seconds(5));
    CHECK(progress.samples_per_second == Approx(5));
    CHECK(progress.seconds_left == Approx(15));
    watch.measure(progress, 100, 100, begin + std::chrono::seconds(20));
    CHECK(progress.seconds_left == 0);
}
