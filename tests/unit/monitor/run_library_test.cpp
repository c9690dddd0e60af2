// SPDX-License-Identifier: BSL-1.0
// Runs in a folder, read while they grow, and what nobody should have put there.
#include <sigma/core/error.hpp>
#include <sigma/monitor/run_folder.hpp>

#include "run_library.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sigma::monitor;
using sigma::sentence;

namespace {

constexpr double far_away = 1e300;
const RunLibrary::Limits at_once{.every = std::chrono::milliseconds(0)};

std::string described(const std::string& name) {
    return R"({"name":")" + name +
           R"x(","version":"0.1.0","began":1000.5,"trainers":[{"name":"digits","network":"input(3)","optimizer":"adam"}]})x";
}
/// Loss 1/i at iteration i, which is at i/10 seconds.
std::string make_run(const Scratch& scratch, const std::string& name, int points) {
    RunFolder run(scratch / "runs", name, described(name));
    for (int i = 1; i <= points; ++i) run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
    return run.path();
}
std::string id_of(const std::string& folder) { return std::filesystem::path(folder).filename().string(); }
void append(const std::string& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}
std::uint64_t listed_points(RunLibrary& library, std::size_t run = 0, std::size_t line = 0) {
    const auto runs = library.runs();
    return run < runs.size() && line < runs[run].lines.size() ? runs[run].lines[line].points : 0;
}
std::size_t served_points(RunLibrary& library, const std::string& id, const std::string& name = "loss") {
    return library.history(id, "digits", name, -far_away, far_away, 100'000).buckets.size();
}

Distribution distribution_of(std::uint64_t iteration, std::uint64_t n = 1, std::size_t bins = Distributions::bins) {
    Distribution one;
    one.iteration = iteration;
    one.high = 1;
    one.counts.assign(bins, n);
    return one;
}
std::string record_of(const std::string& payload) {
    std::string record;
    records::put(record, static_cast<std::uint32_t>(payload.size()));
    records::put(record, records::sum_of(payload));
    return record + payload;
}
using Histogram = RunLibrary::Histogram;

}  // namespace

TEST_CASE("The runs of a folder are listed and read as they grow") {
    const Scratch scratch;
    RunLibrary library(scratch / "runs", at_once);
    CHECK(library.runs().empty());
    RunFolder run(scratch / "runs", "digits", described("digits"));
    REQUIRE(library.runs().size() == 1);
    CHECK(library.runs()[0].lines.empty());
    CHECK(library.runs()[0].read == 1);
    run.add("digits", "loss", {1, 0.5, 0.25});
    CHECK(listed_points(library) == 0);  // not written yet
    run.flush();
    run.add("digits", "accuracy", {2, 0.75, 0.5});
    run.add("digits", "loss", {2, 0.125, 0.5});
    run.flush();
    const auto runs = library.runs();
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].id == id_of(run.path()));
    CHECK(runs[0].name == "digits");
    CHECK(runs[0].began == 1000.5);
    CHECK(runs[0].growing);
    CHECK(!runs[0].damaged);
    REQUIRE(runs[0].trainers.size() == 1);
    CHECK(runs[0].trainers[0].network == "input(3)");
    REQUIRE(runs[0].lines.size() == 2);
    CHECK(runs[0].lines[0].name == "loss");
    CHECK(runs[0].lines[0].points == 2);
    CHECK((runs[0].lines[0].last.x == 2 && runs[0].lines[0].last.y == 0.125 && runs[0].lines[0].last.seconds == 0.5));
    CHECK(library.held() == 0);

    const std::string id = runs[0].id;
    CHECK(served_points(library, id) == 2);
    for (int i = 3; i <= 50; ++i) {
        run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
        run.flush();
        CHECK(served_points(library, id) == static_cast<std::size_t>(i));
        CHECK(listed_points(library) == static_cast<std::uint64_t>(i));
    }
    const auto some = library.history(id, "", "loss", 10, 20, 1000);
    REQUIRE(some.buckets.size() == 11);
    CHECK((some.buckets[0].first == 10 && some.buckets[0].low == 0.1 && some.buckets[0].seconds == 1));
    CHECK(library.history(id, "", "loss", 1, 50, 5).buckets.size() == 5);
    run.add("digits", "loss", {5, 7, 60});  // it has gone back
    run.flush();
    CHECK(served_points(library, id) == 5);
    CHECK(library.history(id, "digits", "nothing", 0, 1, 1).what == RunLibrary::Found::no_series);
    CHECK(library.history(id, "others", "loss", 0, 1, 1).what == RunLibrary::Found::no_series);

    std::filesystem::last_write_time(run.path() + "/series.bin",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
    CHECK(!library.runs()[0].growing);
    std::filesystem::remove_all(run.path());
    CHECK(library.runs().empty());
    CHECK(library.history(id, "digits", "loss", 0, 1, 1).what == RunLibrary::Found::no_run);
}

