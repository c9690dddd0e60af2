// SPDX-License-Identifier: BSL-1.0
// Published tables in the formats in which they were published: those of data/, and the others where the environment
// variable SIGMA_DATA names a directory that has them, else their first lines.
#include <sigma/data/source/source.hpp>

#include "csv_support.hpp"

#include <cmath>
#include <cstdlib>
#include <set>

using namespace sigma::data;
using Floats = std::vector<float>;

namespace {

Source shipped(const std::string& name) {
    const std::string path = sigma::sentence(SIGMA_TEST_DATA_DIR "/", name);
    return text_source(read_text(file(path)), 4096, path);
}

struct File {
    Source source;
    bool whole;
};
File published(const std::string& name, const std::string& excerpt) {
    const char* const directory = std::getenv("SIGMA_DATA");
    const std::string path = sigma::sentence(directory == nullptr ? "" : directory, "/", name);
    if (directory != nullptr && file(path).exists()) return {text_source(read_text(file(path)), 4096, path), true};
    return {text_source(excerpt, 7, name), false};
}

std::size_t missing(const Floats& values) {
    return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](float x) { return std::isnan(x); }));
}

}  // namespace

TEST_CASE("Iris is read: four numbers and a name") {
    auto pipeline = csv(shipped("iris/iris.data")) >> sections(inputs = columns<0, 3>(), targets = labels(4));
    const Block all = all_of(pipeline, 32);
    CHECK(all.records == 150);
    CHECK(Floats(all.values[0].floats().end() - 4, all.values[0].floats().end()) == Floats{5.9f, 3.0f, 5.1f, 1.8f});
    CHECK(std::count(all.values[1].floats().begin(), all.values[1].floats().end(), 1.0f) == 50);
    CHECK(pipeline.reader->classes() == std::vector<std::string>{"Iris-setosa", "Iris-versicolor", "Iris-virginica"});
}

TEST_CASE("Wine is read: the class comes first") {
    const Block all = all_of(csv(shipped("wine/wine.data")) >>
                             sections(inputs = columns(1, -1), targets = labels(0, {"1", "2", "3"})));
    CHECK(all.records == 178);
    CHECK(all.values[0].floats().size() == 178 * 13);
    CHECK(all.values[0].floats()[7] == 0.28f);  // written .28
    CHECK(std::count(all.values[1].floats().begin(), all.values[1].floats().end(), 2.0f) == 48);
}

TEST_CASE("WDBC is read: a number that says nothing, a letter, thirty numbers") {
    const Block all = all_of(csv(shipped("wdbc/wdbc.data")) >>
                             sections(inputs = columns<2, 31>(), targets = mapped(1, {{"B", 0}, {"M", 1}})));
    CHECK(all.records == 569);
    CHECK(std::count(all.values[1].floats().begin(), all.values[1].floats().end(), 1.0f) == 212);
}

TEST_CASE("Parkinsons is read: the target stands in the middle and has a name") {
    const auto [source, whole] = published("parkinsons/parkinsons.data",
                                           "name,MDVP:Fo(Hz),MDVP:Jitter(Abs),status,RPDE,spread1,PPE\n"
                                           "phon_R01_S01_1,119.99200,0.00007,1,0.414783,-4.813031,0.284654\nphon_R01_"
                                           "S01_2,122.40000,0.00008,1,0.458359,-4.075192,0.368674\n"
                                           "phon_R01_S07_1,197.07600,0.00001,0,0.422229,-7.348300,0.085569\n");
    const auto table = csv(source, {.header = true});
    const Block all = all_of(table >> sections(inputs = except("name", "status"), targets = column("status")));
    const std::size_t records = whole ? 195 : 3, features = whole ? 22 : 5;
    CHECK(all.records == records);
    CHECK(all.values[0].floats().size() == records * features);
    CHECK(all.values[0].floats()[0] == 119.992f);
    CHECK(all.values[0].floats()[features - 2 - (whole ? 1 : 0)] == (whole ? 0.266482f : -4.813031f));
    CHECK(std::count(all.values[1].floats().begin(), all.values[1].floats().end(), 1.0f) == (whole ? 147 : 2));
    CHECK(table.names()[0] == "name");
}

TEST_CASE("California housing is read: missing numbers and a text") {
    const auto [source, whole] =
        published("california-housing/housing.csv",
                  "longitude,latitude,housing_median_age,total_rooms,total_bedrooms,population,households,median_"
                  "income,median_house_value,ocean_"
                  "proximity\n-122.23,37.88,41.0,880.0,129.0,322.0,126.0,8.3252,452600.0,NEAR BAY\n"
                  "-122.16,37.77,47.0,1256.0,,570.0,218.0,4.375,161900.0,NEAR "
                  "BAY\n-121.97,37.64,32.0,1283.0,194.0,485.0,171.0,6.0574,431000.0,<1H "
                  "OCEAN\n");
    auto pipeline = csv(source, {.header = true, .missing = {""}}) >>
                    sections(inputs = columns("longitude", "median_income") + labels("ocean_proximity"),
                             targets = column("median_house_value"));
    const Block all = all_of(pipeline, 1000);
    CHECK(all.records == (whole ? 20640u : 3u));
    CHECK(all.values[0].floats().size() == all.records * 9);
    CHECK(missing(all.values[0].floats()) == (whole ? 207u : 1u));
    CHECK(all.values[0].floats()[0] == -122.23f);
    CHECK(all.values[0].floats()[8] == (whole ? 3 : 1));
    CHECK(all.values[1].floats()[0] == 452600);
    std::set<float> places;
    for (std::size_t r = 0; r < all.records; ++r) places.insert(all.values[0].floats()[9 * r + 8]);
    CHECK(places.size() == (whole ? 5u : 2u));
    CHECK(pipeline.reader->classes().empty());  // of an input
    CHECK(error_text([&] { all_of(csv(source, {.header = true}) >> sections(inputs = column("total_bedrooms"))); })
              .ends_with(sigma::sentence("line ", whole ? 292 : 3,
                                         ", column 5: expected a finite number, found an empty field (see .missing)")));
}

TEST_CASE("Auto MPG is read: runs of spaces, a tab, a quoted name") {
    const auto [source, whole] =
        published("auto-mpg/auto-mpg.data",
                  "18.0   8   307.0      130.0      3504.      12.0   70  1\t\"chevrolet chevelle malibu\"\n"
                  "25.0   4   98.00      ?          2046.      19.0   71  1\t\"ford pinto\"\n");
    auto pipeline = csv(source, {.separator = blanks, .missing = {"?"}}) >>
                    sections(inputs = columns(1, 7), targets = column(0), target<"name"> = labels(-1));
    const Block all = all_of(pipeline);
    CHECK(all.records == (whole ? 398u : 2u));
    CHECK(missing(all.values[0].floats()) == (whole ? 6u : 1u));
    CHECK(Floats(all.values[0].floats().begin(), all.values[0].floats().begin() + 7) ==
          Floats{8, 307, 130, 3504, 12, 70, 1});
    CHECK(all.values[1].floats()[0] == 18);
    const auto first = static_cast<std::size_t>(all.values[2].floats()[0]);
    CHECK(pipeline.reader->classes()[first] == "chevrolet chevelle malibu");
    CHECK(pipeline.reader->classes()[0] == (whole ? "amc ambassador brougham" : "chevrolet chevelle malibu"));
}
