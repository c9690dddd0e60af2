// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/ready.hpp>

#include "support.hpp"

#include <array>

using namespace sigma;

TEST_CASE("Iris has 50 flowers of each of 3 classes") {
    const Dataset iris = data::iris();
    CHECK(iris.size() == 150);
    CHECK(iris.input_size() == 4);
    CHECK(iris.classes().size() == 3);
    std::array<int, 3> counts{};
    for (std::size_t i = 0; i < iris.size(); ++i) ++counts[iris.label(i)];
    CHECK(counts == std::array<int, 3>{50, 50, 50});
    CHECK(iris.input(0)[0] == 5.1f);
    CHECK(iris.input(149)[3] == 1.8f);
    detail::check_labels(iris, 3);
    CHECK(data::iris(SIGMA_TEST_DATA_DIR).size() == 150);
    CHECK(data::iris(SIGMA_TEST_DATA_DIR "/iris").size() == 150);
}

TEST_CASE("Where there is no Iris the error says where it was sought") {
    const Scratch scratch;
    const DataError thrown = data_error([&] { data::iris(scratch.path.string()); });
    CHECK(thrown.file == "iris.data");
    CHECK(thrown.expected.find(scratch.path.string()) != std::string::npos);
}

TEST_CASE("What a data set that is about to go gives away lives on") {
    unsetenv("SIGMA_DATA");
    std::size_t readers = 0;
    for (const auto& origin : data::iris().origins()) readers += origin.reader == "csv" ? 1 : 0;
    CHECK(readers == 1);
    std::string all;
    for (const std::string& name : data::iris().classes()) all += name + " ";
    CHECK(all == "Iris-setosa Iris-versicolor Iris-virginica ");
    const auto& name = data::iris().name();
    const auto& extents = data::iris().input_shape();
    const detail::Record first = data::iris().input(0);
    CHECK(name == "iris");
    CHECK(extents[0] == 4);
    CHECK(std::vector<float>(first.begin(), first.end()) == std::vector<float>{5.1f, 3.5f, 1.4f, 0.2f});
    const auto& shape = data::iris().inputs().shape();
    CHECK(shape == std::vector<std::size_t>{150, 4});
}