TEST_CASE("The torn end of a run is waited for, wherever it is torn") {
    const Scratch scratch;
    const std::string whole = make_run(scratch, "whole", 700), bytes = file_text(whole + "/series.bin");
    std::filesystem::create_directories(scratch / "other/run");
    RunLibrary library(scratch / "other", at_once);
    std::size_t before = 0;
    for (std::size_t size = 0; size < bytes.size();) {
        const std::size_t next = std::min(size + (size < 100 ? 1 : 613), bytes.size());
        append(scratch / "other/run/series.bin", bytes.substr(size, next - size));
        size = next;
        const auto runs = library.runs();
        REQUIRE(runs.size() == 1);
        CHECK(!runs[0].damaged);
        CHECK(runs[0].read == 1);
        const auto found = library.history("run", "digits", "loss", -far_away, far_away, 10'000);
        CHECK(found.buckets.size() >= before);
        before = found.buckets.size();
    }
    CHECK(before == 700);
    CHECK(read_run(whole).trainers.at("digits").at("loss").points() == 700);
}

TEST_CASE("A run that was killed while it was written is read, and goes on") {
    const Scratch scratch;
    const std::string folder = make_run(scratch, "killed", 10);
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        try {
            RunFolder again(folder);
            for (int i = 11;; ++i) {
                again.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
                if (i % 100 != 0) continue;
                again.flush();
                ::usleep(200);  // a reader keeps up
            }
        } catch (...) {}
        ::_exit(1);  // no second run of the tests
    }
    RunLibrary library(scratch / "runs", at_once);
    const std::string id = id_of(folder);
    std::size_t seen = 0;
    for (int i = 0; i < 2000 && seen < 5000; ++i) {
        const auto found = library.history(id, "digits", "loss", -far_away, far_away, 1'000'000);
        std::uint64_t points = 0;
        for (const Bucket& bucket : found.buckets) points += bucket.count;
        CHECK(points >= seen);
        CHECK(!library.runs()[0].damaged);
        seen = points;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(seen >= 5000);
    for (int i = 0; i < 2000 && library.runs().at(0).read < 1; ++i) {}  // what came since, in parts
    append(folder + "/series.bin", std::string("\x50\0\0\0abc", 7));    // as if it had been torn
    const std::uint64_t at = listed_points(library);
    CHECK(read_run(folder).trainers.at("digits").at("loss").points() == at);
    {
        RunFolder again(folder);
        again.add("digits", "loss", {1e9, 7, 1e8});
    }
    CHECK(listed_points(library) == at + 1);
    CHECK(library.runs()[0].lines[0].last.y == 7);
}

TEST_CASE("A run whose bytes have changed is read up to there, and says so") {
    const Scratch scratch;
    std::string folder;
    std::size_t first = 0;
    {
        RunFolder run(scratch / "runs", "digits", "{}");
        folder = run.path();
        for (int i = 1; i <= 100; ++i) run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
        run.flush();
        first = std::filesystem::file_size(folder + "/series.bin");
        for (int i = 101; i <= 200; ++i) run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
    }
    std::string bytes = file_text(folder + "/series.bin");
    bytes[first + 100] = static_cast<char>(bytes[first + 100] ^ 1);
    std::ofstream(folder + "/series.bin", std::ios::binary) << bytes;
    RunLibrary library(scratch / "runs", at_once);
    CHECK(listed_points(library) == 100);
    CHECK(library.runs()[0].damaged);
    CHECK(library.runs()[0].read == 1);
    CHECK(served_points(library, id_of(folder)) == 100);
    {
        RunFolder again(folder);  // cuts what is no record
        again.add("digits", "loss", {300, 3, 30});
    }
    CHECK(served_points(library, id_of(folder)) == 101);
    CHECK(!library.runs()[0].damaged);

    // A record with an impossible length is not waited for.
    append(folder + "/series.bin", std::string("\xff\xff\xff\x7f\0\0\0\0", 8));
    CHECK(library.runs()[0].damaged);
    CHECK(listed_points(library) == 101);

    // Cut, or replaced by another file: it is read again.
    std::filesystem::resize_file(folder + "/series.bin", first);
    CHECK(served_points(library, id_of(folder)) == 100);
    std::filesystem::remove_all(folder);
    std::filesystem::rename(make_run(scratch, "other", 9000), folder);
    CHECK(served_points(library, id_of(folder)) == 8192 + 808 / 4);
    CHECK(library.runs()[0].name == "other");

    std::filesystem::rename(make_run(scratch, "third", 9001) + "/series.bin", folder + "/series.bin");
    CHECK(served_points(library, id_of(folder)) == 8189 + 812 / 4);
    CHECK(!library.runs()[0].damaged);

    // Whole, with the right checksum, and of a series that was never named.
    const std::string payload = std::string("p\x07\0\0\0\x01\0\0\0", 9) + std::string(24, '\0');
    std::string record;
    records::put(record, static_cast<std::uint32_t>(payload.size()));
    records::put(record, records::sum_of(payload));
    append(folder + "/series.bin", record + payload);
    CHECK(library.runs()[0].damaged);
    CHECK(served_points(library, id_of(folder)) == 8189 + 812 / 4);
}

TEST_CASE("Nothing outside of the folder, and nothing that is no run, is read") {
    const Scratch scratch;
    const std::string outside = make_run(scratch, "outside", 5), runs = scratch / "mine";
    const auto folder = [&](const std::string& name) {
        std::filesystem::create_directories(runs + "/" + name);
        return runs + "/" + name;
    };
    std::filesystem::create_directory_symlink(outside, folder("") + "linked");
    std::filesystem::create_symlink(outside + "/series.bin", folder("linked-file") + "/series.bin");
    ::mkfifo((folder("pipe") + "/series.bin").c_str(), 0600);
    std::filesystem::create_directories(folder("nested") + "/series.bin");
    append(folder("foreign") + "/series.bin", "something else altogether");
    append(folder("short") + "/series.bin", "sigma-rum");
    append(folder(".hidden") + "/series.bin", "sigma-run 1\n");
    append(folder("no \xff text") + "/series.bin", "sigma-run 1\n");
    folder("empty");
    append(runs + "/file", "sigma-run 1\n");
    RunLibrary library(runs, at_once);
    CHECK(library.runs().empty());

    append(folder("<b>\"x\"") + "/series.bin", file_text(outside + "/series.bin"));
    std::filesystem::create_symlink(outside + "/run.json", runs + "/<b>\"x\"/run.json");
    const auto found = library.runs();
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == "<b>\"x\"");
    CHECK(found[0].name == found[0].id);  // its description is a link, and not read
    CHECK(found[0].lines.size() == 1);
    for (const std::string& id : std::vector<std::string>{"", ".", "..", "../runs/" + id_of(outside), outside, "linked",
                                                          "linked-file", "pipe", "nested", "foreign", ".hidden", "file",
                                                          "<b>\"x\"/", "<b>\"x\"/../<b>\"x\"", std::string("\0x", 2)})
        CHECK(library.history(id, "", "loss", -far_away, far_away, 10).what == RunLibrary::Found::no_run);

    // A file that was not a run becomes one.
    std::filesystem::resize_file(runs + "/short/series.bin", 8);
    append(runs + "/short/series.bin", "n 1\n");
    CHECK(library.runs().size() == 2);
}

