// SPDX-License-Identifier: BSL-1.0
// Files of searches in a folder, and what nobody should have put there.
#include <sigma/core/error.hpp>
#include <sigma/trainer/search.hpp>

#include "board.hpp"
#include "search_files.hpp"
#include "support/scratch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

using namespace sigma::monitor;
using sigma::sentence;

namespace {

const SearchFiles::Limits at_once{.every = std::chrono::milliseconds(0)};
constexpr std::string_view head = R"(["search by random","seed 1"])"
                                  "\n";

void write(const std::string& file, std::string_view text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}
/// A trial without choices.
std::string trial(int number, std::string_view loss = "0.5") {
    return sentence("[\"", number, "\",\"", loss, R"(","1.5","0","","0","0"])", '\n');
}
std::string refusal(SearchFiles& files, std::string_view name) {
    try {
        static_cast<void>(files.read(name));
    } catch (const sigma::DataError& error) { return error.what(); } catch (const Refusal& refused) {
        return sentence(refused.status, ' ', refused.sentence);
    }
    return "none";
}

}  // namespace

TEST_CASE("What a search has written is read as it goes on") {
    const Scratch scratch;
    const std::string folder = scratch / "runs";
    std::filesystem::create_directory(folder);
    SearchFiles files(folder, at_once);
    CHECK(files.list().empty());
    std::size_t most = 0;
    const auto found =
        sigma::search({.trials = 7, .seed = 3, .file = folder + "/a.jsonl", .quiet = true}, [&](sigma::Trial& trial) {
            const double rate = trial.real("rate", 1e-4, 1, sigma::SearchScale::logarithmic);
            const auto which = trial.choice("kind", {"relu", "tanh"});
            if (trial.number() > 1) most = std::max(most, files.read("a.jsonl").trials.size());
            if (trial.number() == 3) throw std::runtime_error("<b>no</b>");
            if (trial.number() == 4) return std::nan("");
            if (trial.number() == 5) static_cast<void>(trial.falls_behind(1, HUGE_VAL));
            if (which == 1) return rate + trial.whole("width", 1, 9);
            return rate;
        });
    CHECK(most == 6);
    const SearchView view = files.read("a.jsonl");
    REQUIRE(view.trials.size() == 7);
    CHECK(view.settings[0] == "search by random");
    CHECK(view.settings[1] == "seed 3");
    CHECK(view.trials[0].number == static_cast<std::uint64_t>(found.best().number));
    CHECK(std::isnan(view.trials[5].loss));
    CHECK(view.trials[6].failed == "<b>no</b>");
    for (const SearchView::Trial& one : view.trials) {
        const auto& is = found.trials[static_cast<std::size_t>(one.number - 1)];
        CHECK((one.loss == is.loss || std::isnan(one.loss)));
        CHECK(one.seconds == is.seconds);
        CHECK(one.early == is.ended_early);
        for (std::size_t i = 0; i < view.names.size(); ++i) {
            const auto at = std::ranges::find(is.choices, view.names[i], &sigma::SearchedTrial::Choice::name);
            REQUIRE((at != is.choices.end()) == (i < one.choices.size() && one.choices[i].there));
            if (at == is.choices.end()) continue;
            CHECK(one.choices[i].number == at->number);
            CHECK(one.choices[i].text == at->text);
        }
    }
    CHECK(files.read("a.jsonl", view.version).trials.empty());  // it was seen
    std::ofstream(folder + "/a.jsonl", std::ios::app) << trial(8, "-1") << "[\"9\",\"torn";
    const SearchView later = files.read("a.jsonl", view.version);
    CHECK(later.version != view.version);
    REQUIRE(later.trials.size() == 8);
    CHECK(later.trials[0].number == 8);
    CHECK(later.trials[0].choices.empty());
}

TEST_CASE("Files of further processes belong to a search, other files do not") {
    const Scratch scratch;
    const std::string folder = scratch.path.string();
    write(folder + "/s.jsonl", std::string(head) + trial(1) + trial(3));
    write(folder + "/s.jsonl.1", std::string(head) + trial(2, "0.1") + trial(3, "0.4"));
    write(folder + "/s.jsonl.10", std::string(head) + trial(4, "nan"));
    write(folder + "/t.jsonl.1", std::string(head));  // of a search that is not there
    write(folder + "/s.jsonl.01", std::string(head));
    write(folder + "/log.jsonl", "{\"time\":1}\n");
    write(folder + "/s.json", head);
    write(folder + "/.jsonl", head);
    write(folder + "/not\xff.jsonl", head);
    write(folder + "/empty.jsonl", "");
    std::filesystem::create_directory(folder + "/folder.jsonl");
    std::filesystem::create_symlink(folder + "/s.jsonl", folder + "/link.jsonl");
    REQUIRE(::mkfifo((folder + "/pipe.jsonl").c_str(), 0600) == 0);
    SearchFiles files(folder, at_once);
    const auto all = files.list();
    REQUIRE(all.size() == 1);
    CHECK(all[0].name == "s.jsonl");
    CHECK(all[0].parts == std::vector<std::string>{"s.jsonl", "s.jsonl.1", "s.jsonl.10"});
    CHECK(all[0].changed > 1e9);
    const SearchView view = files.read("s.jsonl");
    std::string order;
    for (const auto& one : view.trials) order += sentence(one.number, ' ');
    CHECK(order == "2 3 1 4 ");
    CHECK(view.trials[1].loss == 0.4);
    for (const char* name : {"", ".", "../s.jsonl", "link.jsonl", "s.jsonl.1", "/etc/passwd", "pipe.jsonl"})
        CHECK(refusal(files, name) == sentence("404 search '", name, "': there is no such file in the folder"));
    write(folder + "/s.jsonl.1", "[\"search by random\",\"seed 2\"]\n" + trial(2));
    CHECK(refusal(files, "s.jsonl") ==
          "file 's.jsonl.1', line 1: expected the settings of 's.jsonl', found those of another search");
}

