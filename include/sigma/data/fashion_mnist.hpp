// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/ready/images.hpp>

#include <string>
#include <vector>

namespace sigma::data {

namespace detail {

inline PublishedFile fashion_file(const std::string& name, const char* sha256) {
    return {"fashion-mnist", name, sha256,
            {sentence("https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/", name, ".gz"),
             sentence("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", name, ".gz")}};
}
inline LabelledFiles fashion_training() {
    return {fashion_file("train-images-idx3-ubyte", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
            fashion_file("train-labels-idx1-ubyte", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845")};
}
inline LabelledFiles fashion_testing() {
    return {fashion_file("t10k-images-idx3-ubyte", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
            fashion_file("t10k-labels-idx1-ubyte", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5")};
}
inline std::vector<std::string> fashion_names() {
    return {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
}

}  // namespace detail

/// The 10,000 test images of Fashion-MNIST, from `directory` if given, else as published() says.
inline Images28 fashion_mnist_test(const std::string& directory = "") {
    return detail::read_images(detail::fashion_testing(), directory, "fashion-mnist-test", detail::fashion_names());
}

/// The first 4,000 test images, which come with the library: split them, and do not test on fashion_mnist_test() what was
/// trained on them.
inline Images28 fashion_mnist_4000() {
    return detail::read_shipped("fashion-mnist", "t10k-4000", "fashion-mnist-4000", detail::fashion_names());
}

/// Articles of clothing (H. Xiao, K. Rasul, R. Vollgraf, arXiv:1708.07747, 2017): 60,000 images of 28 x 28 pixels from 0 to
/// 1, 10 classes. From `directory` if given, else as published() says. Where they are nowhere and cannot be downloaded,
/// fashion_mnist_4000() takes their place, which the dataset's name says, and a line on stderr why.
inline Images28 fashion_mnist(const std::string& directory = "") {
    return detail::read_images_or(detail::fashion_training(), directory, "fashion-mnist", detail::fashion_names(), fashion_mnist_4000);
}

}  // namespace sigma::data
