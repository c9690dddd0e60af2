// SPDX-License-Identifier: BSL-1.0
#include <support/traces.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <set>

using namespace sigma;
using namespace sigma::test;
using namespace std::chrono_literals;

namespace {

const Toggle toggle;

using RunOfTrace = std::function<std::string(const std::string& looks, int cut)>;
template <AnyCriterion C>
RunOfTrace run_of(C criterion) {
    return [criterion](const std::string& looks, int cut) { return Trace<C>(criterion, toggle).run(looks, cut); };
}

// Only the preprocessor turns an expression into its text.
#define SAYS(...) {#__VA_ARGS__, run_of(when(__VA_ARGS__))}
const std::map<std::string, RunOfTrace> criteria{
    SAYS(loss.reaches(3)),
    SAYS(loss.exceeds(3)),
    SAYS(loss.falls_to(3)),
    SAYS(loss.falls_below(3)),
    SAYS(loss.equals(3)),
    SAYS(loss.reaches(3).continuously()),
    SAYS(loss.increases()),
    SAYS(loss.increases().by(2)),
    SAYS(loss.decreases()),
    SAYS(loss.decreases().by(2)),
    SAYS(loss.decreases(2)),
    SAYS(loss.increases(2)),
    SAYS(loss.new_maximum()),
    SAYS(loss.new_maximum().by(2)),
    SAYS(loss.new_minimum()),
    SAYS(loss.new_minimum().by(2)),
    SAYS(loss.improves()),
    SAYS(accuracy.improves()),
    SAYS(loss.changes()),
    SAYS(loss.changes().by(2)),
    SAYS(loss.falls_below(3).in_a_row(2)),
    SAYS(loss.falls_below(3).times(2)),
    SAYS(loss.decreases().times(2)),
    SAYS(loss.decreases().by(2).times(2)),
    SAYS(loss.increases(2).times(2)),
    SAYS(!loss.reaches(3)),
    SAYS(!loss.decreases()),
    SAYS(!!loss.reaches(3)),
    SAYS((!loss.reaches(3)).continuously()),
    SAYS(accuracy.reaches(0.9)),
    SAYS(accuracy.reaches(0.9).in_a_row(2)),
    SAYS(accuracy.reaches(0.9).continuously()),
    SAYS(accuracy.increases()),
    SAYS(!accuracy.reaches(0.9)),
    SAYS(accuracy.reaches(0.9) && validation_error.falls_below(2)),
    SAYS(accuracy.new_maximum() && validation_error.new_minimum()),
    SAYS(accuracy.reaches(0.9) || validation_error.falls_below(2)),
    SAYS((accuracy.reaches(0.9) && validation_error.falls_below(2)).continuously()),
    SAYS(loss.falls_below(3) && error.falls_below(2)),
    SAYS(loss.falls_below(3) || error.falls_below(2)),
    SAYS(loss.decreases(2) || error.falls_below(2)),
    SAYS(loss.new_minimum() && error.new_minimum()),
    SAYS(loss.reaches(3) && every(2, iteration)),
    SAYS(error.decreases() && every(2, iteration)),
    SAYS(error.decreases(2) || after(3, epoch)),
    SAYS(every(1, iteration)),
    SAYS(every(2, iteration)),
    SAYS(every(2, epoch)),
    SAYS(every(1, epoch).times(2)),
    SAYS(every(2, epoch).times(2)),
    SAYS(every(2, epoch).in_a_row(1)),
    SAYS(!every(2, epoch)),
    SAYS(every(2, reset)),
    SAYS(after(2, epoch)),
    SAYS(after(2, epoch).continuously()),
    SAYS(at(2, epoch)),
    SAYS(at(start)),
    SAYS(at(stop)),
    SAYS(at(hold) || at(resume)),
    SAYS(every(30s)),
    SAYS(every(30s).times(1)),
    SAYS(every(2, iteration).when(loss.decreases())),
    SAYS(every(2, iteration).when(loss.falls_below(3))),
    SAYS(every(2, epoch).when(accuracy.reaches(0.9))),
    SAYS(every(1, epoch).when(loss.decreases(2))),
    SAYS(at(stop) && error.falls_below(2)),
    SAYS(every(10s).when(loss.falls_below(3))),
    SAYS(epoch.reaches(2)),
    SAYS(on(toggle)),
    SAYS(on(toggle).continuously()),
    SAYS(on(toggle) && loss.falls_below(3)),
    SAYS(every(2, iteration).when(on(toggle))),
};

const std::vector<TraceRow> rows = rows_of(SIGMA_TEST_DATA_DIR "/../docs/hooks-criteria.md");

}  // namespace

