// SPDX-License-Identifier: BSL-1.0
#include "source/support.hpp"
#include "support.hpp"

#include <support/captured_stderr.hpp>

#include <sigma/data/mnist.hpp>
#include <sigma/data/ready/published.hpp>

#include <algorithm>
#include <array>
#include <span>

using namespace sigma;
using sources_test::Environment;

namespace {

const std::string images = "t10k-images-idx3-ubyte.gz", labels = "t10k-labels-idx1-ubyte.gz";

std::string shipped(const std::string& name) { return SIGMA_TEST_DATA_DIR "/mnist/" + name; }

/// No data of the user's and no downloads.
struct Away {
    Scratch scratch;
    std::string cache = (scratch.path / "cache").string();
    Environment variables[3]{{"SIGMA_DATA", nullptr}, {"SIGMA_CACHE", cache.c_str()}, {"SIGMA_OFFLINE", "1"}};
    sigma::test::CapturedStderr captured{};

    std::string said() const { return captured.text(); }
};

void check_names_all_places(const std::string& text, const Away& away) {
    INFO(text);
    for (const std::string& place : {std::string("SIGMA_DATA"), data::share_directory(), away.cache})
        CHECK(text.find(place) != std::string::npos);
}

// A small set of the same kind: the first ten labels tell it from others.
data::detail::LabelledFiles files_of(const std::string& part, std::size_t records, std::array<std::uint8_t, 10> first,
                                     std::vector<std::string> addresses = {"http://127.0.0.1:9/"}) {
    return {{"letters", part + "-images", "", addresses}, {"letters", part + "-labels", "", addresses}, records, first};
}
const auto to_train = files_of("train", 12, {1, 0, 1, 1, 0, 0, 1, 0, 1, 0}),
           to_test = files_of("test", 11, {0, 0, 1, 1, 0, 0, 1, 0, 1, 0}),
           some = files_of("some", 10, {0, 0, 1, 1, 0, 0, 1, 0, 1, 0}, {});

void write(const std::filesystem::path& folder, const data::detail::LabelledFiles& files) {
    const auto count = static_cast<char>(files.records);
    std::string pictures = {0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 28, 0, 0, 0, 28},
                digits = {0, 0, 8, 1, 0, 0, 0, count};
    pictures.append(files.records * 784, '\0');
    for (const std::uint8_t label : files.first) digits += static_cast<char>(label);
    digits.append(files.records - files.first.size(), '\1');
    std::filesystem::create_directories(folder);
    std::ofstream(folder / files.images.name, std::ios::binary) << pictures;
    std::ofstream(folder / files.labels.name, std::ios::binary) << digits;
}

data::ImageParts letters(const std::string& directory = "") {
    return data::detail::read_parts(to_train, to_test, some, directory, "letters", {"a", "b"});
}

}  // namespace

