// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/source/source.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/machines/machines.hpp>
#include <sigma/trainer/search.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thread_group.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

/// Returns the loss in a bowl with its minimum at width 40 and rate 0.01.
double bowl(Trial& trial) {
    const int width = trial.whole("width", 8, 256, SearchScale::logarithmic);
    const double rate = trial.real("rate", 1e-4, 1, SearchScale::logarithmic);
    const double x = std::log(width / 40.0), y = std::log(rate / 0.01);
    return x * x + y * y;
}

/// Returns the results as text, without times.
std::string timeless(SearchResult found) {
    for (SearchedTrial& t : found.trials) t.seconds = 0;
    return found.csv() + found.table();
}
/// A file that is removed at the end.
struct TestFile {
    std::string path = (std::filesystem::temp_directory_path() / sentence("search-", ::getpid(), ".jsonl")).string();
    TestFile() { std::filesystem::remove(path); }
    ~TestFile() { std::filesystem::remove(path); }

    std::string text() const {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        std::ifstream in(path, std::ios::binary);
        for (std::string line; std::getline(in, line);) all.push_back(line);
        return all;
    }
};
/// Makes choices that depend on earlier choices and on the seed. Returns their path as a text.
std::string wander(Trial& trial, std::uint64_t seed) {
    std::string path;
    for (std::uint64_t here = seed, depth = 0; depth < 4; ++depth) {
        const std::uint64_t bits = Philox(here, depth).bits(0);
        if (bits % 3 == 0) break;
        const std::string name = sentence("c", depth, "-", bits % 5);
        const int of = 1 + static_cast<int>(bits / 7 % 4), at = trial.whole(name, 1, of);
        path += sentence('/', name, '=', at);
        here = here * 31 + static_cast<std::uint64_t>(at);
    }
    return path;
}
/// Lists all paths of `wander` independently.
void all_paths(std::uint64_t here, std::uint64_t depth, const std::string& path, std::vector<std::string>& to) {
    const std::uint64_t bits = Philox(here, depth).bits(0);
    if (depth == 4 || bits % 3 == 0) {
        to.push_back(path);
        return;
    }
    for (int at = 1; at <= 1 + static_cast<int>(bits / 7 % 4); ++at)
        all_paths(here * 31 + static_cast<std::uint64_t>(at), depth + 1,
                  sentence(path, "/c", depth, "-", bits % 5, '=', at), to);
}
void doze(Trial& trial) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(Philox(9, static_cast<std::uint64_t>(trial.number())).bits(0) % 900));
}

}  // namespace

TEST_CASE("A search finds where the loss is small, and the same again", "[trainer]") {
    const SearchResult found = search({.trials = 60, .seed = 4, .quiet = true}, bowl);
    REQUIRE(found.trials.size() == 60);
    const SearchedTrial& best = found.best();
    CHECK(best.loss < 1);
    for (const SearchedTrial& t : found.trials) CHECK(t.loss >= best.loss);
    CHECK(best.whole("width") > 10);
    CHECK(best.real("rate") < 0.1);
    const SearchResult again = search({.trials = 60, .seed = 4, .quiet = true}, bowl);
    for (std::size_t i = 0; i < 60; ++i) CHECK(again.trials[i].loss == found.trials[i].loss);
    const SearchResult other = search({.trials = 60, .seed = 5, .quiet = true}, bowl);
    CHECK(other.trials[0].loss != found.trials[0].loss);
    // More trials begin with the same.
    const SearchResult fewer = search({.trials = 7, .seed = 4, .quiet = true}, bowl);
    for (std::size_t i = 0; i < 7; ++i) CHECK(fewer.trials[i].loss == found.trials[i].loss);
}