TEST_CASE("What docs/hooks-criteria.md says of criteria is what they find, row by row") {
    std::set<std::string> told;
    for (const TraceRow& row : rows) {
        INFO("`" << row.criterion << "` | `" << row.looks << "`");
        const auto found = criteria.find(row.criterion);
        if (found == criteria.end()) {
            FAIL_CHECK("no such criterion in this test");
            continue;
        }
        told.insert(row.criterion);
        CHECK(found->second(row.looks, -1) == row.found);
    }
    CHECK(rows.size() >= 80);
    for (const auto& [name, run] : criteria) {
        INFO(name);
        CHECK(told.count(name) == 1);
    }
}

TEST_CASE("Criteria go on after a checkpoint as if there had been none, wherever it cuts a trace") {
    for (const TraceRow& row : rows) {
        const auto found = criteria.find(row.criterion);
        if (found == criteria.end()) continue;
        const int looks = static_cast<int>(words_of(row.looks).size());
        for (int cut = 0; cut < looks; ++cut) {
            INFO("`" << row.criterion << "` | `" << row.looks << "`, cut before look " << cut);
            CHECK(found->second(row.looks, cut) == row.found);
        }
    }
}

TEST_CASE("A trace that is told wrong is noticed") {
    const auto run = run_of(loss.reaches(3));
    CHECK(run("1 3 4", -1) == ". ! +");
    CHECK(run("1 3 4", -1) != ". ! !");
    CHECK_THROWS(run("accuracy=3", -1));
}

TEST_CASE("Criteria say themselves again") {
    CHECK((accuracy.reaches(0.98) || after(20, epoch)).text() == "(accuracy.reaches(0.98) || after(20, epoch))");
    CHECK((!error.decreases(5)).text() == "!error.decreases().in_a_row(5)");
    CHECK(error.new_minimum().by(0.5).times(3).text() == "error.new_minimum().by(0.5).times(3)");
    CHECK(every(2, epoch).times(3).text() == "every(2, epoch).times(3)");
    CHECK(every(1min).times(3).text() == "every(60 s).times(3)");
    CHECK(every(10, iteration).when(loss.changes().by(1)).text() == "every(10, iteration).when(loss.changes().by(1))");
    CHECK(at(3, hold).continuously().text() == "at(3, pause).continuously()");
    CHECK((on(toggle) && loss.exceeds(1)).text() == "(toggle && loss.exceeds(1))");
}

TEST_CASE("Numbers that make no sense in criteria are refused") {
    CHECK_THROWS_WITH(every(0, epoch), "every: expected 1 or more, found 0");
    CHECK_THROWS_WITH(after(-1, epoch), "after: expected 1 or more, found -1");
    CHECK_THROWS_WITH(at(0, iteration), "at: expected 1 or more, found 0");
    CHECK_THROWS_WITH(every(1, epoch).times(0), "times: expected 1 or more, found 0");
    CHECK_THROWS_WITH(error.decreases(0), "in_a_row: expected 1 or more, found 0");
    CHECK_THROWS_WITH(error.decreases().by(-1), "error.decreases().by: expected 0 or more, found -1");
    CHECK_THROWS_AS(error.decreases().by(std::nan("")), ArgumentError);
    CHECK_THROWS_AS(error.reaches(std::nan("")), ArgumentError);
    CHECK_THROWS_WITH(every(0s), "every: expected a time above 0, found 0 s");
}
