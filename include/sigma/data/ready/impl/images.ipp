// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/ready/images.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/split.hpp>

#include <algorithm>
#include <cstdio>
#include <span>

namespace sigma::data::detail {

/// SIGMA_DATA, where it names the folder in which the files lie themselves; else empty.
SIGMA_IMPL std::string folder_of(const LabelledFiles& files) {
    std::string folder = named_directory();
    if (folder.empty() || find_file({folder}, files.images.name).empty()) return {};
    const std::string labels = find_file({folder}, files.labels.name);
    if (labels.empty()) return {};
    std::array<std::byte, 18> begin{};  // the first 8 are magic number and count
    try {
        if (read_fully(*open_unpacked(file(labels)), begin) < begin.size()) return {};
    } catch (const DataError&) { return {}; }
    const auto same = [](std::byte byte, std::uint8_t label) { return std::to_integer<std::uint8_t>(byte) == label; };
    return std::ranges::equal(std::span(begin).subspan(8), files.first, same) ? folder : std::string();
}

SIGMA_IMPL Images28 read_images(const LabelledFiles& files, const std::string& directory, std::string name,
                                std::vector<std::string> classes) {
    const std::string from = directory.empty() ? folder_of(files) : directory;
    const Source images = published(files.images, from), labels = published(files.labels, from);
    const auto records = zip(inputs = idx<28, 28>(images), targets = idx<>(labels)).reader;
    const std::size_t count = records->size().value();
    Block all;
    records->read(count, all);
    for (float& pixel : all.values[0].floats()) pixel /= 255.0f;
    const std::vector<float>& found = all.values[1].floats();
    for (std::size_t i = 0; i < count; ++i)
        if (!(found[i] < static_cast<float>(classes.size())))
            throw DataError(labels.name(), sentence("byte ", 8 + i), sentence("a label from 0 to ", classes.size() - 1),
                            sentence(found[i]));
    Dataset read(std::move(all), records->sections(), std::move(name), std::move(classes));
    read.set_origins(records->origins());
    return Images28(std::move(read));
}

SIGMA_IMPL void require(const LabelledFiles& files) {
    const std::string from = folder_of(files);
    for (const PublishedFile& each : {files.images, files.labels}) published(each, from).open();
}

SIGMA_IMPL ImageParts read_parts(const LabelledFiles& training, const LabelledFiles& testing,
                                 const LabelledFiles& sample, const std::string& directory, const std::string& name,
                                 const std::vector<std::string>& classes) {
    if (directory.empty()) {
        try {
            require(training);
            require(testing);
        } catch (const DataError& nowhere) {
            const auto shipped = search_directories(sample.images.folder, folder_of(sample));
            if (find_file(shipped, sample.images.name).empty()) throw;  // this one names all places
            const Images28 all = read_images(sample, "", sentence(name, "-sample"), classes);
            const auto [first, last] = split(all, 0.9, 0.1);
            terminal::print(stderr, sentence(name, ": ", nowhere.what(), "; so here are ", first.size(),
                                             " records to train on and ", last.size(), " to test with, of '",
                                             all.name(), "', which comes with the library"));
            return {first, last, false};
        }
    }
    ImageParts parts{read_images(training, directory, name, classes),
                     read_images(testing, directory, sentence(name, "-test"), classes), false};
    parts.whole = parts.training.size() == training.records && parts.testing.size() == testing.records;
    return parts;
}

}  // namespace sigma::data::detail