TEST_CASE("What is chosen stays within its bounds, and reaches them", "[trainer]") {
    std::set<int> wholes, logarithmic;
    std::set<std::size_t> texts;
    double least = 2, greatest = 1, decades[3]{};
    const SearchResult all = search({.trials = 400, .quiet = true}, [&](Trial& trial) {
        wholes.insert(trial.whole("n", -1, 2));
        logarithmic.insert(trial.whole("m", 1, 8, SearchScale::logarithmic));
        texts.insert(trial.choice("activation", {"relu", "tanh"}));
        const double x = trial.real("x", 1, 2);
        least = std::min(least, x), greatest = std::max(greatest, x);
        const double y = trial.real("y", 0.001, 1, SearchScale::logarithmic);
        CHECK((y >= 0.001 && y <= 1));
        ++decades[y < 0.01 ? 0 : y < 0.1 ? 1 : 2];
        return 0.0;
    });
    CHECK(wholes == std::set<int>{-1, 0, 1, 2});
    CHECK(logarithmic == std::set<int>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(texts == std::set<std::size_t>{0, 1});
    CHECK((least >= 1 && least < 1.02 && greatest <= 2 && greatest > 1.98));
    for (const double each : decades) CHECK((each > 90 && each < 180));
}

TEST_CASE("What a trial chooses does not depend on what else it chooses", "[trainer]") {
    double alone = 0, beside = 0;
    search({.trials = 1, .quiet = true}, [&](Trial& t) { return alone = t.real("x", 0, 1); });
    search({.trials = 1, .quiet = true}, [&](Trial& t) {
        t.whole("width", 1, 9);
        return beside = t.real("x", 0, 1);
    });
    CHECK(alone == beside);
}

TEST_CASE("No trial draws under one name what another draws under another", "[trainer]") {
    std::multiset<double> drawn;
    search({.trials = 300, .quiet = true}, [&](Trial& t) {
        for (const char* name : {"a", "b", "c", "x", "y", "w_rate", "b_rate"}) drawn.insert(t.real(name, 0, 1));
        return 0.0;
    });
    for (const double x : drawn) CHECK(drawn.count(x) == 1);
}

TEST_CASE("Networks of a search that are none are told, and the others counted", "[trainer]") {
    const SearchResult found = search({.trials = 30, .quiet = true}, [](Trial& trial) {
        const int heads = trial.whole("heads", 1, 3);
        const auto net = network(Input(4, 8) + Attention(heads) + Flatten() + Dense(2) + SoftmaxCE());
        return static_cast<double>(Model(net).parameter_elements() + heads);
    });
    int failed = 0;
    for (const SearchedTrial& t : found.trials) {
        CHECK(std::isnan(t.loss) == (t.whole("heads") == 3));
        if (!std::isnan(t.loss)) continue;
        ++failed;
        CHECK_THAT(t.failed, Contains("layer '1-attention'") && Contains("heads"));
    }
    CHECK((failed > 2 && failed < 28));
    CHECK(found.best().whole("heads") == 1);
    const std::string table = found.table();
    CHECK_THAT(table, Contains("trial") && Contains("heads") && Contains("failed"));
    CHECK(table.find("failed") > table.find("\n", 20));  // last
}

TEST_CASE("The table has the best first", "[trainer]") {
    SearchResult r;
    r.trials = {{1, 0.5, 1.25, {{"width", 64, "64"}}}, {2, 0.25, 10, {{"width", 8, "8"}, {"rate", 0.01, "0.01"}}}};
    CHECK(r.table() ==
          "trial  loss  seconds  width  rate\n"
          "    2  0.25    10.00      8  0.01\n"
          "    1   0.5     1.25     64      \n");
}

TEST_CASE("A trial that falls behind is told so from the fifth on", "[trainer]") {
    std::vector<bool> behind;
    const SearchResult found = search({.trials = 6, .quiet = true}, [&](Trial& trial) {
        const double now = trial.number() == 6 ? 0.5 : static_cast<double>(trial.number());
        behind.push_back(trial.falls_behind(1, now));
        return now;
    });
    CHECK(behind == std::vector<bool>{false, false, false, false, true, false});
    CHECK(found.trials[4].ended_early);
    CHECK_THAT(found.table(), Contains("5 (early)"));
}

TEST_CASE("A search trains networks of several sizes", "[trainer]") {
    Numbers x{{40, 2}, {}}, y{{40}, {}};
    for (std::size_t i = 0; i < 80; ++i) x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < 40; ++i) y.values.push_back(x.values[2 * i] > x.values[2 * i + 1] ? 1.0f : 0.0f);
    const Dataset points(x, y, "points");
    const SearchResult found = search({.trials = 4, .quiet = true}, [&](Trial& trial) {
        const int width = trial.whole("width", 2, 24), depth = trial.whole("depth", 1, 3);
        const auto net = network(Input(2) + depth * Dense(width, tanh) + Dense(2) + SoftmaxCE());
        const double rate = trial.real("rate", 0.001, 0.1, SearchScale::logarithmic);
        return fit(net, points, Adam{.learning_rate = rate}, {.epochs = 20, .quiet = true}).best().watched_loss();
    });
    CHECK(found.best().loss < 0.7);
}

TEST_CASE("Searches that make no sense are refused", "[trainer]") {
    const auto one = [](auto f) {
        return error_text([&] {
            search({.trials = 1, .quiet = true}, [&](Trial& t) {
                f(t);
                return 0.0;
            });
        });
    };
    CHECK(error_text([] { search({.trials = 0}, bowl); }) == "search with trials: expected 1 or more, found 0");
    CHECK_THAT(one([](Trial& t) { t.whole("width", 9, 2); }), Contains("bounds of 'width'") && Contains("9 and 2"));
    CHECK_THAT(one([](Trial& t) { t.whole("width", 0, 2, SearchScale::logarithmic); }), Contains("positive"));
    CHECK_THAT(one([](Trial& t) { t.real("rate", 0, 1, SearchScale::logarithmic); }), Contains("positive"));
    CHECK_THAT(one([](Trial& t) { t.real("rate", NAN, 1); }), Contains("bounds of 'rate'"));
    CHECK_THAT(one([](Trial& t) { t.choice("which", {}); }), Contains("choice 'which'"));
    CHECK_THAT(one([](Trial& t) { t.whole("n", 1, 2), t.whole("n", 1, 2); }), Contains("'n' twice"));
    CHECK_THROWS_AS(search({.trials = 1, .quiet = true}, [](Trial&) { return NAN; }).best(), ArgumentError);
    CHECK_THROWS_AS(SearchedTrial{}.choice("width"), ArgumentError);
    CHECK(error_text([] { search({.threads = 0}, bowl); }) == "search with threads: expected 1 or more, found 0");
    CHECK(error_text([] { search({.threads = -2}, bowl); }) == "search with threads: expected 1 or more, found -2");
    CHECK(error_text([] { search({.points = 1}, bowl); }) == "search with points: expected 2 or more, found 1");
    CHECK_THAT(error_text([] { search({.reduction_factor = 1}, bowl); }), Contains("reduction_factor: expected 2 or"));
    CHECK_THAT(error_text([] { search({.min_resource = 0}, bowl); }), Contains("min_resource: expected 1 or more"));
    CHECK_THAT(one([](Trial& t) { t.whole("\xff", 1, 2); }), Contains("names in UTF-8"));
    CHECK_THAT(one([](Trial& t) { t.choice("which", {"a", "\xff"}); }),
               Contains("choice 'which': expected texts in UTF-8"));
}

