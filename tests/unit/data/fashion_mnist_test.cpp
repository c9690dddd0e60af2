// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/fashion_mnist.hpp>

#include "support.hpp"

#include <array>

using namespace sigma;

TEST_CASE("Without a directory, Fashion-MNIST is the 4,000 images that come with the library") {
    unsetenv("SIGMA_DATA");
    setenv("SIGMA_OFFLINE", "1", 1);
    const Dataset images = data::fashion_mnist();
    CHECK(images.size() == 4000);
    CHECK(images.name() == "fashion-mnist-4000");
    CHECK(images.input_size() == 784);
    CHECK(images.classes().size() == 10);
    check_labels(images, 10);
    CHECK(images.label(0) == 9);
    CHECK(images.classes()[9] == "Ankle boot");
    std::array<int, 10> counts{};
    for (std::size_t i = 0; i < images.size(); ++i) ++counts[images.label(i)];
    for (const int count : counts) CHECK(count > 370);
    float most = 0;
    for (const float pixel : images.input(0)) most = pixel > most ? pixel : most;
    CHECK(most == 1);
    CHECK_THROWS_AS(data::fashion_mnist_test(), DataError);
}

TEST_CASE("MNIST beside it is not taken for Fashion-MNIST") {
    setenv("SIGMA_DATA", SIGMA_TEST_DATA_DIR "/mnist", 1);
    setenv("SIGMA_OFFLINE", "1", 1);
    const DataError thrown = data_error([] { data::fashion_mnist_test(); });
    CHECK(thrown.file == "t10k-images-idx3-ubyte");
    CHECK(thrown.found == "it in neither, and downloads are switched off (SIGMA_OFFLINE)");
    unsetenv("SIGMA_DATA");
}
