// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/hook/over_time.hpp>

#include <catch2/catch.hpp>
#include <support/hook_stage.hpp>

#include <deque>
#include <numeric>

using namespace sigma;
using test::compute_by;
using test::Note;
using test::Stage;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

std::vector<double> some(std::size_t n, std::uint64_t seed) {
    std::vector<float> x(n);
    Philox(seed, RandomUse::user, 0).fill_normal(std::span(x));
    std::vector<double> y(x.begin(), x.end());
    for (std::size_t i = 0; i < n; ++i) {
        if (x[i] > 1.5f) y[i] = not_a_number;
        if (x[i] < -2.2f) y[i] = infinity;
        if (i % 37 == 5) y[i] *= 1e17;
    }
    return y;
}
bool alike(double a, double b, double tolerance) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance * (1 + std::abs(b));
}
/// The last n that are numbers.
std::vector<double> window(const std::vector<double>& x, std::size_t until, std::size_t n) {
    std::vector<double> w;
    for (std::size_t i = until + 1; i-- > 0 && w.size() < n;)
        if (!std::isnan(x[i])) w.push_back(x[i]);
    return w;
}
double total(const std::vector<double>& w) {
    long double t = 0;
    for (const double x : w) t += x;
    return static_cast<double>(t);
}

int reads = 0;
struct Counting : detail::LiveValue<Counting> {
    static constexpr Text name = "counting";
    static double read(const auto& trainer) { return ++reads, trainer.loss(); }
};

}  // namespace

TEST_CASE("Sliding accumulators agree with windows summed anew") {
    for (const std::size_t n : {1u, 2u, 7u, 100u, 1000u}) {
        Stage stage;
        std::vector<double> means, sums, most, least;
        stage.add(every(1, iteration)
                      .then(Note(average(loss, n), means), Note(sum(loss, n), sums), Note(largest(loss, n), most),
                            Note(smallest(loss, n), least)));
        const auto x = some(700, n);
        for (std::size_t i = 0; i < x.size(); ++i) {
            stage.iterate(x[i]);
            const auto w = window(x, i, n);
            if (w.empty()) {
                CHECK(std::isnan(means[i]));
                CHECK(std::isnan(most[i]));
                continue;
            }
            const double t = total(w);
            // A large number that has left must not take the small ones with it.
            REQUIRE(alike(sums[i], t, 1e-12));
            REQUIRE(alike(means[i], t / static_cast<double>(w.size()), 1e-12));
            REQUIRE(most[i] == *std::ranges::max_element(w));
            REQUIRE(least[i] == *std::ranges::min_element(w));
        }
    }
}

TEST_CASE("Sums of integers are exact, and those of both infinities no number until one leaves") {
    Stage stage;
    std::vector<double> sums;
    stage.add(every(1, iteration).then(Note(sum(loss, 3), sums)));
    for (const double x : {9007199254740991.0, -9007199254740990.0, 1.0, 5.0, infinity, -infinity, 1.0, 2.0, 3.0})
        stage.iterate(x);
    CHECK(sums[2] == 2);
    CHECK(sums[3] == -9007199254740984.0);
    CHECK(sums[4] == infinity);
    CHECK(std::isnan(sums[5]));
    CHECK(std::isnan(sums[6]));
    CHECK(sums[7] == -infinity);
    CHECK(sums[8] == 6);
}

TEST_CASE("A moving average is without bias and lets NaN pass by") {
    Stage stage;
    std::vector<double> slow, none;
    stage.add(every(1, iteration).then(Note(smoothed(loss, 0.9), slow), Note(smoothed(loss, 0.0), none)));
    double m = 0, power = 1;
    for (const double x : {4.0, 2.0, not_a_number, 3.0, -1.0}) {
        stage.iterate(x);
        if (!std::isnan(x)) m = 0.9 * m + 0.1 * x, power *= 0.9;
        CHECK(slow.back() == Approx(m / (1 - power)).epsilon(1e-13));
    }
    CHECK(slow[0] == Approx(4).epsilon(1e-15));
    CHECK(none == std::vector<double>{4, 2, 2, 3, -1});
    CHECK_THROWS_WITH(smoothed(loss, 1.0), "smoothed: expected a share from 0 to below 1, found 1");
    CHECK_THROWS_WITH(average(loss, 0), "average: expected 1 or more, found 0");
    CHECK_THROWS_AS(smallest(loss, -1), ArgumentError);
}

TEST_CASE("Accumulators begin anew with each period") {
    Stage stage;
    std::vector<double> by_epoch, by_three, at_ends;
    stage.add(
        every(1, iteration).then(Note(average(loss).per(epoch), by_epoch), Note(sum(loss).per(3, iteration), by_three)),
        every(1, epoch).then(Note(average(loss).per(epoch), at_ends)));
    for (int i = 1; i <= 8; ++i) {
        stage.iterate(i);
        if (i % 4 == 0) stage.happen(Moment::epoch);
    }
    CHECK(by_epoch == std::vector<double>{1, 1.5, 2, 2.5, 5, 5.5, 6, 6.5});
    CHECK(by_three == std::vector<double>{1, 3, 6, 4, 9, 15, 7, 15});
    CHECK(at_ends == std::vector<double>{2.5, 6.5});

    Stage other;
    std::vector<double> pairs;
    other.add(every(1, epoch).then(Note(largest(error).per(2, epoch), pairs)));
    for (const double e : {5, 4, 3, 7, 6}) {
        other.error_ = e;
        other.iterate(0);
        other.happen(Moment::epoch);
    }
    CHECK(pairs == std::vector<double>{5, 5, 3, 7, 6});
    CHECK_THROWS_WITH(average(loss, 5).per(epoch),
                      "average(loss, 5): expected either a window or a period, found both");
}

