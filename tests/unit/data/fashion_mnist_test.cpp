// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/mnist.hpp>

#include "support.hpp"

#include <array>

using namespace sigma;

TEST_CASE("Without its files, Fashion-MNIST is two parts of the 4,000 images that come with the library") {
    unsetenv("SIGMA_DATA");
    setenv("SIGMA_OFFLINE", "1", 1);
    const auto [training, testing, whole] = data::fashion_mnist();
    CHECK_FALSE(whole);
    CHECK(training.size() == 3600);
    CHECK(testing.size() == 400);
    CHECK(testing.input(0).data() == training.input(3599).data() + 784);  // no record is in both
    CHECK(training.name() == "fashion-mnist-sample");
    CHECK(training.input_size() == 784);
    CHECK(training.classes().size() == 10);
    detail::check_labels(training, 10);
    CHECK(training.label(0) == 9);
    CHECK(training.classes()[9] == "Ankle boot");
    std::array<int, 10> counts{};
    for (std::size_t i = 0; i < training.size(); ++i) ++counts[training.label(i)];
    for (const int count : counts) CHECK(count > 330);
    float most = 0;
    for (const float pixel : training.input(0)) most = pixel > most ? pixel : most;
    CHECK(most == 1);
}

TEST_CASE("MNIST beside it is not taken for Fashion-MNIST") {
    setenv("SIGMA_DATA", SIGMA_TEST_DATA_DIR "/mnist", 1);
    setenv("SIGMA_OFFLINE", "1", 1);
    const auto [training, testing, whole] = data::fashion_mnist();
    CHECK_FALSE(whole);
    CHECK(training.classes()[9] == "Ankle boot");
    CHECK(data_error([] { data::fashion_mnist(SIGMA_TEST_DATA_DIR "/mnist"); }).file == "train-images-idx3-ubyte");
    unsetenv("SIGMA_DATA");
}