TEST_CASE("What a run says of itself is taken for what it is") {
    const Scratch scratch;
    const std::string folder = make_run(scratch, "digits", 3);
    for (const std::string text : {"", "[]", "{", "{\"name\":5,\"began\":\"x\",\"trainers\":7}",
                                   "{\"trainers\":[1,null,{\"name\":[]}]}", "\xff\xfe"}) {
        std::ofstream(folder + "/run.json", std::ios::binary) << text;
        RunLibrary library(scratch / "runs", at_once);
        REQUIRE(library.runs().size() == 1);
        CHECK(library.runs()[0].name == id_of(folder));
        CHECK(listed_points(library) == 3);
    }
}

TEST_CASE("Of many runs those written to last are shown") {
    const Scratch scratch;
    RunLibrary::Limits few = at_once;
    few.runs = 20;
    RunLibrary library(scratch / "runs", few);
    for (int i = 0; i < 30; ++i) {
        const std::string folder = make_run(scratch, "r", 3);
        std::filesystem::last_write_time(folder + "/series.bin",
                                         std::filesystem::file_time_type::clock::now() + std::chrono::seconds(i));
        std::filesystem::rename(folder, scratch / ("runs/run-" + std::to_string(100 + (i * 7) % 30)));
    }
    const auto runs = library.runs();
    REQUIRE(runs.size() == 20);
    CHECK(library.left_out() == 10);
    for (std::size_t i = 0; i < runs.size(); ++i)
        CHECK(runs[i].id == "run-" + std::to_string(100 + ((29 - i) * 7) % 30));
    few.runs = 500;
    few.entries = 5;
    CHECK(RunLibrary(scratch / "runs", few).runs().size() == 5);
}