TEST_CASE("A grid has every combination once, the first choice the fastest", "[trainer]") {
    std::vector<std::string> tried;
    const SearchResult found = search({.by = SearchBy::grid, .points = 3, .quiet = true}, [&](Trial& t) {
        const int depth = t.whole("depth", 1, 2), width = t.whole("width", 8, 128, SearchScale::logarithmic);
        const double rate = t.real("rate", 1e-4, 0.01, SearchScale::logarithmic), share = t.real("share", 0, 1);
        CHECK((width == 8 || width == 32 || width == 128));
        CHECK((rate == 1e-4 || rate == Approx(1e-3) || rate == 0.01));
        CHECK((share == 0 || share == 0.5 || share == 1));
        CHECK(t.real("same", 0.3, 0.3) == 0.3);
        tried.push_back(sentence(depth, ' ', width, ' ', t.choice("activation", {"relu", "tanh", "elu", "gelu"})));
        return depth + width + rate;
    });
    REQUIRE(found.trials.size() == 2 * 3 * 3 * 3 * 4);
    CHECK(std::vector(tried.begin(), tried.begin() + 4) ==
          std::vector<std::string>{"1 8 0", "2 8 0", "1 32 0", "2 32 0"});
    std::set<std::vector<double>> all;
    for (const SearchedTrial& t : found.trials)
        all.insert({t.real("depth"), t.real("width"), t.real("rate"), t.real("share"), t.real("activation")});
    CHECK(all.size() == found.trials.size());
    CHECK(found.best().whole("width") == 8);
    // Wholes that round to the same are one point, and so many as there are at most.
    std::set<int> few;
    const SearchResult whole = search({.by = SearchBy::grid, .quiet = true}, [&](Trial& t) {
        return few.insert(t.whole("n", 1, 6, SearchScale::logarithmic)), 0.0;
    });
    CHECK(few == std::set<int>{1, 2, 4, 6});
    CHECK(whole.trials.size() == few.size());
}

TEST_CASE("A grid of choices that depend on others has each combination once, with any number of threads",
          "[trainer]") {
    std::size_t several = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::vector<std::string> wanted;
        all_paths(seed, 0, "", wanted);
        std::sort(wanted.begin(), wanted.end());
        several += wanted.size() > 1;
        std::string first;
        for (const int threads : {1, 2, 4}) {
            std::mutex mutex;
            std::vector<std::string> tried;
            const SearchResult found = search({.by = SearchBy::grid, .threads = threads, .quiet = true}, [&](Trial& t) {
                std::string path = wander(t, seed);
                if (threads > 1) doze(t);
                const std::lock_guard lock(mutex);
                return tried.push_back(std::move(path)), 1.0;
            });
            std::sort(tried.begin(), tried.end());
            CHECK(tried == wanted);
            for (std::size_t i = 0; i < found.trials.size(); ++i)
                CHECK(found.trials[i].number == static_cast<std::int64_t>(i + 1));
            if (threads == 1) first = timeless(found);
            CHECK(timeless(found) == first);
        }
    }
    CHECK(several > 30);
    // One that is deep on one side only.
    const SearchResult chain = search({.by = SearchBy::grid, .quiet = true}, [](Trial& t) {
        for (int i = 0; i < 80; ++i)
            if (t.choice(sentence("more", i), {"no", "yes"}) == 0) return static_cast<double>(i);
        return 80.0;
    });
    CHECK(chain.trials.size() >= 63);
    CHECK(chain.trials[62].loss == 62);
}

