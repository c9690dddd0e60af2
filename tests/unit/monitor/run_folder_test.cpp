// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/run_folder.hpp>
#include <sigma/storage/error.hpp>

#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sigma::monitor;

namespace {

std::string write_some(const Scratch& scratch, int points) {
    RunFolder run(scratch / "runs", "digits ../1", "{\"name\":\"digits\"}");
    for (int i = 1; i <= points; ++i) {
        run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
        if (i % 10 == 0) run.add("digits", "accuracy", {1.0 * i, std::nan(""), 0.1 * i});
        if (i % 100 == 0) run.flush();
    }
    run.add({.time = 17.5, .level = "info", .source = "digits", .message = "a \"quoted\" line\nof \xff two"});
    return run.path();
}

std::uint64_t points_of(const KeptRun& run, const std::string& name) {
    const auto found = run.trainers.find("digits");
    return found == run.trainers.end() || !found->second.contains(name) ? 0 : found->second.at(name).points();
}

}  // namespace

TEST_CASE("A run on disk is read back") {
    const Scratch scratch;
    const std::string folder = write_some(scratch, 1234);
    CHECK(folder.find("..") == folder.npos);
    CHECK(folder.ends_with("digits1"));
    CHECK(runs_in(scratch / "runs").size() == 1);
    const KeptRun run = read_run(folder);
    CHECK(run.description == "{\"name\":\"digits\"}");
    CHECK(points_of(run, "loss") == 1234);
    CHECK(points_of(run, "accuracy") == 123);
    const auto all = run.trainers.at("digits").at("loss").history(0, 1e9, 10'000);
    REQUIRE(all.size() == 1234);
    for (int i = 1; i <= 1234; ++i) {
        const Bucket& b = all[static_cast<std::size_t>(i - 1)];
        CHECK((b.first == i && b.low == 1.0 / i && b.seconds == 0.1 * i));
    }
    REQUIRE(run.log.size() == 1);
    CHECK(run.log[0].message == "a \"quoted\" line\nof \xef\xbf\xbd two");
    CHECK(run.log[0].time == 17.5);
}

TEST_CASE("A run that is cut anywhere has all of its whole records, and goes on from there") {
    const Scratch scratch;
    const std::string folder = write_some(scratch, 300), bytes = file_text(folder + "/series.bin");
    std::uint64_t before = 0;
    for (std::size_t size = 0; size <= bytes.size(); size += 7) {
        scratch.write("cut", "");
        std::filesystem::resize_file(folder + "/series.bin", 0);
        std::ofstream(folder + "/series.bin", std::ios::binary) << bytes.substr(0, size);
        const std::uint64_t found = points_of(read_run(folder), "loss");
        CHECK(found >= before);
        CHECK(found % 100 == 0);
        before = found;
        if (size % 5 != 0) continue;
        {
            RunFolder again(folder);
            again.add("digits", "loss", {1000, 7, 0});
            again.add("digits", "later", {1, 2, 0});
        }
        const KeptRun run = read_run(folder);
        CHECK(points_of(run, "loss") == found + 1);
        CHECK(points_of(run, "later") == 1);
    }
    CHECK(before >= 200);
}

TEST_CASE("Bytes of a run that have changed end it there") {
    const Scratch scratch;
    const std::string folder = write_some(scratch, 300);
    std::string bytes = file_text(folder + "/series.bin");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(folder + "/series.bin", std::ios::binary) << bytes;
    CHECK(points_of(read_run(folder), "loss") < 300);
    std::ofstream(folder + "/series.bin", std::ios::binary) << "something else altogether";
    CHECK(points_of(read_run(folder), "loss") == 0);
    CHECK_THROWS_AS(RunFolder(folder), sigma::StorageError);
    CHECK_THROWS_AS(read_run(scratch / "none"), sigma::StorageError);
    CHECK(runs_in(scratch / "none").empty());
}

TEST_CASE("A torn line of the log is cut") {
    const Scratch scratch;
    const std::string folder = write_some(scratch, 10);
    { std::ofstream(folder + "/log.jsonl", std::ios::app) << "{\"time\":1,\"mess"; }
    CHECK(read_run(folder).log.size() == 1);
    {
        RunFolder again(folder);
        again.add({.time = 18, .level = "info", .source = "digits", .message = "on"});
    }
    const KeptRun run = read_run(folder);
    REQUIRE(run.log.size() == 2);
    CHECK(run.log[1].message == "on");
}

TEST_CASE("A folder that cannot be made is told") {
    const Scratch scratch;
    scratch.write("file", "");
    CHECK_THROWS_AS(RunFolder(scratch / "file", "digits", "{}"), sigma::StorageError);
}