TEST_CASE("Computed values are looked at when they are computed, once") {
    Stage stage;
    std::vector<double> means, twice, all;
    int computed = 0;
    const auto quality = value<"quality">;
    stage.add(every(1, iteration).then(Note(latest(average(quality, 2)), all)),
              when(average(average(quality, 2), 2).changes()).then(Note(average(average(quality, 2), 2), twice)),
              every(2, epoch).then(Note(average(quality, 2), means)),
              every(2, epoch).then(compute_by<"quality">([&] { return static_cast<double>(++computed); })));
    for (int e = 0; e < 8; ++e) {
        stage.iterate(1);
        stage.iterate(2);
        stage.happen(Moment::epoch);
    }
    CHECK(means == std::vector<double>{1, 1.5, 2.5, 3.5});
    // 1, (1 + 1.5) / 2, (1.5 + 2.5) / 2, …: the first look changes nothing
    CHECK(twice == std::vector<double>{1.25, 2, 3});
    CHECK(all.size() == 16);
    CHECK(std::isnan(all[3]));
    CHECK(all[4] == 1);
    CHECK(all[15] == 2.5);
}

TEST_CASE("Equal accumulators share one state, unequal ones do not") {
    reads = 0;
    Stage stage;
    std::vector<double> a, b, c;
    stage.add(every(1, iteration).then(Note(average(Counting{}, 4), a)),
              every(1, iteration).then(Note(average(Counting{}, 4), b)),
              when(average(Counting{}, 4).exceeds(0)).then([] {}));
    for (int i = 0; i < 10; ++i) stage.iterate(i);
    CHECK(reads == 10);
    CHECK(a == b);
    stage.groups.clear();
    reads = 0;
    stage.add(every(1, iteration)
                  .then(Note(average(Counting{}, 4), a), Note(average(Counting{}, 3), c), Note(sum(Counting{}, 4), c)));
    for (int i = 0; i < 10; ++i) stage.iterate(i);
    CHECK(reads == 30);
}

TEST_CASE("What accumulators keep goes through an archive") {
    const auto x = some(400, 99);
    const auto run = [&](bool interrupted) {
        std::vector<double> seen;
        const auto hooks = [&](Stage& stage) {
            stage.add(every(1, iteration)
                          .then(Note(average(loss, 30), seen), Note(sum(loss).per(epoch), seen),
                                Note(smoothed(loss, 0.9), seen), Note(largest(loss, 20), seen),
                                Note(latest(value<"q">), seen), Note(smallest(loss).per(50, iteration), seen)),
                      every(1, epoch).then(compute_by<"q">([&] { return static_cast<double>(seen.size()); })));
        };
        auto stage = std::make_unique<Stage>();
        hooks(*stage);
        for (std::size_t i = 0; i < x.size(); ++i) {
            stage->iterate(x[i]);
            if (i % 45 == 44) stage->happen(Moment::epoch);
            if (!interrupted || i % 61 != 60) continue;
            Archive out;
            stage->groups[0]->archive(out);
            auto next = std::make_unique<Stage>();
            next->counted = stage->counted;
            hooks(*next);
            Archive in(out.words(), out.blobs());
            next->groups[0]->archive(in);
            CHECK(in.finished());
            stage = std::move(next);
        }
        return seen;
    };
    const auto whole = run(false), parts = run(true);
    REQUIRE(whole.size() == parts.size());
    CHECK(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(double)) == 0);

    Stage stage, smaller;
    std::vector<double> seen;
    stage.add(every(1, iteration).then(Note(average(loss, 30), seen)));
    smaller.add(every(1, iteration).then(Note(average(loss, 3), seen)));
    for (int i = 0; i < 12; ++i) stage.iterate(i);
    Archive out;
    stage.groups[0]->archive(out);
    Archive in(out.words(), out.blobs());
    CHECK_THROWS_AS(smaller.groups[0]->archive(in), MismatchError);
}

TEST_CASE("Accumulators forget when the trainer is reset") {
    Stage stage;
    std::vector<double> seen, newest;
    stage.add(every(1, iteration)
                  .then(Note(average(loss, 3), seen), Note(smallest(loss), seen), Note(smoothed(loss, 0.5), seen)));
    for (const double x : {7.0, 8.0}) stage.iterate(x);
    stage.counted = {};
    stage.groups[0]->restart();
    seen.clear();
    stage.iterate(9);
    CHECK(seen == std::vector<double>{9, 9, 9});
}

TEST_CASE("Accumulators in sentences") {
    Stage stage;
    std::vector<double> fired;
    stage.add(when(average(loss, 2).falls_below(3)).then(Note(iteration, fired)));
    for (const double x : {9.0, 4.0, 1.0, 1.0, 8.0, 0.0, 1.0}) stage.iterate(x);
    CHECK(fired == std::vector<double>{3, 7});
    CHECK(average(loss, 2).text() == "average(loss, 2)");
    CHECK(smallest(sum(error)).per(2, epoch).text() == "smallest(sum(error)).per(2, epoch)");
    CHECK(latest(smoothed(accuracy, 0.5)).text() == "latest(smoothed(accuracy, 0.5))");

    // One that reads the newest comes after the one that computes it.
    std::vector<double> order;
    Stage other;
    other.add(every(1, iteration).then(Note(latest(accuracy), order)),
              every(2, iteration).then(compute_by<"accuracy">([n = 0]() mutable { return static_cast<double>(++n); })));
    for (int i = 0; i < 4; ++i) other.iterate(0);
    CHECK(std::isnan(order[0]));
    CHECK(std::vector<double>(order.begin() + 1, order.end()) == std::vector<double>{1, 1, 2});
}
