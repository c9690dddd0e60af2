// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/mnist.hpp>
#include <sigma/data/split.hpp>

#include "support.hpp"

#include <array>
#include <cstdlib>

using namespace sigma;

namespace {

const std::string images = "t10k-images-idx3-ubyte.gz", labels = "t10k-labels-idx1-ubyte.gz";

/// The environment variable SIGMA_DATA for the time of a test.
struct Environment {
    std::string before = std::getenv("SIGMA_DATA") == nullptr ? "" : std::getenv("SIGMA_DATA");
    explicit Environment(const std::string& value) { ::setenv("SIGMA_DATA", value.c_str(), 1); }
    ~Environment() { before.empty() ? ::unsetenv("SIGMA_DATA") : ::setenv("SIGMA_DATA", before.c_str(), 1); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
};

std::string shipped(const std::string& name) {
    return SIGMA_TEST_DATA_DIR "/mnist/" + name;
}

}  // namespace

TEST_CASE("The shipped digits are the 10,000 of the test set") {
    const Environment environment("");
    const Dataset digits = data::mnist();
    CHECK(digits.size() == 10000);
    CHECK(digits.name() == "mnist-10k");
    CHECK(shape_text(digits.input_shape()) == "(28, 28)");
    std::array<int, 10> counts{};
    for (std::size_t i = 0; i < digits.size(); ++i) ++counts[digits.label(i)];
    CHECK(counts == std::array<int, 10>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
    float low = 1, high = 0;
    for (const float pixel : digits.input(0)) {
        low = std::min(low, pixel);
        high = std::max(high, pixel);
    }
    CHECK(low == 0.0f);
    CHECK(high == Approx(1.0f).margin(0.01));
    const auto [training, validation] = split(digits, 0.9, 0.1);
    CHECK(training.size() == 9000);
    CHECK(validation.size() == 1000);
}

TEST_CASE("A directory given or named by SIGMA_DATA holds the files, itself or in mnist/") {
    const Scratch scratch;
    const auto copy = [&](const std::filesystem::path& folder) {
        std::filesystem::create_directories(folder);
        for (const std::string& name : {images, labels})
            std::filesystem::copy_file(shipped(name), folder / ("train" + name.substr(4)));
    };
    copy(scratch.path / "a");
    copy(scratch.path / "b" / "mnist");
    CHECK(data::mnist((scratch.path / "a").string()).name() == "mnist");
    CHECK(data::mnist((scratch.path / "b").string()).size() == 10000);

    const Environment environment((scratch.path / "b").string());
    CHECK(data::mnist().size() == 10000);
    CHECK(data::mnist_test().size() == 10000);  // not there, but the library comes with them
}

TEST_CASE("Swapped, cut and packed-over files are refused with their name") {
    const Scratch scratch;
    const auto mnist = [&] { return data_error([&] { data::mnist_test(scratch.path.string()); }); };
    const auto place = [&](const std::string& from, const std::string& to) {
        std::filesystem::copy_file(shipped(from), scratch.path / to, std::filesystem::copy_options::overwrite_existing);
    };

    CHECK(mnist().found == "nothing there");

    place(labels, images);
    place(images, labels);
    DataError thrown = mnist();
    CHECK(thrown.file == (scratch.path / images).string());
    CHECK(thrown.expected == "3 axes (images)");
    CHECK(thrown.found == "1 axis (labels)");

    place(images, images);
    thrown = mnist();
    CHECK(thrown.file == (scratch.path / labels).string());
    CHECK(thrown.found == "3 axes (images)");

    place(labels, labels);
    const std::string packed = data::read_text(shipped(images));
    scratch.write(images, packed.substr(0, packed.size() / 2));
    thrown = mnist();
    CHECK(thrown.file == (scratch.path / images).string());
    CHECK(thrown.found == "the end of the file");

    scratch.write(images, std::string("this is no gzip file and no IDX file"));
    CHECK(mnist().found == "0x74686973");

    scratch.write(images, std::string());
    CHECK(mnist().place == "byte 0");
}
