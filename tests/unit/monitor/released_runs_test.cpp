// SPDX-License-Identifier: BSL-1.0
// Runs that each version of the library wrote: see unit/exchange/released_files_test.cpp.
#include <sigma/core/version.hpp>
#include <sigma/monitor/run_folder.hpp>

#include <catch2/catch.hpp>
#include <support/released.hpp>
#include <support/scratch.hpp>

#include <filesystem>
#include <string>

using namespace sigma::monitor;
using sigma::test::ReleasedFiles;

namespace {

void write(const ReleasedFiles& to) {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", R"({"name":"digits","version":"0"})");
    for (int i = 1; i <= 200; ++i) run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.5 * i});
    run.add("digits", "optimizer.learning_rate", {1, 0.1, 0}, true);
    Distribution weights;
    weights.iteration = 100;
    weights.low = -1.5;
    weights.high = 2;
    for (std::uint64_t i = 0; i < Distributions::bins; ++i) weights.counts.push_back(i);
    run.add("digits", "1-dense.weights", weights);
    run.add("digits", RunStatus{.state = "finished", .reason = "stop", .iteration = 200, .time = 1000});
    run.add({.time = 17.5, .level = "warning", .source = "digits", .message = "a \"quoted\" line"});
    run.flush();
    std::filesystem::remove_all(to / "run");
    std::filesystem::copy(run.path(), to / "run");
}

}  // namespace

TEST_CASE("Runs of each version are read") {
    if (ReleasedFiles::wanted()) write(ReleasedFiles(sigma::version()));
    const auto all = ReleasedFiles::all();
    REQUIRE_FALSE(all.empty());
    for (const ReleasedFiles& files : all) {
        INFO("files of version " << files.version());
        const KeptRun run = read_run(files / "run");
        CHECK(run.description.find("\"digits\"") != std::string::npos);
        const Series& loss = run.trainers.at("digits").at("loss");
        CHECK(loss.points() == 200);
        CHECK(loss.last().x == 200);
        CHECK(loss.last().y == 1.0 / 200);
        CHECK(loss.last().seconds == 100);
        CHECK(run.trainers.at("digits").at("optimizer.learning_rate").last().y == 0.1);
        CHECK_FALSE(run.distributions.at("digits").at("1-dense.weights").all().empty());
        CHECK(run.status.at("digits").state == "finished");
        CHECK(run.status.at("digits").reason == "stop");
        REQUIRE(run.log.size() == 1);
        CHECK(run.log[0].message == "a \"quoted\" line");
        CHECK(run.log[0].level == "warning");
        CHECK(run.log[0].time == 17.5);
    }
}
