// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/ready/images.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile mnist_file(const std::string& name, const char* sha256) {
    return {"mnist",
            name,
            sha256,
            {sentence("https://ossci-datasets.s3.amazonaws.com/mnist/", name, ".gz"),
             sentence("https://storage.googleapis.com/cvdf-datasets/mnist/", name, ".gz"),
             sentence("https://raw.githubusercontent.com/fgnt/mnist/ae608a02b796c9ee908c082585a5f006fe05258e/", name,
                      ".gz")}};
}

SIGMA_IMPL LabelledFiles mnist_training() {
    return {mnist_file("train-images-idx3-ubyte", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
            mnist_file("train-labels-idx1-ubyte", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
            60'000,
            {5, 0, 4, 1, 9, 2, 1, 3, 1, 4}};
}

SIGMA_IMPL LabelledFiles mnist_testing() {
    return {mnist_file("t10k-images-idx3-ubyte", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
            mnist_file("t10k-labels-idx1-ubyte", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
            10'000,
            {7, 2, 1, 0, 4, 1, 4, 9, 5, 9}};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL ImageParts mnist(const std::string& directory) {
    return detail::read_parts(detail::mnist_training(), detail::mnist_testing(), detail::mnist_testing(), directory,
                              "mnist", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
}

}  // namespace sigma::data
