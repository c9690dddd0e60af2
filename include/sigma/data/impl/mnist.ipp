// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/ready/published.hpp>

namespace sigma::data::detail {

/// Describes the files `part`-images-idx3-ubyte and `part`-labels-idx1-ubyte at some addresses.
SIGMA_IMPL LabelledFiles labelled_files(const std::string& folder, const std::vector<std::string>& addresses,
                                        const std::string& part, const char* images_sha256, const char* labels_sha256,
                                        std::size_t records, std::array<std::uint8_t, 10> first) {
    const auto published = [&](const char* what, const char* sha256) {
        PublishedFile file{folder, sentence(part, what), sha256, {}};
        for (const std::string& address : addresses) file.addresses.push_back(sentence(address, file.name, ".gz"));
        return file;
    };
    return {published("-images-idx3-ubyte", images_sha256), published("-labels-idx1-ubyte", labels_sha256), records,
            first};
}

SIGMA_IMPL std::vector<std::string> mnist_addresses() {
    return {"https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/",
            "https://raw.githubusercontent.com/fgnt/mnist/ae608a02b796c9ee908c082585a5f006fe05258e/"};
}

SIGMA_IMPL std::vector<std::string> fashion_addresses() {
    return {
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/b2617bb6d3ffa2e429640350f613e3291e10b141/"
        "data/fashion/",
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"};
}

SIGMA_IMPL LabelledFiles mnist_training() {
    return labelled_files(
        "mnist", mnist_addresses(), "train", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 60'000, {5, 0, 4, 1, 9, 2, 1, 3, 1, 4});
}

SIGMA_IMPL LabelledFiles mnist_testing() {
    return labelled_files(
        "mnist", mnist_addresses(), "t10k", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 10'000, {7, 2, 1, 0, 4, 1, 4, 9, 5, 9});
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL ImageParts mnist(const std::string& directory) {
    return detail::read_parts(detail::mnist_training(), detail::mnist_testing(), detail::mnist_testing(), directory,
                              "mnist", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
}

SIGMA_IMPL ImageParts fashion_mnist(const std::string& directory) {
    const std::string folder = "fashion-mnist";
    const auto training = detail::labelled_files(folder, detail::fashion_addresses(), "train",
                                                 "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
                                                 "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
                                                 60'000, {9, 0, 0, 3, 0, 2, 7, 2, 5, 5});
    const auto testing = detail::labelled_files(
        folder, detail::fashion_addresses(), "t10k", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5", 10'000, {9, 2, 1, 1, 6, 1, 4, 6, 5, 7});
    const auto sample = detail::labelled_files(folder, {}, "t10k-4000", "", "", 4'000, testing.first);
    return detail::read_parts(
        training, testing, sample, directory, folder,
        {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"});
}

}  // namespace sigma::data