TEST_CASE("Memory for runs is bounded: those asked for last are kept") {
    const Scratch scratch;
    std::vector<std::string> ids;
    for (int i = 0; i < 6; ++i) ids.push_back(id_of(make_run(scratch, "r" + std::to_string(i), 1000)));
    RunLibrary::Limits small = at_once;
    small.held = 2500;
    RunLibrary library(scratch / "runs", small);
    for (int round = 0; round < 2; ++round)
        for (const std::string& id : ids) {
            CHECK(served_points(library, id) == 1000);
            CHECK(library.held() <= 2500);
            CHECK(library.held() >= 1000);
        }
    for (const RunView& run : library.runs()) CHECK(run.lines.at(0).points == 1000);
    CHECK(served_points(library, ids[0]) == 1000);
    small.held = 10;  // more only for the latest requested run
    RunLibrary smaller(scratch / "runs", small);
    for (const std::string& id : ids) CHECK(served_points(smaller, id) == 1000);
    CHECK(smaller.held() == 1000);

    {
        RunFolder many(scratch / "many", "many", "{}");
        for (int i = 0; i < 300; ++i) many.add("digits", "x" + std::to_string(i), {1, 2, 3});
    }
    RunLibrary names(scratch / "many", at_once);
    CHECK(names.runs().at(0).lines.size() == RunReading::most_series);
    CHECK(names.runs().at(0).left_out == 300 - RunReading::most_series);
    CHECK(!names.runs().at(0).damaged);
}

