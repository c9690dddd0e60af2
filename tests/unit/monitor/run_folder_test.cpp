// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/run_folder.hpp>
#include <sigma/storage/error.hpp>

#include "run_records.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

using namespace sigma::monitor;
using sigma::sentence;

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

/// One bin more of each count than of the one before, from n on.
Distribution distribution_of(std::uint64_t iteration, std::uint64_t n, std::size_t bins = Distributions::bins) {
    Distribution one;
    one.iteration = iteration;
    one.low = -1.5;
    one.high = 0.25 * static_cast<double>(iteration);
    for (std::size_t i = 0; i < bins; ++i) one.counts.push_back(n + i);
    return one;
}
bool same(const Distribution& a, const Distribution& b) {
    return a.iteration == b.iteration && a.low == b.low && a.high == b.high && a.counts == b.counts;
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

TEST_CASE("A long run on disk takes what it takes in memory, and is the same") {
    const Scratch scratch;
    Series loss, rate;
    rate.hold();
    std::string folder;
    const auto add = [&](RunFolder& run, int from, int to) {
        for (int i = from; i < to; ++i) {
            const Point point{1.0 * i, i % 1000 == 7 ? std::nan("") : 1.0 / i, 0.1 * i};
            loss.append(point);
            run.add("digits", "loss", point);
            if (i % 1000 == 0) {
                rate.append({1.0 * i, 0.5 / i, 0.1 * i});
                run.add("digits", "rate", {1.0 * i, 0.5 / i, 0.1 * i}, true);
            }
            if (i % 5000 == 0) {
                run.add({.time = 1, .level = "info", .source = "", .message = sentence(i, std::string(2000, 'x'))});
                run.flush();
            }
        }
    };
    std::uintmax_t greatest = 0;
    {
        RunFolder run(scratch / "runs", "digits", "{}");
        folder = run.path();
        run.add("digits", "weights", distribution_of(3, 1));
        run.add("digits", RunStatus{.state = "running", .iteration = 1, .time = 2});
        for (const double at : {1.0, 900.0, 2.0})  // the run has returned to iteration 2
            run.add("digits", RunMark{.kind = "set", .name = "rate", .before = "1", .after = "2", .iteration = at});
        for (int i = 1; i < 3'000'000; i += 100'000) {  // 72 MB of points
            add(run, i, i + 100'000);
            greatest = std::max(greatest, std::filesystem::file_size(folder + "/series.bin"));
        }
    }
    CHECK(greatest < RunFolder::most_series + 3'000'000);
    {
        RunFolder run(folder);  // continues the run
        add(run, 3'000'001, 3'400'001);
        run.add("digits", RunStatus{.state = "failed", .reason = "NaN", .iteration = 3'400'000, .time = 3});
    }
    const KeptRun kept = read_run(folder);
    const auto same_series = [](const Series& a, const Series& b) {
        const auto one = a.history(0, 1e9, 100'000), other = b.history(0, 1e9, 100'000);
        return a.points() == b.points() && a.held() == b.held() &&
               std::ranges::equal(one, other, [](const Bucket& x, const Bucket& y) {
                   return x.first == y.first && x.last == y.last && x.low == y.low && x.high == y.high &&
                          x.sum == y.sum && x.count == y.count && x.finite == y.finite && x.odd == y.odd &&
                          x.seconds == y.seconds;
               });
    };
    CHECK(same_series(kept.trainers.at("digits").at("loss"), loss));
    CHECK(same_series(kept.trainers.at("digits").at("rate"), rate));
    CHECK(kept.distributions.at("digits").at("weights").all().size() == 1);
    REQUIRE(kept.marks.at("digits").size() == 2);
    CHECK(kept.marks.at("digits")[0].iteration == 1);
    CHECK(kept.marks.at("digits")[1].iteration == 2);
    CHECK(kept.marks.at("digits")[1].after == "2");
    CHECK(kept.status.at("digits").state == "failed");
    CHECK(kept.status.at("digits").reason == "NaN");
    CHECK(std::filesystem::file_size(folder + "/log.jsonl") < RunFolder::most_log + 100'000);
}

TEST_CASE("A log on disk keeps its newest lines") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", "{}");
    for (int i = 0; i < 30'000; ++i) {
        run.add({.time = 1.0 * i, .level = "info", .source = "", .message = std::string(500, 'x')});
        if (i % 100 == 0) run.flush();
    }
    run.flush();
    CHECK(std::filesystem::file_size(run.path() + "/log.jsonl") < RunFolder::most_log + 100'000);
    const KeptRun kept = read_run(run.path());
    CHECK(kept.log.size() > 5000);
    CHECK(kept.log.back().time == 29'999);
    for (std::size_t i = 1; i < kept.log.size(); ++i) CHECK(kept.log[i].time == kept.log[i - 1].time + 1);
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

TEST_CASE("Distributions of a run are read back, each number as it was") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const Scratch scratch;
    std::vector<Distribution> all;
    for (const std::uint64_t n : {0ull, 208ull, 209ull, 65'488ull, 65'489ull, 1ull << 31, (1ull << 32) - 48,
                                  (1ull << 32) - 47, (1ull << 32) - 1, 1ull << 63})
        all.push_back(distribution_of(1 + all.size(), n));
    all.push_back(distribution_of(1ull << 60, 7, 1));
    all.back().low = all.back().high = std::numeric_limits<double>::lowest();
    all.push_back(distribution_of(~0ull, 0, 3));
    all.back().counts = {0, 0, 0};
    all.back().low = inf;
    all.back().high = -inf;
    RunFolder run(scratch / "runs", "digits", "{}");
    for (const Distribution& one : all) {
        run.add("digits", "w", one);
        run.add("digits", "loss", {1.0, 2.0, 3.0});
    }
    run.add("digits", "loss", distribution_of(1, 1));  // a tensor may be called as a series is
    run.add("moves", "w", distribution_of(5, 1));
    run.flush();
    const KeptRun kept = read_run(run.path());
    CHECK(kept.trainers.at("digits").size() == 1);  // no tensor is a series
    CHECK(kept.trainers.size() == 1);
    CHECK(kept.distributions.at("digits").size() == 2);
    CHECK(kept.distributions.at("moves").at("w").all().size() == 1);
    const auto& found = kept.distributions.at("digits").at("w").all();
    REQUIRE(found.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(same(found[i], all[i]));

    // A distribution of a great tensor takes 223 bytes.
    const auto before = std::filesystem::file_size(run.path() + "/series.bin");
    run.add("digits", "w", distribution_of(20, 1u << 30));
    run.flush();
    CHECK(std::filesystem::file_size(run.path() + "/series.bin") - before == 8 + 31 + 4 * 48);
    CHECK(read_run(run.path()).distributions.at("digits").at("w").all().back().iteration == 20);  // it has gone back
}

TEST_CASE("What is no distribution is not written") {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", "{}");
    CHECK_THROWS_WITH(run.add("digits", "w", distribution_of(1, 1, 49)),
                      "run folder, 'w': expected a distribution of 1 to 48 bins over a range, found 49 bins over "
                      "[-1.5, 0.25]");
    CHECK_THROWS_AS(run.add("digits", "w", Distribution()), sigma::ArgumentError);
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {1, 0}, {nan, 1}, {0, nan}, {nan, nan}, {-inf, inf}, {-inf, 0}, {0, inf}, {inf, -inf}, {inf, inf}}) {
        Distribution one = distribution_of(1, 1);
        one.low = low;
        one.high = high;
        CHECK_THROWS_AS(run.add("digits", "w", one), sigma::ArgumentError);
    }
    run.flush();
    CHECK(read_run(run.path()).distributions.empty());
}

TEST_CASE("A run with distributions that is cut at any byte has those that are whole, and goes on from there") {
    const Scratch scratch;
    std::string folder;
    std::vector<std::size_t> ends;
    {
        RunFolder run(scratch / "runs", "digits", "{}");
        folder = run.path();
        for (std::uint64_t i = 1; i <= 4; ++i) {
            run.add("digits", "w", distribution_of(i, 100 * i, 4));
            run.add("digits", "loss", {1.0 * static_cast<double>(i), 1, 1});
            run.flush();
            ends.push_back(std::filesystem::file_size(folder + "/series.bin"));
        }
    }
    const std::string bytes = file_text(folder + "/series.bin");
    REQUIRE(ends.back() == bytes.size());
    std::size_t before = 0;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        std::ofstream(folder + "/series.bin", std::ios::binary) << bytes.substr(0, size);
        const auto read = [&] {
            const KeptRun run = read_run(folder);
            const auto at = run.distributions.find("digits");
            return at == run.distributions.end() ? std::deque<Distribution>() : at->second.at("w").all();
        };
        const auto found = read();
        REQUIRE(found.size() >= before);
        before = found.size();
        for (std::size_t i = 0; i < ends.size(); ++i)
            if (ends[i] <= size) REQUIRE(found.size() > i);
        for (std::size_t i = 0; i < found.size(); ++i)
            REQUIRE(same(found[i], distribution_of(i + 1, 100 * (i + 1), 4)));
        {
            RunFolder again(folder);
            again.add("digits", "w", distribution_of(9, 5));
        }
        REQUIRE(read().size() == found.size() + 1);
        REQUIRE(same(read().back(), distribution_of(9, 5)));
    }
    CHECK(before == 4);

    // The names are known when it continues: one more record of each.
    std::ofstream(folder + "/series.bin", std::ios::binary) << bytes;
    {
        RunFolder again(folder);
        again.add("digits", "w", distribution_of(9, 5));
        again.add("digits", "loss", {9, 1, 1});
    }
    CHECK(std::filesystem::file_size(folder + "/series.bin") == bytes.size() + 8 + 31 + 48 + 8 + 9 + 24);
}

TEST_CASE("A record of a distribution that is not sound ends a run there") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", "{}");
    run.add("digits", "w", distribution_of(1, 1));
    run.flush();
    const std::string sound = file_text(run.path() + "/series.bin"),
                      good = records::payload_of(0, distribution_of(2, 1));
    const auto found = [&](const std::string& payload) {
        std::string bytes = sound;
        for (const std::string& each : {payload, good}) {
            records::put(bytes, static_cast<std::uint32_t>(each.size()));
            records::put(bytes, records::sum_of(each));
            bytes += each;
        }
        std::ofstream(run.path() + "/series.bin", std::ios::binary) << bytes;
        return read_run(run.path()).distributions.at("digits").at("w").all().size();
    };
    const auto with = [&](std::size_t at, char byte) {
        std::string payload = good;
        payload[at] = byte;
        return payload;
    };
    CHECK(found(good) == 2);
    CHECK(found("zero") == 2);        // of a version to come
    CHECK(found(with(1, 5)) == 1);    // of a number that no tensor has
    CHECK(found(with(29, 49)) == 1);  // bins
    CHECK(found(with(29, 0)) == 1);
    CHECK(found(with(30, 2)) == 1);       // bytes of a count
    CHECK(found(with(20, '\x7f')) == 1);  // low is greater than high
    CHECK(found(good.substr(0, good.size() - 1)) == 1);
    CHECK(found(good + "x") == 1);
    CHECK(found("h") == 1);
    for (const auto& [bins, width] :
         std::vector<std::pair<char, char>>{{49, 1}, {'\xff', 1}, {16, 3}, {0, 1}, {3, 0}}) {
        std::string payload = good.substr(0, 29) + bins + width;
        payload += std::string(
            static_cast<std::size_t>(static_cast<unsigned char>(bins)) * static_cast<std::size_t>(width), '\1');
        CHECK(found(payload) == 1);
    }
}