TEST_CASE("A grid goes on beside a trial that has not chosen all", "[trainer]") {
    // The first trial ends when two others have: they must not wait for it.
    std::atomic<int> others = 0;
    const SearchResult found = search({.by = SearchBy::grid, .threads = 2, .quiet = true}, [&](Trial& t) {
        const int n = t.whole("n", 1, 3);
        if (n > 1) ++others;
        for (int i = 0; n == 1 && others < 2 && i < 5000; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return static_cast<double>(others);
    });
    CHECK(found.trials.size() == 3);
    CHECK(found.trials[0].loss == 2);
}

TEST_CASE("A function that chooses at random on its own is told so in a grid", "[trainer]") {
    int calls = 0;
    const SearchResult found = search({.by = SearchBy::grid, .quiet = true}, [&](Trial& t) {
        return static_cast<double>(t.whole("n", 1, ++calls == 2 ? 4 : 3));
    });
    REQUIRE(found.trials.size() == 3);
    CHECK(found.trials[1].failed == "grid: expected 'n' of 3 points, as before, found 'n' of 4");
    CHECK(found.best().whole("n") == 1);
}

TEST_CASE("Random trials are the same with any number of threads", "[trainer]") {
    std::string first;
    for (const int threads : {1, 2, 4, 40}) {
        std::atomic<int> running = 0, most = 0;
        const SearchResult found = search({.trials = 30, .seed = 3, .threads = threads, .quiet = true}, [&](Trial& t) {
            const int now = ++running;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {}
            const double found_loss = bowl(t);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            --running;
            if (t.number() % 7 == 0) throw std::runtime_error(sentence("seven, ", t.number()));
            return found_loss;
        });
        CHECK((most <= threads && (threads == 1 || most > 1)));
        if (threads == 1) first = timeless(found);
        CHECK(timeless(found) == first);
    }
    CHECK_THAT(first, Contains("seven, 28"));
}

TEST_CASE("A trial that throws has failed, and the others go on", "[trainer]") {
    const SearchResult found = search({.trials = 4, .quiet = true}, [](Trial& t) {
        if (t.number() == 1) throw DataError("a.csv", "line 3", "a number", "\"x\"");
        if (t.number() == 2) throw std::runtime_error("two\nlines, \xff");
        if (t.number() == 3) throw std::runtime_error("");
        return 1.5;
    });
    CHECK(found.trials[0].failed == "file 'a.csv', line 3: expected a number, found \"x\"");
    CHECK(found.trials[1].failed == "two?lines, ?");
    CHECK(!found.trials[2].failed.empty());
    CHECK(found.best().number == 4);
    CHECK(error_text<ArgumentError>([] {
              search({.trials = 3, .threads = 2, .quiet = true},
                     [](Trial& t) -> double { throw Error(sentence("no ", t.number())); });
          }) == "search: expected a successful trial, found 3 failed, the first: no 1");
    CHECK(error_text([] { search({.trials = 1, .quiet = true}, nullptr); }) != "no error");
    struct Own {
        std::int64_t number;
    };
    for (const int threads : {1, 4}) {
        std::atomic<int> begun = 0;
        try {
            search({.trials = 100, .threads = threads, .quiet = true}, [&](Trial& t) -> double {
                ++begun;
                if (t.number() == 3) throw Own{3};
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return 0;
            });
            FAIL("nothing was thrown");
        } catch (const Own& own) { CHECK(own.number == 3); }
        CHECK(begun < 20);
    }
    // Those that wait in a grid are woken.
    CHECK_THROWS_AS(search({.by = SearchBy::grid, .threads = 4, .quiet = true},
                           [&](Trial&) -> double {
                               std::this_thread::sleep_for(std::chrono::milliseconds(20));
                               throw Own{1};
                           }),
                    Own);
}

TEST_CASE("With successive halving one of so many goes on at each rung", "[trainer]") {
    // Beside a plain reading of the rule.
    std::map<std::uint64_t, std::vector<double>> rungs;
    std::map<std::uint64_t, int> came;
    const SearchResult found = search(
        {.trials = 200, .stop = SearchStop::halving, .reduction_factor = 3, .min_resource = 2, .quiet = true},
        [&](Trial& t) {
            const double quality = t.real("quality", 0, 1);
            for (std::uint64_t step = 1; step <= 60; ++step) {
                const double reached = quality + 1.0 / static_cast<double>(step);
                bool wanted = false;
                if (step == 2 || step == 6 || step == 18 || step == 54) {
                    ++came[step];
                    rungs[step].push_back(reached);
                    const auto& all = rungs[step];
                    const auto better = std::count_if(all.begin(), all.end(), [&](double x) { return x < reached; });
                    wanted = better >= std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(all.size() / 3));
                }
                const bool behind = t.falls_behind(step, reached);
                CHECK(behind == wanted);
                CHECK(t.falls_behind(step, 100) == behind);  // told again
                if (behind) return reached;
            }
            return quality;
        });
    CHECK(came[2] == 200);
    CHECK((came[6] > 40 && came[6] < 100));
    CHECK((came[18] > 10 && came[18] < 40));
    CHECK((came[54] > 2 && came[54] <= 22));
    CHECK(!found.best().ended_early);
    double least = 1;
    for (const SearchedTrial& t : found.trials) least = std::min(least, t.real("quality"));
    CHECK(found.best().loss == least);
}

TEST_CASE("Rungs that are passed count, and a loss that is no number is behind", "[trainer]") {
    for (const SearchStop rule : {SearchStop::median, SearchStop::halving}) {
        const SearchResult found = search({.trials = 6, .stop = rule, .quiet = true}, [&](Trial& t) {
            if (t.number() == 1) CHECK(t.falls_behind(1, NAN));
            else if (t.number() == 2) CHECK((t.falls_behind(1, INFINITY) && t.falls_behind(2, 0)));
            else CHECK(!t.falls_behind(5, 1));  // the rung of 4
            return 0.0;
        });
        CHECK(found.trials[5].reached[0].first == (rule == SearchStop::halving ? 4u : 5u));
        CHECK((found.trials[0].ended_early && found.trials[1].ended_early && !found.trials[2].ended_early));
    }
    // Up to the end of the numbers.
    search({.trials = 1, .stop = SearchStop::halving, .quiet = true}, [](Trial& t) {
        CHECK(!t.falls_behind(std::numeric_limits<std::uint64_t>::max(), 1));
        return 0.0;
    });
}

