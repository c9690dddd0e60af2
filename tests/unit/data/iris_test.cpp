// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/iris.hpp>
#include <sigma/data/standardize.hpp>

#include "support.hpp"

#include <array>
#include <cmath>

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
    check_labels(iris, 3);
    CHECK(data::iris(SIGMA_TEST_DATA_DIR).size() == 150);
    CHECK(data::iris(SIGMA_TEST_DATA_DIR "/iris").size() == 150);
}

TEST_CASE("Where there is no Iris the error says where it was sought") {
    const Scratch scratch;
    const DataError error = data_error([&] { data::iris(scratch.path.string()); });
    CHECK(error.file == "iris.data");
    CHECK(error.expected.find(scratch.path.string()) != std::string::npos);
}

TEST_CASE("Standardized features have mean 0 and deviation 1") {
    const Dataset iris = data::standardize(data::iris());
    const data::Scaling scaling = data::scaling_of(iris);
    for (std::size_t f = 0; f < 4; ++f) {
        CHECK(std::abs(scaling.mean[f]) < 1e-6);
        CHECK(std::abs(scaling.deviation[f] - 1.0) < 1e-6);
    }
    CHECK(iris.label(149) == 2);
    CHECK(iris.classes().size() == 3);
}

TEST_CASE("A scaling of one dataset applies to another of the same features") {
    const Dataset training = make_dataset(xt::xarray<float>{{0, 7}, {4, 7}}, xt::xarray<float>{0, 1}, "training");
    const data::Scaling scaling = data::scaling_of(training);
    CHECK(scaling.mean == std::vector<double>{2, 7});
    CHECK(scaling.deviation == std::vector<double>{2, 0});
    const Dataset test = make_dataset(xt::xarray<float>{{6, 9}}, xt::xarray<float>{0}, "test");
    CHECK(data::scaled(test, scaling).input(0)[0] == 2.0f);
    CHECK(data::scaled(test, scaling).input(0)[1] == 0.0f);  // a feature that never changed
    const Dataset narrow = make_dataset(xt::ones<float>({1, 1}), xt::xarray<float>{0}, "narrow");
    CHECK(error_text([&] { data::scaled(narrow, scaling); }) ==
          "scaling of dataset 'narrow': expected 2 features, found 1");
}
