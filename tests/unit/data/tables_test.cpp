// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/ready.hpp>
#include <sigma/data/series.hpp>
#include <sigma/data/source/source.hpp>

#include "support.hpp"

#include <array>

using namespace sigma;

TEST_CASE("Wine has 59, 71 and 48 records of 13 features") {
    const Dataset wine = data::wine();
    CHECK(wine.size() == 178);
    CHECK(wine.input_size() == 13);
    detail::check_labels(wine, 3);
    std::array<int, 3> counts{};
    for (std::size_t i = 0; i < wine.size(); ++i) ++counts[wine.label(i)];
    CHECK(counts == std::array<int, 3>{59, 71, 48});
    CHECK(wine.input(0)[0] == 14.23f);
    CHECK(wine.input(0)[7] == 0.28f);  // written .28
    CHECK(wine.input(177)[12] == 560);
    CHECK(data::wine(SIGMA_TEST_DATA_DIR).size() == 178);
    const Scratch scratch;
    CHECK(data_error([&] { data::wine(scratch.path.string()); }).file == "wine.data");
}

TEST_CASE("WDBC has 357 benign and 212 malignant records of 30 features, without their numbers") {
    const Dataset wdbc = data::wdbc();
    CHECK(wdbc.size() == 569);
    CHECK(wdbc.input_size() == 30);
    CHECK(wdbc.classes() == std::vector<std::string>{"B", "M"});
    int malignant = 0;
    for (std::size_t i = 0; i < wdbc.size(); ++i) malignant += static_cast<int>(wdbc.label(i));
    CHECK(malignant == 212);
    CHECK(wdbc.label(0) == 1);
    CHECK(wdbc.input(0)[0] == 17.99f);
    CHECK(wdbc.input(0)[29] == 0.1189f);
}

TEST_CASE("Series are read in full") {
    const data::Series airline = data::airline_passengers();
    CHECK(airline.values.size() == 144);
    CHECK(airline.values.front() == 112);
    CHECK(airline.values.back() == 432);
    const data::Series sunspots = data::sunspots();
    CHECK(sunspots.values.size() == 2820);
    CHECK(sunspots.values.front() == 58.0f);
    CHECK(sunspots.name == "monthly-sunspots");
    CHECK(data::read_series(data::memory("a\r\n1\r\n-2.5", "x"), "y").values == std::vector<float>{1, -2.5f});
    CHECK_THROWS_WITH(data::read_series(data::memory("5\n6\n7\n", "x.csv"), "x"),
                      Catch::Contains("x.csv") &&
                          Catch::Contains("expected names of columns, the last of which is no number, found 5"));
    const DataError word = data_error([] { data::read_series(data::memory("month,n\n1,2\n2,two\n", "x.csv"), "x"); });
    CHECK(std::string(word.what()) == "file 'x.csv', line 3, column 2: expected a finite number, found 'two'");
    CHECK(data_error([] { data::read_series(data::memory("month,n\n", "x.csv"), "x"); }).expected ==
          "at least one record");
}

TEST_CASE("Windows of a series are followed by their targets") {
    const data::Series series{"count", {0, 1, 2, 3, 4, 5}};
    const Dataset one = data::windows(series, 3);
    CHECK(one.size() == 3);
    CHECK(std::vector<std::size_t>(one.input_shape().begin(), one.input_shape().end()) ==
          std::vector<std::size_t>{3, 1});
    CHECK(std::vector<float>(one.input(2).begin(), one.input(2).end()) == std::vector<float>{2, 3, 4});
    CHECK(one.target(2)[0] == 5);
    const Dataset two = data::windows(series, 4, 2);
    CHECK(two.size() == 1);
    CHECK(two.target(0)[1] == 5);
    CHECK(error_text([&] { data::windows(series, 4, 3); }) ==
          "windows of series 'count': expected a length and a horizon above 0 that sum to at most its 6 numbers, found "
          "4 and 3");
    CHECK_THROWS_AS(data::windows(series, 0), ArgumentError);
    CHECK(data::part(series, 2, 3).values == std::vector<float>{2, 3, 4});
    CHECK_THROWS_AS(data::part(series, 5, 2), ArgumentError);
    CHECK_THROWS_AS(data::part(series, 7, 1), ArgumentError);
}