TEST_CASE("Numbers of a search go through its file exactly", "[trainer]") {
    const TestFile file;
    const double odd[] = {0.1,
                          std::nan(""),
                          INFINITY,
                          -INFINITY,
                          std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::max(),
                          -0.0,
                          1.0 / 3,
                          2.2250738585072011e-308};
    const SearchOptions options{.trials = 9, .seed = ~std::uint64_t{0}, .file = file.path, .quiet = true};
    const auto loss_of = [&](Trial& t) {
        bowl(t);
        t.choice("a \"name\",\tand\n\\ ü", {"x,\"y\"\n", "choice", "[reached]", ""});
        t.falls_behind(std::uint64_t{1} << 63, odd[t.number() - 1]);
        return odd[t.number() - 1];
    };
    const SearchResult found = search(options, loss_of);
    int calls = 0;
    const SearchResult again = search(options, [&](Trial& t) { return ++calls, loss_of(t); });
    CHECK(calls == 1);  // which only chooses
    for (std::size_t i = 0; i < 9; ++i) {
        const SearchedTrial &a = found.trials[i], &b = again.trials[i];
        CHECK(std::memcmp(&a.loss, &b.loss, sizeof(double)) == 0);
        CHECK(a.seconds == b.seconds);
        CHECK(a.choices == b.choices);
        CHECK(a.reached == b.reached);
        CHECK(a.ended_early == b.ended_early);
    }
    CHECK(again.csv() == found.csv());
    CHECK(again.table() == found.table());
}

TEST_CASE("A search goes on behind the trials of its file", "[trainer]") {
    for (const SearchBy by : {SearchBy::random, SearchBy::grid})
        for (const SearchStop rule : {SearchStop::median, SearchStop::halving}) {
            const TestFile file;
            SearchOptions options{.trials = 25, .by = by, .stop = rule, .seed = 6, .file = file.path, .quiet = true};
            int calls = 0;
            const auto loss_of = [&](Trial& t) {
                ++calls;
                const double begun = bowl(t);
                if (t.whole("n", 1, 3) == 2) throw Error("two");
                for (std::uint64_t step = 1; step <= 20; ++step)
                    if (t.falls_behind(step, begun / static_cast<double>(step))) return begun;
                return begun / 20;
            };
            const std::string whole = timeless(search(options, loss_of));
            const std::vector<std::string> lines = file.lines();
            const int all = calls;
            REQUIRE(lines.size() == static_cast<std::size_t>(all + 1));
            for (int kept = 0; kept <= all; kept += 4) {
                std::string text;
                for (int i = 0; i <= kept; ++i) text += lines[static_cast<std::size_t>(i)] + "\n";
                if (kept < all) text += lines[static_cast<std::size_t>(kept + 1)].substr(0, 20);  // half of one
                file.write(text);
                int failed = 0, good = 0;
                for (int i = 1; i <= kept; ++i)
                    ++(lines[static_cast<std::size_t>(i)].find("two") == std::string::npos ? good : failed);
                calls = 0;
                CHECK(timeless(search(options, loss_of)) == whole);
                CHECK(calls == all - kept + failed + (good > 0));
            }
            // A line that is taken out is tried again; the order of lines means nothing.
            if (rule == SearchStop::halving) continue;  // what is behind depends on what ended before
            file.write(lines[0] + "\n" + lines[3] + "\n" + lines[1] + "\n");
            const SearchResult mixed = search(options, loss_of);
            REQUIRE(mixed.trials.size() == static_cast<std::size_t>(all));
            for (int i = 0; i < all; ++i) CHECK(mixed.trials[static_cast<std::size_t>(i)].number == i + 1);
        }
}

TEST_CASE("Trials of a file that failed are tried again, whatever the mended program says of them", "[trainer]") {
    for (const SearchBy by : {SearchBy::random, SearchBy::grid}) {
        const TestFile file;
        SearchOptions options{.trials = 12, .by = by, .seed = 6, .file = file.path, .quiet = true};
        bool mended = false;
        std::set<std::int64_t> called;
        // Half of those that fail do so before they have chosen all.
        const auto loss_of = [&](Trial& t) {
            called.insert(t.number());
            const int kind = t.whole("kind", 1, 4);
            if (!mended && kind == 2) throw Error("the old words");
            const int depth = t.whole("depth", 1, 3);
            if (!mended && kind == 3) throw Error("the old words, too");
            if (mended && kind == 3 && depth == 1) throw Error("the new words");
            return kind + 0.1 * depth;
        };
        const SearchResult before = search(options, loss_of);
        std::set<std::int64_t> failed;
        for (const SearchedTrial& t : before.trials)
            if (!t.failed.empty()) failed.insert(t.number);
        REQUIRE(failed.size() > 2);
        REQUIRE(failed.size() + 2 < before.trials.size());
        mended = true;
        called.clear();
        const SearchResult after = search(options, loss_of);
        std::string words;
        for (const SearchedTrial& t : after.trials) words += t.failed;
        CHECK_THAT(words, Contains("the new words") && !Contains("the old words"));
        CHECK_THAT(file.text(), Contains("the new words") && !Contains("the old words"));
        SearchOptions anew = options;
        anew.file = "";
        if (by == SearchBy::random) {
            std::int64_t good = 1;  // one only shows that it still chooses the same
            while (failed.contains(good)) ++good;
            failed.insert(good);
            CHECK(called == failed);
            CHECK(timeless(after) == timeless(search(anew, loss_of)));
        } else {
            // Combinations that no trial had come to have numbers behind the others; each is there once.
            std::set<std::vector<double>> points, all;
            for (const SearchedTrial& t : after.trials) points.insert({t.real("kind"), t.real("depth")});
            for (const SearchedTrial& t : search(anew, loss_of).trials) all.insert({t.real("kind"), t.real("depth")});
            CHECK(points == all);
            CHECK(after.trials.size() == 12);
        }
    }
}