TEST_CASE("A file of names alone takes no more memory than others") {
    const auto named = [](std::uint32_t number, const std::string& series) {
        std::string payload = "n", record;
        records::put(payload, number);
        for (const std::string& text : {std::string("digits"), series}) {
            records::put(payload, static_cast<std::uint16_t>(text.size()));
            payload += text;
        }
        records::put(record, static_cast<std::uint32_t>(payload.size()));
        records::put(record, records::sum_of(payload));
        return record + payload;
    };
    RunReading reading;
    std::string bytes(records::magic);
    // One series by many numbers, then many series; names end with a whole character.
    for (std::uint32_t i = 0; i < RunReading::most_numbers + 5; ++i) bytes += named(i, "loss");
    bytes += named(0, std::string(999, 'x') + "\xc3\xa4");
    CHECK(reading.feed(bytes) == bytes.size());
    CHECK(reading.left_out() == 5);
    REQUIRE(reading.lines().size() == 2);
    CHECK(reading.lines()[1].name == std::string(999, 'x'));

    // Points of a series that was left out are no damage, and those of others count.
    std::string points;
    for (const std::uint32_t number : {1u, static_cast<std::uint32_t>(RunReading::most_numbers) + 1u}) {
        std::string payload = "p";
        records::put(payload, number);
        records::put(payload, std::uint32_t{1});
        payload += std::string(24, '\0');
        records::put(points, static_cast<std::uint32_t>(payload.size()));
        records::put(points, records::sum_of(payload));
        points += payload;
    }
    CHECK(reading.feed(points) == points.size());
    CHECK(!reading.damaged());
    CHECK(reading.lines()[0].points == 1);
}

