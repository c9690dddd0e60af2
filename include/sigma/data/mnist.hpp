// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/idx.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

inline Dataset mnist_images(const std::vector<std::string>& directories, const std::string& part, std::string name) {
    const std::string images = require_file(directories, part + "-images-idx3-ubyte");
    const std::string labels = require_file(directories, part + "-labels-idx1-ubyte");
    return read_idx_images(images, labels, std::move(name), {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
}

}  // namespace detail

/// Whether mnist() is the full training set: `directory`, or else SIGMA_DATA, is given.
inline bool mnist_is_full(const std::string& directory = "") {
    return names_directory(directory);
}

/// Handwritten digits (Y. LeCun, C. Cortes, C. Burges), 28 x 28 pixels from 0 to 1, labels 0 to 9.
/// The 60,000 training images of `directory`, or else of the directory that the environment variable SIGMA_DATA names:
/// it holds the four files of MNIST, itself or in mnist/. Without either, the 10,000 test images that come with this
/// library: split them, and do not test on mnist_test() what was trained on them.
inline Dataset mnist(const std::string& directory = "") {
    const auto directories = search_directories("mnist", directory, true);
    return mnist_is_full(directory) ? detail::mnist_images(directories, "train", "mnist")
                                    : detail::mnist_images(directories, "t10k", "mnist-10k");
}

/// The 10,000 test images.
inline Dataset mnist_test(const std::string& directory = "") {
    return detail::mnist_images(search_directories("mnist", directory, true), "t10k", "mnist-test");
}

}  // namespace sigma::data