TEST_CASE("A grid of choices that depend on others goes on from any part of it", "[trainer]") {
    const TestFile file;
    int seeds = 0;
    for (std::uint64_t seed = 0; seeds < 8; ++seed) {
        std::vector<std::string> paths;
        all_paths(seed, 0, "", paths);
        if (paths.size() < 3 || paths.size() > 12) continue;  // the disk has each trial
        ++seeds;
        std::filesystem::remove(file.path);
        const SearchOptions options{.by = SearchBy::grid, .threads = 3, .file = file.path, .quiet = true};
        const auto loss_of = [&](Trial& t) {
            const std::string path = wander(t, seed);
            doze(t);
            if (path.size() % 3 == 1) t.whole("twice", 1, 2), t.whole(path.size() == 7 ? "twice" : "once", 1, 2);
            if (path.size() % 5 == 3) throw Error(path);
            return static_cast<double>(path.size());
        };
        std::string whole;
        try {
            whole = timeless(search(options, loss_of));
        } catch (const ArgumentError&) { continue; }  // all fail
        const std::vector<std::string> lines = file.lines();
        for (std::uint64_t part = 0; part < 3; ++part) {
            std::string text = lines[0] + "\n";
            for (std::size_t i = 1; i < lines.size(); ++i)
                if (Philox(seed, part).bits(i) % 2 == 0) text += lines[i] + "\n";
            file.write(text);
            CHECK(timeless(search(options, loss_of)) == whole);
        }
    }
}