TEST_CASE("A long run is read in parts, so that no answer takes long") {
    const Scratch scratch;
    const std::string id = id_of(make_run(scratch, "long", 200'000));
    RunLibrary::Limits little = at_once;
    little.read = 1;  // one record of the greatest size at least
    RunLibrary library(scratch / "runs", little);
    double before = 0;
    int parts = 0;
    for (; before < 1 && parts < 20; ++parts) {
        const auto found = library.history(id, "digits", "loss", -far_away, far_away, 10);
        CHECK(found.what == RunLibrary::Found::series);
        CHECK(found.read > before);
        before = found.read;
    }
    CHECK(before == 1);
    CHECK(parts >= 4);
    CHECK(listed_points(library) == 200'000);
    CHECK(library.held() < 30'000);
}

TEST_CASE("One long run holds up no others") {
    const Scratch scratch;
    for (int i = 0; i < 5; ++i) make_run(scratch, sentence("good-", i), 100);
    const std::string id = id_of(make_run(scratch, "long", 100));
    const std::string record = record_of("?" + std::string(1 << 19, 'x'));  // of a version to come
    for (int i = 0; i < 20; ++i) append(scratch / "runs/" + id + "/series.bin", record);
    RunLibrary::Limits little = at_once;
    little.read = 3 << 20;
    little.slice = 1 << 20;
    RunLibrary library(scratch / "runs", little);
    const auto unread = [&] {
        std::vector<std::string> names;
        for (const RunView& run : library.runs())
            if (run.read < 1) names.push_back(run.id);
        return names;
    };
    CHECK(unread() == std::vector{id});  // the newest, which is requested first
    int looks = 1;
    while (!unread().empty() && looks < 20) ++looks;
    CHECK(looks >= 3);
    CHECK(looks < 20);
}

TEST_CASE("A file of nothing, however long, is damaged") {
    const Scratch scratch;
    const std::string folder = make_run(scratch, "holes", 100), file = folder + "/series.bin";
    std::filesystem::resize_file(file, std::uintmax_t{50} << 30);  // takes no room
    RunLibrary library(scratch / "runs", at_once);
    const auto runs = library.runs();
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].damaged);
    CHECK(runs[0].read == 1);
    CHECK(runs[0].lines.at(0).points == 100);
}

TEST_CASE("A run that was thinned while it was read is read on") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", described("digits"));
    const std::string id = id_of(run.path());
    RunLibrary library(scratch / "runs", at_once);
    Series series;
    for (int i = 1; i <= 1'000'000; ++i) {
        run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
        series.append({1.0 * i, 1.0 / i, 0.1 * i});
        if (i % 50'000 != 0) continue;
        run.flush();
        CHECK(served_points(library, id) == series.history(-far_away, far_away, 100'000).size());
        CHECK(listed_points(library) == static_cast<std::uint64_t>(i));
    }
}

TEST_CASE("How a run has ended is listed") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", described("digits"));
    run.add("digits", "loss", {1, 2, 3});
    run.add("digits", RunStatus{.state = "running", .iteration = 1});
    run.flush();
    RunLibrary library(scratch / "runs", at_once);
    CHECK(library.runs().at(0).trainers.at(0).status.state == "running");
    run.add("digits", RunStatus{.state = "failed", .reason = "no more", .iteration = 7, .time = 8});
    run.add("moves", RunStatus{.state = "finished", .iteration = 9});
    run.flush();
    const auto trainers = library.runs().at(0).trainers;
    REQUIRE(trainers.size() == 2);
    CHECK((trainers[0].status.state == "failed" && trainers[0].status.reason == "no more"));
    CHECK(trainers[0].status.iteration == 7);
    CHECK((trainers[1].name == "moves" && trainers[1].status.state == "finished"));
}

TEST_CASE("What is let go is what was not asked for the longest") {
    const Scratch scratch;
    std::vector<std::string> ids;
    for (const char* name : {"a", "b", "c"}) ids.push_back(id_of(make_run(scratch, name, 60'000)));
    RunLibrary::Limits limits = at_once;
    limits.read = 1;  // of which each run needs more
    limits.held = 35'000;
    RunLibrary library(scratch / "runs", limits);
    const auto read = [&](std::size_t run) { return library.history(ids[run], "", "loss", 0, 1, 1).read; };
    for (std::size_t run : {0u, 1u, 0u, 2u})
        for (int i = 0; i < 9 && read(run) < 1; ++i) {}
    CHECK(read(0) == 1);
    CHECK(read(2) == 1);
    CHECK(read(1) < 1);
}

TEST_CASE("Runs are asked for by several threads while one is written") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", described("digits"));
    const std::string id = id_of(run.path());
    run.add("digits", "loss", {1, 1, 1});
    run.flush();
    RunLibrary library(scratch / "runs", at_once);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                if (library.history(id, "digits", "loss", -far_away, far_away, 50).what != RunLibrary::Found::series)
                    ++wrong;
                if (library.runs().size() != 1) ++wrong;
                if (library.held() > 1'000'000) ++wrong;
            }
        });
    for (int i = 2; i < 2000; ++i) {
        run.add("digits", "loss", {1.0 * i, 1, 1});
        if (i % 20 == 0) run.flush();
    }
    run.flush();
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(served_points(library, id) == 1999);
}

TEST_CASE("Distributions of a run are read as it grows, of each trainer and tensor") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", described("digits"));
    const std::string id = id_of(run.path());
    RunLibrary library(scratch / "runs", at_once);
    run.add("digits", "loss", {1, 1, 1});
    run.flush();
    CHECK(library.histogram(id, "", "").what == Histogram::tensors);
    CHECK(library.histogram(id, "", "").names.empty());
    CHECK(library.runs().at(0).tensors.empty());
    run.add("digits", "w", distribution_of(1, 7, 3));
    run.add("digits", "b", distribution_of(2));
    run.add("moves", "v", distribution_of(3));
    CHECK(library.histogram(id, "", "").names.empty());  // not written yet
    run.flush();
    CHECK(library.runs().at(0).tensors == std::map<std::string, std::size_t>{{"digits", 2}, {"moves", 1}});
    CHECK(library.runs().at(0).lines.size() == 1);

    const Histogram first = library.histogram(id, "", "");
    CHECK(first.what == Histogram::tensors);
    CHECK(first.read == 1);
    CHECK((first.trainer == "digits" && first.name == "w"));
    CHECK(first.names == std::vector<std::string>{"w", "b"});
    REQUIRE(first.distributions.size() == 1);
    CHECK(first.distributions[0].counts == std::vector<std::uint64_t>{7, 7, 7});
    CHECK(library.histogram(id, "", "v").trainer == "moves");
    CHECK(library.histogram(id, "moves", "").names == std::vector<std::string>{"v"});
    CHECK(library.histogram(id, "digits", "b").distributions.at(0).iteration == 2);
    CHECK(library.histogram(id, "digits", "v").what == Histogram::no_tensor);
    CHECK(library.histogram(id, "", "x").what == Histogram::no_tensor);
    CHECK(library.histogram(id, "others", "").what == Histogram::no_trainer);
    CHECK(library.histogram(id, "others", "w").what == Histogram::no_trainer);
    for (const char* other : {"", "..", "../runs", "x"})
        CHECK(library.histogram(other, "", "").what == Histogram::no_run);

    for (std::uint64_t i = 2; i <= 500; ++i) {
        run.add("digits", "w", distribution_of(i));
        run.flush();
        const auto found = library.histogram(id, "digits", "w").distributions;
        REQUIRE(found.size() <= Distributions::most);
        REQUIRE((found.front().iteration == 1 && (i > 80 || found.back().iteration == i)));
    }
    run.add("digits", "w", distribution_of(5, 9));  // it has gone back
    run.flush();
    CHECK(library.histogram(id, "digits", "w").distributions.back().counts[0] == 9);
    CHECK(library.histogram(id, "digits", "w").distributions.back().iteration == 5);
    const KeptRun kept = read_run(run.path());
    CHECK(kept.distributions.at("digits").at("w").all().size() ==
          library.histogram(id, "digits", "w").distributions.size());
    // A trainer with a state, and one with series only.
    run.add("plain", "loss", {1, 1, 1});
    run.flush();
    CHECK(library.histogram(id, "plain", "").what == Histogram::tensors);
    CHECK(library.histogram(id, "plain", "").names.empty());
    CHECK(library.histogram(id, "plain", "w").what == Histogram::no_tensor);
}

TEST_CASE("The torn end of a run with distributions is waited for, at whichever byte it is torn") {
    const Scratch scratch;
    std::string bytes;
    {
        RunFolder run(scratch / "runs", "digits", "{}");
        for (std::uint64_t i = 1; i <= 5; ++i) run.add("digits", i % 2 == 0 ? "w" : "b", distribution_of(i, 300, 5));
        run.flush();
        bytes = file_text(run.path() + "/series.bin");
    }
    std::filesystem::create_directories(scratch / "other/run");
    RunLibrary library(scratch / "other", at_once);
    std::size_t before = 0;
    for (const char byte : bytes) {
        append(scratch / "other/run/series.bin", std::string(1, byte));
        const auto runs = library.runs();
        REQUIRE(runs.size() == 1);
        REQUIRE(!runs[0].damaged);
        const auto count = [&](const char* name) { return library.histogram("run", "", name).distributions.size(); };
        const std::size_t found = count("b") + count("w");
        REQUIRE((found == before || found == before + 1));
        before = found;
    }
    CHECK(before == 5);
}

TEST_CASE("A run is damaged where a record of a distribution is not sound") {
    const Scratch scratch;
    RunFolder run(scratch / "runs", "digits", "{}");
    run.add("digits", "w", distribution_of(1));
    run.flush();
    const std::string file = run.path() + "/series.bin", sound = file_text(file), id = id_of(run.path());
    const std::string good = records::payload_of(0, distribution_of(2)),
                      other = records::payload_of(1, distribution_of(2));
    std::string many = good, wide = good, crossed = good;
    many[29] = 49;
    many += '\1';
    wide[30] = 2;
    std::swap_ranges(crossed.begin() + 13, crossed.begin() + 21, crossed.begin() + 21);  // low, high
    for (const std::string& payload :
         {other, many, wide, crossed, good + "x", good.substr(0, 40), std::string("h"), std::string("t\0\0", 3),
          std::string("t\1\0\0\0\xff\xff"
                      "a",
                      8)}) {
        std::ofstream(file, std::ios::binary) << sound << record_of(payload) << record_of(good);
        RunLibrary library(scratch / "runs", at_once);
        CHECK(library.runs().at(0).damaged);
        CHECK(library.histogram(id, "", "w").distributions.size() == 1);
        CHECK(library.histogram(id, "", "w").read == 1);
        CHECK(read_run(run.path()).distributions.at("digits").at("w").all().size() == 1);
    }
    std::ofstream(file, std::ios::binary) << sound << record_of(good);
    RunLibrary library(scratch / "runs", at_once);
    CHECK(!library.runs().at(0).damaged);
    CHECK(library.histogram(id, "", "w").distributions.size() == 2);
}

TEST_CASE("Memory for distributions of runs is bounded") {
    const Scratch scratch;
    std::vector<std::string> ids;
    for (const char* name : {"a", "b", "c"}) {
        RunFolder run(scratch / "runs", name, "{}");
        for (std::uint64_t i = 1; i <= 200; ++i) run.add("digits", "w", distribution_of(i));
        ids.push_back(id_of(run.path()));
    }
    RunLibrary::Limits small = at_once;
    small.held = 2 * Distributions::most * RunReading::as_points;
    RunLibrary library(scratch / "runs", small);
    CHECK(library.runs().size() == 3);
    CHECK(library.held() == 0);  // names alone
    for (int round = 0; round < 2; ++round)
        for (const std::string& id : ids) {
            CHECK(library.histogram(id, "", "w").distributions.size() > Distributions::most / 2 - 1);
            CHECK(library.held() >= RunReading::as_points * Distributions::most / 2);
            CHECK(library.held() <= small.held);
        }
    RunReading reading(true);
    reading.feed(file_text(scratch / ("runs/" + ids[0] + "/series.bin")));
    CHECK(reading.held() == RunReading::as_points * reading.tensors().at(0).distributions.all().size());
    CHECK(reading.held() > 0);
    reading.let_go();
    CHECK(reading.tensors().at(0).distributions.all().empty());
    CHECK(reading.held() == 0);
    {
        RunFolder many(scratch / "many", "many", "{}");
        for (int i = 0; i < 300; ++i) many.add("digits", "w" + std::to_string(i), distribution_of(1));
        many.add("digits", "loss", {1, 1, 1});
    }
    RunLibrary names(scratch / "many", at_once);
    const RunView view = names.runs().at(0);
    CHECK(view.tensors.at("digits") == RunReading::most_series);
    CHECK(view.lines.size() == 1);  // tensors take no place of series
    CHECK(view.left_out == 0);
    CHECK(!view.damaged);
    CHECK(names.histogram(view.id, "", "w299").what == Histogram::no_tensor);
    CHECK(names.histogram(view.id, "", "w255").distributions.size() == 1);
}

TEST_CASE("Distributions of a long run are asked for while it is read in parts") {
    const Scratch scratch;
    std::string id;
    {
        RunFolder run(scratch / "runs", "long", "{}");
        id = id_of(run.path());
        for (int i = 1; i <= 200'000; ++i) run.add("digits", "loss", {1.0 * i, 1.0 / i, 0.1 * i});
        run.flush();
        run.add("digits", "w", distribution_of(1));
    }
    RunLibrary::Limits little = at_once;
    little.read = 1;
    RunLibrary library(scratch / "runs", little);
    int parts = 0;
    for (Histogram found; found.read < 1 && parts < 20; ++parts) {
        found = library.histogram(id, "digits", "w");
        CHECK(found.what == Histogram::tensors);
        CHECK((found.read < 1 || found.distributions.size() == 1));
    }
    CHECK(parts >= 4);
    CHECK(library.histogram(id, "digits", "x").what == Histogram::no_tensor);
}