TEST_CASE("A damaged file of a search is refused in one sentence, and others are read") {
    const Scratch scratch;
    const std::string folder = scratch.path.string(), bad = folder + "/bad.jsonl";
    write(folder + "/good.jsonl", std::string(head) + trial(1));
    SearchFiles files(folder, at_once);
    const std::string first = trial(1);
    for (const std::string& text :
         {std::string("[\"search by x\n"), std::string(head) + "[1,2]\n", std::string(head) + "{}\n",
          std::string(head) + first + "\n[\"2\"]\n", std::string(head) + R"(["x","1","1","0","","0","0"])" + "\n",
          std::string(head) + R"(["99999999999999999","1","1","0","","0","0"])" + "\n",
          std::string(head) + R"(["1","1","1","0","","99999999999","0"])" + "\n",
          std::string(head) + R"(["1","1","1","0","","0","99999999999"])" + "\n",
          std::string(head) + R"(["1","1","1","0","","1","0","a"])" + "\n",
          std::string(head) + std::string(5000, '[') + "\n", std::string(head) + "[\"\xff\"]\n",
          std::string(head) + R"(["1","1","1","0","","0","0","more"])" + "\n",
          std::string("[\"search by random\"") + std::string(2000, ',') + "\n"}) {
        write(bad, text);
        CAPTURE(text.substr(0, 80));
        CHECK(files.list().size() == 2);
        const std::string said = refusal(files, "bad.jsonl");
        CHECK(said.starts_with("file 'bad.jsonl', byte "));
        CHECK(said.find("expected") != said.npos);
        CHECK(said.size() < 200);
        CHECK(files.read("good.jsonl").trials.size() == 1);
    }
    write(bad, std::string(head) + "[\"x\",\"1\"]\n");
    CHECK(refusal(files, "bad.jsonl") == "file 'bad.jsonl', byte 31: expected a number, found 'x'");
    write(bad, head.substr(0, 20));  // nothing is written to its end
    CHECK(refusal(files, "bad.jsonl").starts_with("file 'bad.jsonl', byte 0: expected '['"));
}

TEST_CASE("A search takes no more than its room") {
    const Scratch scratch;
    const std::string folder = scratch.path.string();
    std::string text(head);
    for (int i = 1; i <= 30; ++i) text += trial(i, sentence(i % 7));
    text += R"(["31","-1","1","0","","3","0","a","1","1","0","1","b","2","2","0","1","c","3","3","0","1"])"
            "\n";
    write(folder + "/a.jsonl", text);
    for (int i = 0; i < 5; ++i) write(folder + sentence("/more", i, ".jsonl"), head);
    SearchFiles files(folder, {.files = 4, .trials = 10, .names = 2, .every = std::chrono::milliseconds(0)});
    CHECK(files.list().size() == 4);
    CHECK(files.left_out() == 2);
    SearchFiles few(folder, {.bytes = 1000, .trials = 10, .names = 2, .every = std::chrono::milliseconds(0)});
    CHECK(refusal(few, "a.jsonl") == "413 search 'a.jsonl': the files are larger than 1000 bytes");
    SearchFiles short_ones(folder, {.read = 30, .every = std::chrono::milliseconds(0)});
    CHECK(refusal(short_ones, "a.jsonl") == "413 search 'a.jsonl': the files have more than 30 trials");
    SearchFiles best(folder, {.trials = 10, .names = 2, .every = std::chrono::milliseconds(0)});
    const SearchView view = best.read("a.jsonl");
    REQUIRE(view.trials.size() == 10);
    CHECK(view.left_out == 21);
    CHECK(view.trials[0].number == 31);
    CHECK(view.trials[9].loss <= 2);
    CHECK(view.names == std::vector<std::string>{"a", "b"});
    CHECK(view.names_left_out == 1);
    CHECK(SearchFiles(folder + "/none").list().empty());
}