TEST_CASE("Without its files, MNIST is two parts of the sample that comes with the library, and says so") {
    const Away away;
    const auto [training, testing, whole] = data::mnist();
    CHECK_FALSE(whole);
    CHECK(training.size() == 9000);
    CHECK(testing.size() == 1000);
    CHECK(training.name() == "mnist-sample");
    CHECK(testing.name() == "mnist-sample");
    CHECK(detail::shape_text(training.input_shape()) == "(28, 28)");
    CHECK(testing.input(0).data() == training.input(8999).data() + 784);  // no record is in both
    std::array<int, 10> counts{};
    for (std::size_t i = 0; i < training.size(); ++i) ++counts[training.label(i)];
    for (std::size_t i = 0; i < testing.size(); ++i) ++counts[testing.label(i)];
    CHECK(counts == std::array<int, 10>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
    CHECK(std::ranges::min(training.input(0)) == 0.0f);
    CHECK(std::ranges::max(training.input(0)) == Approx(1.0f).margin(0.01));

    const std::string said = away.said();
    CHECK(std::ranges::count(said, '\n') == 1);
    CHECK(said.find("using 9000 training and 1000 test records of 'mnist-sample'") != std::string::npos);
    check_names_all_places(said, away);
}

TEST_CASE("Parts are whole where SIGMA_DATA names the folder above the files, or the folder itself") {
    const Away away;
    const auto folder = away.scratch.path / "all" / "letters";
    write(folder, to_train);
    write(folder, to_test);
    for (const std::string& named : {folder.parent_path().string(), folder.string()}) {
        const Environment variable("SIGMA_DATA", named.c_str());
        const auto [one, two, whole] = letters();
        CHECK(whole);
        CHECK(one.size() == 12);
        CHECK(two.size() == 11);
        CHECK(one.name() == "letters");
        CHECK(two.name() == "letters-test");
    }
    CHECK(letters(folder.string()).whole);
    CHECK(away.said().empty());

    write(folder, files_of("train", 11, to_train.first));
    const auto own = letters(folder.string());
    CHECK(own.training.size() == 11);
    CHECK_FALSE(own.whole);
}

TEST_CASE(
    "Another set's files of the same names in the folder of SIGMA_DATA are not taken, and the sample is found there") {
    const Away away;
    const auto folder = away.scratch.path / "all" / "letters";
    write(folder, files_of("train", 12, to_test.first));
    write(folder, to_test);
    const Environment variable("SIGMA_DATA", folder.c_str());
    const DataError nowhere = data_error([] { letters(); });
    CHECK(nowhere.file == "train-images");
    check_names_all_places(nowhere.what(), away);
    CHECK(away.said().empty());

    write(folder, some);
    const auto [one, two, whole] = letters();
    CHECK_FALSE(whole);
    CHECK(one.size() == 9);
    CHECK(two.size() == 1);
    CHECK(one.name() == "letters-sample");
    std::ofstream(folder / "train-labels", std::ios::binary) << "cut";
    CHECK_FALSE(letters().whole);
}

TEST_CASE("Pixels go from 0 to 1, and a label that is no class is refused with its byte") {
    const Away away;
    const auto folder = away.scratch.path / "letters";
    write(folder, to_train);
    write(folder, to_test);
    const auto put = [&](const std::string& name, int at, char byte) {
        std::fstream(folder / name, std::ios::binary | std::ios::in | std::ios::out).seekp(at).put(byte);
    };
    put("train-images", 16 + 1, '\x33');
    put("train-images", 16 + 784 + 1, '\xff');
    const auto training = letters(folder.string()).training;
    CHECK(training.input(0)[1] == Approx(0.2f));
    CHECK(training.input(1)[1] == 1.0f);
    CHECK(training.label(0) == 1);
    put("train-labels", 9, '\2');
    const DataError refused = data_error([&] { letters(folder.string()); });
    CHECK(refused.file == (folder / "train-labels").string());
    CHECK(refused.place + ": " + refused.expected + ", " + refused.found == "byte 9: a label from 0 to 1, 2");
}

TEST_CASE("MNIST in a directory of the user's is read there and nowhere else") {
    const Away away;
    const auto copy = [&](const std::filesystem::path& folder) {
        std::filesystem::create_directories(folder);
        for (const std::string& name : {images, labels}) {
            std::filesystem::copy_file(shipped(name), folder / ("train" + name.substr(4)));
            std::filesystem::copy_file(shipped(name), folder / name);
        }
    };
    copy(away.scratch.path / "b" / "mnist");
    const std::string named = (away.scratch.path / "b").string();
    const auto given = data::mnist(named);
    CHECK(given.training.name() == "mnist");
    CHECK(given.training.size() == 10000);
    CHECK(given.testing.size() == 10000);
    CHECK_FALSE(given.whole);  // these are not 60,000

    const Environment variable("SIGMA_DATA", named.c_str());
    CHECK(data::mnist().training.size() == 10000);
    const Environment itself("SIGMA_DATA", SIGMA_TEST_DATA_DIR "/mnist");  // has no training images
    CHECK(data::mnist().training.size() == 9000);
}

TEST_CASE("Swapped, cut and packed-over files are refused with their name") {
    const Scratch scratch;
    const auto mnist = [&] { return data_error([&] { data::mnist(scratch.path.string()); }); };
    const auto place = [&](const std::string& from, const std::string& to) {
        std::filesystem::copy_file(shipped(from), scratch.path / to, std::filesystem::copy_options::overwrite_existing);
    };

    CHECK(mnist().file == "train-images-idx3-ubyte");
    CHECK(mnist().found == "no file");
    place(images, "train" + images.substr(4));
    place(labels, "train" + labels.substr(4));
    CHECK(mnist().file == "t10k-images-idx3-ubyte");

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
    const std::string packed = data::read_text(data::file(shipped(images)));
    scratch.write(images, packed.substr(0, packed.size() / 2));
    thrown = mnist();
    CHECK(thrown.file == (scratch.path / images).string());
    CHECK(thrown.found == "the end of the file");

    scratch.write(images, std::string("this is no gzip file and no IDX file"));
    CHECK(mnist().found == "0x74686973");

    scratch.write(images, std::string());
    CHECK(mnist().place == "byte 0");
}