TEST_CASE("A search that is killed goes on as if it had not been", "[trainer]") {
    const TestFile file;
    const SearchOptions options{
        .trials = 40, .stop = SearchStop::halving, .reduction_factor = 2, .seed = 2, .file = file.path, .quiet = true};
    const auto loss_of = [](Trial& t) {
        const double begun = bowl(t);
        for (std::uint64_t step = 1; step <= 16; ++step) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            if (t.falls_behind(step, begun + 1.0 / static_cast<double>(step))) return begun + 1;
        }
        return begun;
    };
    SearchOptions without = options;
    without.file = "";
    const std::string wanted = timeless(search(without, loss_of));
    int killed = 0;
    for (int life = 0; life < 200; ++life) {
        const ::pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            search(options, loss_of);
            ::_exit(0);
        }
        std::this_thread::sleep_for(
            std::chrono::microseconds(2000 + Philox(1).bits(static_cast<std::uint64_t>(life)) % 20000));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFSIGNALED(status)) break;
        ++killed;
    }
    CHECK(killed > 2);
    CHECK(timeless(search(options, loss_of)) == wanted);
    // With threads the trials are the same, if nobody is ended early.
    std::filesystem::remove(file.path);
    SearchOptions threads{.trials = 60, .threads = 3, .file = file.path, .quiet = true};
    const auto slow_bowl = [](Trial& t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return bowl(t);
    };
    for (int life = 0; life < 6; ++life) {
        const ::pid_t child = ::fork();
        if (child == 0) {
            search(threads, slow_bowl);
            ::_exit(0);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    const std::string resumed = timeless(search(threads, slow_bowl));
    CHECK(resumed == timeless(search({.trials = 60, .quiet = true}, bowl)));
}

TEST_CASE("A file of another search is refused with the difference", "[trainer]") {
    const TestFile file;
    const SearchOptions options{.trials = 5, .seed = 4, .file = file.path, .quiet = true};
    search(options, bowl);
    const std::string text = file.text();
    const auto with = [&](auto change, auto loss_of) {
        SearchOptions other = options;
        change(other);
        return error_text<DataError>([&] { search(other, loss_of); });
    };
    const auto plain = [&](auto change) { return with(change, bowl); };
    const std::string begin = sentence("file '", file.path, "', ");
    CHECK(plain([](auto& o) { o.seed = 5; }) == begin + "line 1: expected seed 5, found seed 4");
    CHECK(plain([](auto& o) { o.by = SearchBy::grid; }) ==
          begin + "line 1: expected search by grid, found search by random");
    CHECK(plain([](auto& o) { o.points = 7; }) == begin + "line 1: expected points 7, found points 5");
    CHECK(plain([](auto& o) { o.stop = SearchStop::halving; }) ==
          begin + "line 1: expected stop halving, found stop median");
    CHECK_THAT(plain([](auto& o) { o.reduction_factor = 3; }), Contains("expected reduction_factor 3"));
    CHECK_THAT(plain([](auto& o) { o.min_resource = 3; }), Contains("expected min_resource 3"));
    CHECK_THAT(plain([](auto& o) { o.trials = 4; }), Contains("expected trials 1 to 4, found trial 5"));
    const auto nothing_more = [](auto&) {};
    CHECK_THAT(
        with(nothing_more,
             [](Trial& t) { return t.whole("breadth", 8, 256, SearchScale::logarithmic) + t.real("rate", 1e-4, 1); }),
        Contains(begin + "trial 1: expected 'breadth' ") && Contains(", found 'width' "));
    CHECK_THAT(
        with(nothing_more,
             [](Trial& t) { return t.whole("width", 8, 256, SearchScale::logarithmic) + t.real("speed", 1e-4, 1); }),
        Contains("expected 'speed' ") && Contains(", found 'rate' "));
    CHECK_THAT(with(nothing_more, [](Trial& t) { return static_cast<double>(t.whole("width", 8, 25)); }),
               Contains("expected 'width' ") && Contains(", found 'width' "));
    CHECK_THAT(with(nothing_more,
                    [](Trial& t) {
                        t.whole("width", 8, 256, SearchScale::logarithmic);
                        CHECK(t.falls_behind(1, 1));
                        return 1.0;
                    }),
               Contains("expected no further choice, found 'rate' "));
    CHECK(file.text() == text);  // as it was
    // More trials are welcome, and what the function fails of at once is said.
    SearchOptions more = options;
    more.trials = 8;
    CHECK(timeless(search(more, bowl)) == timeless(search({.trials = 8, .seed = 4, .quiet = true}, bowl)));
    CHECK(error_text([&] { search(more, [](Trial&) -> double { throw Error("no data"); }); }) == "no data");
    // Other files, and broken ones, stay as they are.
    for (const std::string& wrong :
         {std::string("a,b\n1,2\n"), std::string("no line"), std::string("\n"), text.substr(0, 30),
          text + "[\"9\",\"0.5\"]\n", text + "[\"1\",\"x\",\"1\",\"0\",\"\",\"0\",\"0\"]\n",
          text + "[\"0\",\"1\",\"1\",\"0\",\"\",\"0\",\"0\"]\n",
          text + "[\"1\",\"1\",\"1\",\"0\",\"\",\"99999999999\",\"0\"]\n"}) {
        INFO(wrong);
        file.write(wrong);
        CHECK_THROWS_AS(search(options, bowl), DataError);
        CHECK(file.text() == wrong);
    }
    file.write("");
    CHECK(search(options, bowl).trials.size() == 5);
    CHECK(file.text().substr(0, 20) == text.substr(0, 20));
    CHECK_THROWS_AS(search({.trials = 1, .file = "/nowhere/search.jsonl", .quiet = true}, bowl), StorageError);
    CHECK_THROWS_AS(search({.trials = 1, .file = "/", .quiet = true}, bowl), Error);
}

TEST_CASE("A search as CSV has exact numbers", "[trainer]") {
    SearchResult r;
    r.trials = {{1, 1.0 / 3, 1.25, {{"width", 64, "64"}, {"rate", 0.0123456789, "0.01235"}}},
                {2, 0.25, 10, {{"width", 123456, "123456"}, {"a,b", 1, "say \"x\""}}, true},
                {3, NAN, 0, {}, false, "no"}};
    CHECK(r.csv() ==
          "trial,loss,seconds,width,rate,\"a,b\",ended\n"
          "1,0.3333333333333333,1.25,64,0.0123456789,,\n"
          "2,0.25,10,123456,,\"say \"\"x\"\"\",early\n"
          "3,nan,0,,,,no\n");
}

TEST_CASE("Networks are trained beside each other", "[trainer]") {
    Numbers x{{40, 2}, {}}, y{{40}, {}};
    for (std::size_t i = 0; i < 80; ++i) x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < 40; ++i) y.values.push_back(x.values[2 * i] > x.values[2 * i + 1] ? 1.0f : 0.0f);
    const Dataset points(x, y, "points");
    std::string first;
    for (const int threads : {1, 4}) {
        const SearchResult found = search({.trials = 8, .threads = threads, .quiet = true}, [&](Trial& trial) {
            const int width = trial.whole("width", 2, 24);
            const auto net = network(Input(2) + Dense(width, tanh) + Dense(2) + SoftmaxCE());
            return fit(net, points, Adam{.learning_rate = 0.01}, {.epochs = 5, .quiet = true}).best().watched_loss();
        });
        if (threads == 1) first = timeless(found);
        CHECK(timeless(found) == first);
    }
}

TEST_CASE("Trials are dealt out to processes, and all have the result of all", "[search]") {
    const Scratch folder;
    const auto loss_of = [](Trial& trial) {
        const double x = trial.real("x", -1, 1);
        const int n = trial.whole("n", 1, 9);
        if (trial.number() == 5) throw ArgumentError("trial", "luck", "none");
        const double reached = x * x + n;
        trial.keep(reached, [&](const std::string& file) {
            const std::string text = sentence(reached);
            std::ofstream(file) << text;
        });
        return reached;
    };
    const auto file = [&](const char* name) { return folder / name; };
    SearchOptions options{.trials = 11, .seed = 4, .quiet = true};
    options.best = file("alone");
    const SearchResult alone = search(options, loss_of);
    options.best = file("best");
    options.file = file("search.jsonl");
    for (const int ranks : {3, 2, 1}) {
        std::vector<std::string> tables(static_cast<std::size_t>(ranks));
        std::atomic<int> calls = 0;
        support::ThreadGroup group(ranks);
        const auto thrown = group.run([&](int rank) {
            const MachineSet all{group.member(rank), cpu(1), {}};
            SearchOptions own = options;
            own.machines = &all;
            const SearchResult found = search(own, [&](Trial& trial) {
                ++calls;
                return loss_of(trial);
            });
            CHECK(found.trials.size() == alone.trials.size());
            for (std::size_t i = 0; i < found.trials.size(); ++i) {
                CHECK(found.trials[i].choices == alone.trials[i].choices);
                CHECK((found.trials[i].loss == alone.trials[i].loss || i == 4));
                CHECK(found.trials[i].failed == alone.trials[i].failed);
            }
        });
        for (const std::string& text : thrown) CHECK(text == "");
        CHECK(calls == (ranks == 3 ? 11 : ranks + 1));  // once to see that the same is chosen, and what failed again
        CHECK(read_text(data::file(file("best"))) == sentence(alone.best().loss));
        CHECK(!std::filesystem::exists(file("best.1")));
    }
    CHECK_THROWS_WITH(search({.trials = 1, .quiet = true}, [](Trial& t) { return t.keep(1, [](auto&) {}), 1.0; }),
                      Contains("a file name in SearchOptions::best"));
}

