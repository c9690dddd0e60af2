// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>
#include <sigma/trainer/search.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

/// Of a bowl whose lowest point is at width 40 and rate 0.01.
double bowl(Trial& trial) {
    const int width = trial.whole("width", 8, 256, SearchScale::logarithmic);
    const double rate = trial.real("rate", 1e-4, 1, SearchScale::logarithmic);
    const double x = std::log(width / 40.0), y = std::log(rate / 0.01);
    return x * x + y * y;
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

TEST_CASE("Networks of a search that are none are told, and the others counted", "[trainer]") {
    const SearchResult found = search({.trials = 30, .quiet = true}, [](Trial& trial) {
        const int heads = trial.whole("heads", 1, 3);
        const auto net = network(Input(4, 8) + Attention(heads) + Flatten() + Dense(2) + SoftmaxCE());
        return static_cast<double>(Model(net).parameter_elements() + heads);
    });
    int refused = 0;
    for (const SearchedTrial& t : found.trials) {
        CHECK(std::isnan(t.loss) == (t.whole("heads") == 3));
        if (!std::isnan(t.loss)) continue;
        ++refused;
        CHECK_THAT(t.refused, Contains("layer '1-attention'") && Contains("heads"));
    }
    CHECK((refused > 2 && refused < 28));
    CHECK(found.best().whole("heads") == 1);
    const std::string table = found.table();
    CHECK_THAT(table, Contains("trial") && Contains("heads") && Contains("refused"));
    CHECK(table.find("refused") > table.find("\n", 20));  // last
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
    struct Own {};
    CHECK_THROWS_AS(search({.trials = 3, .quiet = true}, [](Trial&) -> double { throw Own{}; }), Own);
}
