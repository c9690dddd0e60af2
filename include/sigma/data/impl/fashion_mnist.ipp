// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/fashion_mnist.hpp>
#include <sigma/data/ready/images.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile fashion_file(const std::string& name, const char* sha256) {
    return {"fashion-mnist",
            name,
            sha256,
            {sentence("https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/"
                      "b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/",
                      name, ".gz"),
             sentence("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", name, ".gz")}};
}

SIGMA_IMPL LabelledFiles fashion_training() {
    return {fashion_file("train-images-idx3-ubyte", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
            fashion_file("train-labels-idx1-ubyte", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
            60'000,
            {9, 0, 0, 3, 0, 2, 7, 2, 5, 5}};
}

SIGMA_IMPL LabelledFiles fashion_testing() {
    return {fashion_file("t10k-images-idx3-ubyte", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
            fashion_file("t10k-labels-idx1-ubyte", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"),
            10'000,
            {9, 2, 1, 1, 6, 1, 4, 6, 5, 7}};
}

SIGMA_IMPL LabelledFiles fashion_sample() {
    return {{"fashion-mnist", "t10k-4000-images-idx3-ubyte", "", {}},
            {"fashion-mnist", "t10k-4000-labels-idx1-ubyte", "", {}},
            4'000,
            fashion_testing().first};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL ImageParts fashion_mnist(const std::string& directory) {
    return detail::read_parts(
        detail::fashion_training(), detail::fashion_testing(), detail::fashion_sample(), directory, "fashion-mnist",
        {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"});
}

}  // namespace sigma::data