TEST_CASE("A grid is dealt out to processes, whatever shape it has, and goes on", "[search]") {
    const Scratch folder;
    // The second choice depends on the first, and the third on the second; two trials fail, one between its choices.
    const auto loss_of = [](Trial& trial) {
        const auto kind = trial.choice("kind", {"linear", "dense", "deep"});
        double reached = static_cast<double>(kind);
        if (kind > 0) reached += trial.real("rate", 0.1, 1);
        if (kind == 2) {
            if (reached > 2.9) throw ArgumentError("trial", "luck", "none");
            const int depth = trial.whole("depth", 1, 3);
            if (depth == 2 && reached < 2.2) throw ArgumentError("trial", "depth", "none");
            reached -= depth;
        }
        trial.keep(reached, [&](const std::string& file) { std::ofstream(file) << sentence(reached); });
        return reached;
    };
    SearchOptions options{.by = SearchBy::grid, .points = 4, .quiet = true};
    options.best = folder / "alone";
    const SearchResult alone = search(options, loss_of);
    CHECK(alone.trials.size() == 1 + 4 + 3 * 3 + 1);
    const auto same_as_alone = [&](const SearchResult& found) {
        REQUIRE(found.trials.size() == alone.trials.size());
        for (std::size_t i = 0; i < found.trials.size(); ++i) {
            CHECK(found.trials[i].choices == alone.trials[i].choices);
            CHECK(found.trials[i].failed == alone.trials[i].failed);
            CHECK((found.trials[i].loss == alone.trials[i].loss || !alone.trials[i].failed.empty()));
        }
    };
    for (const int ranks : {1, 2, 3, 4, 9}) {
        SearchOptions own = options;
        own.file = folder / sentence("grid", ranks);
        own.best = folder / sentence("best", ranks);
        for (int again = 0; again < 3; ++again) {
            std::atomic<int> calls = 0;
            support::ThreadGroup group(ranks);
            const auto thrown = group.run([&](int rank) {
                const MachineSet all{group.member(rank), cpu(1), {}};
                SearchOptions here = own;
                here.machines = &all;
                here.threads = 1 + rank % 2;
                same_as_alone(search(here, [&](Trial& trial) {
                    ++calls;
                    return loss_of(trial);
                }));
            });
            for (const std::string& text : thrown) CHECK(text == "");
            // Each sees that the same is chosen; two fail again.
            CHECK(calls == (again == 0 ? 15 : again == 1 ? ranks + 2 : ranks + 3));
            CHECK(read_text(data::file(own.best)) == sentence(alone.best().loss));
            if (again == 1) {  // a line that is taken out is tried again
                std::string text = read_text(data::file(own.file));
                const std::size_t first = text.find('\n') + 1;
                text.erase(first, text.find('\n', first) + 1 - first);
                std::ofstream(own.file) << text;
            }
        }
    }
}

TEST_CASE("Who falls behind does so among the trials of all processes", "[search]") {
    support::ThreadGroup group(2);
    std::vector<std::int64_t> behind;
    std::mutex mutex;
    std::atomic<int> told = 0;
    const auto thrown = group.run([&](int rank) {
        const MachineSet all{group.member(rank), cpu(1), {}};
        const SearchResult found = search({.trials = 10, .machines = &all, .quiet = true}, [&](Trial& trial) {
            // The losses of the first process are less, and it is first.
            if (trial.number() % 2 == 0)
                while (told < 5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const double reached = trial.number() % 2 == 0 ? 2 : 1;
            if (trial.falls_behind(1, reached)) {
                const std::lock_guard lock(mutex);
                behind.push_back(trial.number());
            }
            if (trial.number() % 2 == 1) ++told;
            return reached;
        });
        CHECK(found.trials[1].ended_early);
        CHECK_FALSE(found.trials[0].ended_early);
    });
    for (const std::string& text : thrown) CHECK(text == "");
    std::ranges::sort(behind);
    CHECK(behind == std::vector<std::int64_t>{2, 4, 6, 8, 10});
}

TEST_CASE("A process whose search fails ends that of the others", "[search]") {
    support::ThreadGroup group(2);
    int caught = 0;
    const auto thrown = group.run([&](int rank) {
        const MachineSet all{group.member(rank), cpu(1), {}};
        const auto searched = [&] {
            search({.by = SearchBy::grid, .points = 30, .machines = &all, .quiet = true}, [&](Trial& trial) {
                trial.real("x", 0, 1), trial.real("y", 0, 1);
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (trial.number() == 8) throw 13;
                return 1.0;
            });
        };
        if (rank == 0) return searched();
        try {
            searched();
        } catch (const int x) { caught = x; }
    });
    CHECK(caught == 13);
    CHECK(thrown[0] == "rank 1: an exception that is not a std::exception");
}
