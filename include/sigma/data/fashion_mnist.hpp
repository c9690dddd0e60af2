// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/mnist.hpp>

#include <string>
#include <vector>

namespace sigma::data {

namespace detail {

inline Dataset fashion_images(const std::string& directory, const std::string& part, const std::string& name) {
    auto directories = search_directories("fashion-mnist", directory, true);
    // The files have the names of MNIST's, which may lie in the directory itself.
    if (names_directory(directory) && directory.empty()) directories.resize(1);
    const std::string images = require_file(directories, part + "-images-idx3-ubyte");
    const std::string labels = require_file(directories, part + "-labels-idx1-ubyte");
    return read_idx_images(images, labels, name,
                           {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"});
}

}  // namespace detail

/// Articles of clothing (Xiao, Rasul and Vollgraf 2017), 28 x 28 pixels from 0 to 1, 10 classes.
/// The 60,000 training images of `directory`, or else of fashion-mnist/ in the directory that the environment variable
/// SIGMA_DATA names. Without either, the first 4,000 test images, which come with this library: split them, and do not test
/// on fashion_mnist_test() what was trained on them.
inline Dataset fashion_mnist(const std::string& directory = "") {
    return names_directory(directory) ? detail::fashion_images(directory, "train", "fashion-mnist")
                                      : detail::fashion_images(directory, "t10k-4000", "fashion-mnist-4000");
}

/// The 10,000 test images, of `directory` or SIGMA_DATA: they do not come with this library.
inline Dataset fashion_mnist_test(const std::string& directory = "") {
    return detail::fashion_images(directory, "t10k", "fashion-mnist-test");
}

}  // namespace sigma::data
