// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <algorithm>
#include <cstdio>

namespace sigma::data::detail {

/// A file of a ready set: its folder and name, its digest, its path at UCI, and another address.
struct ReadyFile {
    const char *folder, *name, *sha256, *at_uci, *elsewhere = "";
};

inline constexpr ReadyFile iris_file{
    "iris", "iris.data", "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0", "iris/iris.data",
    "https://raw.githubusercontent.com/rasbt/python-machine-learning-book-3rd-edition/"
    "bf62496f44a92a21d23250d5ed13d2d2e617e0e2/ch02/iris.data"},
    wine_file{"wine", "wine.data", "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659", "wine/wine.data",
              "https://raw.githubusercontent.com/rasbt/python-machine-learning-book-3rd-edition/"
              "bf62496f44a92a21d23250d5ed13d2d2e617e0e2/ch04/wine.data"},
    wdbc_file{"wdbc", "wdbc.data", "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a",
              "breast-cancer-wisconsin/wdbc.data",
              "https://raw.githubusercontent.com/rasbt/python-machine-learning-book-3rd-edition/"
              "bf62496f44a92a21d23250d5ed13d2d2e617e0e2/ch06/wdbc.data"},
    parkinsons_file{"parkinsons", "parkinsons.data", "a36116c2deac07895b79ce97a2f99a1b3720ac4892995ff5c3b9ccb397ed2bc5",
                    "parkinsons/parkinsons.data",
                    "https://raw.githubusercontent.com/sudhapds/parkinson-disease-detection/"
                    "93abaf14e1620c6280806a46239e1273184c3c16/parkinsons.data"},
    heart_disease_file{"heart-disease", "processed.cleveland.data",
                       "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
                       "heart-disease/processed.cleveland.data"},
    california_housing_file{"california-housing", "housing.csv",
                            "8a3727f4cf54ac1a327f69b1d5b4db54c5834ea81c6e4efc0d163300022a685e", "",
                            "https://raw.githubusercontent.com/ageron/handson-ml2/"
                            "1e2115277b50f6c584cd668fa30e3af309a5b136/datasets/housing/housing.csv"},
    connect_4_file{"connect-4", "connect-4.data", "", "connect-4/connect-4.data.Z"},
    optical_training_file{"optical-digits", "optdigits.tra",
                          "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd",
                          "optdigits/optdigits.tra"},
    optical_testing_file{"optical-digits", "optdigits.tes",
                         "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8", "optdigits/optdigits.tes"},
    shakespeare_file{"tinyshakespeare", "input.txt", "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
                     "",
                     "https://raw.githubusercontent.com/karpathy/char-rnn/"
                     "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/input.txt"};

SIGMA_IMPL Source ready_source(const ReadyFile& file, const std::string& directory) {
    PublishedFile what{file.folder, file.name, file.sha256, {}};
    if (*file.at_uci)
        what.addresses = {sentence("https://archive.ics.uci.edu/ml/machine-learning-databases/", file.at_uci)};
    if (*file.elsewhere) what.addresses.emplace_back(file.elsewhere);
    return published(what, directory);
}

SIGMA_IMPL Table ready_table(const ReadyFile& file, const std::string& directory, CsvFormat format = {}) {
    return csv(unpacked(ready_source(file, directory)), std::move(format));
}

SIGMA_IMPL Columns<Extents<1>> proximity(std::string_view wanted) {
    const auto is = [&](std::string_view one) { return one == wanted ? 1.0 : 0.0; };
    return mapped("ocean_proximity", {{"INLAND", is("INLAND")},
                                      {"<1H OCEAN", is("<1H OCEAN")},
                                      {"NEAR OCEAN", is("NEAR OCEAN")},
                                      {"NEAR BAY", is("NEAR BAY")},
                                      {"ISLAND", is("ISLAND")}});
}

SIGMA_IMPL void check_connect_4(const Dataset& positions, const std::string& file) {
    constexpr std::size_t count = 67'557, columns = 7, rows = 6;
    if (positions.size() != count) throw DataError(file, "", sentence(count, " records"), sentence(positions.size()));
    for (std::size_t record = 0; record < count; ++record) {
        const auto board = positions.input(record);
        std::size_t first = 0, second = 0, floating = 0;
        for (std::size_t square = 0; square < columns * rows; ++square) {
            first += board[square] == 1;
            second += board[square] == -1;
            floating += square % rows != 0 && board[square] != 0 && board[square - 1] == 0;
        }
        if (first != 4 || second != 4 || floating != 0)
            throw DataError(file, sentence("line ", record + 1),
                            "a board with four marks of each player and nothing below them empty",
                            sentence(first, " and ", second, " marks, ", floating, " above empty squares"));
    }
}

SIGMA_IMPL Supervised<Extents<8, 8>, Extents<>> optical_digits_of(const ReadyFile& file, const char* name,
                                                                  const std::string& directory) {
    return ready_table(file, directory) >> sections(inputs = columns<0, 63>(), targets = classes(64, 10)) >>
           reshape<8, 8>(inputs) >> normalize(inputs, 0, 16) >> dataset(name);
}

/// Returns a file of CIFAR-10, by itself or in the published archive.
SIGMA_IMPL Source cifar_file(const std::string& name, const std::string& directory) {
    const std::string folder = "cifar-10", inner = sentence("cifar-10-batches-bin/", name);
    const auto directories = search_directories(folder, directory);
    for (const std::string& wanted : {name, inner})
        if (const std::string found = find_file(directories, wanted); !found.empty()) return file(found);
    return entry(published({folder,
                            "cifar-10-binary.tar.gz",
                            "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
                            {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"}},
                           directory),
                 inner);
}

/// Reads images from files of records: a label, and a plane of 32 x 32 bytes for each channel.
SIGMA_IMPL Images32 cifar_images(const std::vector<std::string>& files, const char* name,
                                 const std::string& directory) {
    constexpr std::size_t pixels = 32 * 32, channels = 3, bytes = 1 + channels * pixels;
    const std::vector<std::string> classes{"airplane", "automobile", "bird",  "cat",  "deer",
                                           "dog",      "frog",       "horse", "ship", "truck"};
    Block all;
    all.values.resize(2);
    std::vector<float>&images = all.values[0].floats(), &labels = all.values[1].floats();
    std::vector<Origin> origins;
    for (const std::string& each : files) {
        const auto reader = bytes_reader(cifar_file(each, directory), {.extents = {bytes}});
        origins.push_back({"cifar", reader->name()});
        if (const auto records = reader->size(); records && images.empty())
            images.reserve(files.size() * *records * channels * pixels);
        std::size_t at = 0;
        for (Block part; reader->read(1000, part) > 0;)
            for (std::size_t i = 0; i < part.records; ++i, at += bytes) {
                const float* const from = part.values[0].floats().data() + i * bytes;
                if (!(from[0] < static_cast<float>(classes.size())))
                    throw DataError(reader->name(), sentence("byte ", at),
                                    sentence("a label from 0 to ", classes.size() - 1), sentence(from[0]));
                labels.push_back(from[0]);
                for (std::size_t p = 0; p < pixels; ++p)
                    for (std::size_t c = 0; c < channels; ++c) images.push_back(from[1 + c * pixels + p] / 255.0f);
                ++all.records;
            }
    }
    Dataset read(std::move(all), {{"inputs", {32, 32, channels}, false}, {"targets", {}, true}}, name, classes);
    Dataset compact = read.compact();
    compact.set_origins(std::move(origins));
    return Images32(std::move(compact));
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<4>, Extents<>> iris(const std::string& directory) {
    return detail::ready_table(detail::iris_file, directory) >>
           sections(inputs = columns<0, 3>(),
                    targets = labels(4, {"Iris-setosa", "Iris-versicolor", "Iris-virginica"})) >>
           dataset("iris");
}

SIGMA_IMPL Supervised<Extents<13>, Extents<>> wine(const std::string& directory) {
    return detail::ready_table(detail::wine_file, directory) >>
           sections(inputs = columns<1, 13>(), targets = labels(0, {"1", "2", "3"})) >> dataset("wine");
}

SIGMA_IMPL Supervised<Extents<30>, Extents<>> wdbc(const std::string& directory) {
    return detail::ready_table(detail::wdbc_file, directory) >>
           sections(inputs = columns<2, 31>(), targets = labels(1, {"B", "M"})) >> dataset("wdbc");
}

SIGMA_IMPL Supervised<Extents<22>, Extents<>> parkinsons(const std::string& directory) {
    return detail::ready_table(detail::parkinsons_file, directory, {.header = true}) >>
           sections(inputs = columns<1, 16>() + columns<18, 23>(), targets = labels("status", {"0", "1"})) >>
           dataset("parkinsons");
}

SIGMA_IMPL std::vector<std::size_t> parkinsons_persons(const std::string& directory) {
    // The name "phon_R01_S01_1" is that of the first recording of person S01.
    const TableValues table =
        read_table(unpacked(detail::ready_source(detail::parkinsons_file, directory)), {.header = true});
    std::vector<std::string> known;
    std::vector<std::size_t> persons;
    for (const std::string& name : table["name"].texts) {
        const std::size_t end = name.rfind('_');
        if (end == std::string::npos)
            throw DataError(table.name, sentence("record ", persons.size()), "a name like 'phon_R01_S01_1'",
                            sentence("'", name, "'"));
        const auto at = std::ranges::find(known, name.substr(0, end));
        persons.push_back(static_cast<std::size_t>(at - known.begin()));
        if (at == known.end()) known.push_back(name.substr(0, end));
    }
    return persons;
}

SIGMA_IMPL Supervised<Extents<13>, Extents<>> heart_disease(const std::string& directory) {
    const Columns<Extents<>> ill{mapped(13, {{"0", 0}, {"1", 1}, {"2", 1}, {"3", 1}, {"4", 1}}).parts};
    return detail::ready_table(detail::heart_disease_file, directory, {.missing = {"?"}}) >>
           sections(inputs = columns<0, 12>(), targets = ill) >> impute(inputs, median) >> dataset("heart-disease");
}

SIGMA_IMPL Supervised<Extents<13>, Extents<1>> california_housing(const std::string& directory) {
    return detail::ready_table(detail::california_housing_file, directory, {.header = true, .missing = {""}}) >>
           sections(inputs = columns<0, 7>() + detail::proximity("INLAND") + detail::proximity("<1H OCEAN") +
                             detail::proximity("NEAR OCEAN") + detail::proximity("NEAR BAY") +
                             detail::proximity("ISLAND"),
                    targets = column<8>()) >>
           impute(inputs, median) >> dataset("california-housing");
}

SIGMA_IMPL Supervised<Extents<42>, Extents<>> connect_4(const std::string& directory) {
    const Source source = unpacked(detail::ready_source(detail::connect_4_file, directory));
    auto positions = csv(source) >> sections(inputs = mapped(columns<0, 41>(), {{"x", 1}, {"o", -1}, {"b", 0}}),
                                             targets = labels(42, {"win", "loss", "draw"})) >>
                     dataset("connect-4");
    detail::check_connect_4(positions, source.name());
    return positions;
}

SIGMA_IMPL OpticalDigits optical_digits(const std::string& directory) {
    return {detail::optical_digits_of(detail::optical_training_file, "optical-digits", directory),
            detail::optical_digits_of(detail::optical_testing_file, "optical-digits-test", directory)};
}

SIGMA_IMPL Cifar10 cifar10(const std::string& directory) {
    std::vector<std::string> parts;
    for (int i = 1; i <= 5; ++i) parts.push_back(sentence("data_batch_", i, ".bin"));
    return {detail::cifar_images(parts, "cifar-10", directory),
            detail::cifar_images({"test_batch.bin"}, "cifar-10-test", directory)};
}

SIGMA_IMPL std::string tiny_shakespeare_beginning() {
    return read_text(file(require_file("tinyshakespeare", "beginning.txt")));
}

SIGMA_IMPL std::string tiny_shakespeare(const std::string& directory) {
    const Source source = detail::ready_source(detail::shakespeare_file, directory);
    std::string why;
    if (directory.empty() && !is_available(source, why)) {
        std::string part = tiny_shakespeare_beginning();
        terminal::print(stderr, sentence("tiny-shakespeare: ", why, "; using its first ", part.size(),
                                         " characters, which come with the library"));
        return part;
    }
    return read_text(unpacked(source));
}

}  // namespace sigma::data
