// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/idx.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/ready/images.hpp>

#include <string>

namespace sigma::data {

namespace detail {

inline PublishedFile mnist_file(const std::string& name, const char* sha256, bool ships = false) {
    return {"mnist", name, sha256,
            {sentence("https://ossci-datasets.s3.amazonaws.com/mnist/", name, ".gz"),
             sentence("https://storage.googleapis.com/cvdf-datasets/mnist/", name, ".gz"),
             sentence("https://raw.githubusercontent.com/fgnt/mnist/ae608a02b796c9ee908c082585a5f006fe05258e/", name, ".gz")},
            ships};
}
inline LabelledFiles mnist_training() {
    return {mnist_file("train-images-idx3-ubyte", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
            mnist_file("train-labels-idx1-ubyte", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c")};
}
inline LabelledFiles mnist_testing() {
    return {mnist_file("t10k-images-idx3-ubyte", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", true),
            mnist_file("t10k-labels-idx1-ubyte", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", true)};
}
inline std::vector<std::string> digit_names() { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }

}  // namespace detail

/// The 10,000 test images of MNIST.
inline Images28 mnist_test(const std::string& directory = "") {
    return detail::read_images(detail::mnist_testing(), directory, "mnist-test", detail::digit_names());
}

/// The 10,000 test images as data to learn from: they come with the library. Split them, and do not test on mnist_test()
/// what was trained on them.
inline Images28 mnist_10k() {
    return detail::read_shipped("mnist", "t10k", "mnist-10k", detail::digit_names());
}

/// Handwritten digits (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"): 60,000 images of 28 x 28
/// pixels from 0 to 1, labels 0 to 9. From `directory` if given, else as published() says. Where they are nowhere and
/// cannot be downloaded, mnist_10k() takes their place, which the dataset's name says, and a line on stderr why.
inline Images28 mnist(const std::string& directory = "") {
    return detail::read_images_or(detail::mnist_training(), directory, "mnist", detail::digit_names(), mnist_10k);
}

}  // namespace sigma::data
