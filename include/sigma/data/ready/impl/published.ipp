// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/split.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

namespace sigma::data::detail {

/// The first mirror of a published file that answers. The choice is kept.
class PublishedSource final : public ByteSource {
public:
    explicit PublishedSource(PublishedFile what) : what_(std::move(what)) {
        UrlOptions options;
        options.sha256 = what_.sha256;
        options.retries = 1;  // there are mirrors
        for (const std::string& address : what_.addresses) mirrors_.push_back(url(address, options));
    }
    std::string name() const override { return what_.name; }
    bool exists() const override {
        return std::ranges::any_of(mirrors_, [](const Source& mirror) { return mirror.exists(); });
    }
    std::unique_ptr<ByteStream> open() const override {
        const auto shown = show_tasks();  // shows the progress of downloads on a terminal
        std::string found;
        for (std::size_t i = chosen_; i < mirrors_.size(); ++i) {
            try {
                auto stream = mirrors_[i].open();
                chosen_ = i;
                return stream;
            } catch (const DownloadError& failure) {
                if (found.empty()) found = failure.found;
            }
        }
        if (mirrors_.empty()) throw DataError(what_.name, "", searched_text(what_.folder), "no file");
        const std::string places = sentence(searched_text(what_.folder), ", or in the cache '", cache_directory(), "'");
        if (downloads_are_off())
            throw DataError(what_.name, "", places, "no file, and downloads are switched off (SIGMA_OFFLINE)");
        throw DataError(what_.name, "", sentence(places, " or at ", what_.addresses[0]), found);
    }
    std::string key() const override {
        if (!what_.sha256.empty()) return sentence("sha256:", what_.sha256);
        open();
        return mirrors_[chosen_].key();
    }
    std::optional<std::string> path() const override {
        open();
        return mirrors_[chosen_].path();
    }

private:
    PublishedFile what_;
    std::vector<Source> mirrors_;
    mutable std::atomic<std::size_t> chosen_{0};
};

/// Returns SIGMA_DATA if it names the folder that contains the files themselves; else an empty text.
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
            if (find_file(shipped, sample.images.name).empty()) throw;  // this error names all directories
            const Images28 all = read_images(sample, "", sentence(name, "-sample"), classes);
            const auto [first, last] = split(all, 0.9, 0.1);
            terminal::print(
                stderr, sentence(name, ": ", nowhere.what(), "; using ", first.size(), " training and ", last.size(),
                                 " test records of '", all.name(), "', which comes with the library"));
            return {first, last, false};
        }
    }
    ImageParts parts{read_images(training, directory, name, classes),
                     read_images(testing, directory, sentence(name, "-test"), classes), false};
    parts.whole = parts.training.size() == training.records && parts.testing.size() == testing.records;
    return parts;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Source published(const PublishedFile& what, const std::string& directory) {
    if (!directory.empty()) return file(require_file(what.folder, what.name, directory));
    const std::string found = find_file(search_directories(what.folder), what.name);
    return found.empty() ? Source(std::make_shared<detail::PublishedSource>(what)) : file(found);
}

SIGMA_IMPL bool is_available(const Source& source, std::string& why) {
    try {
        source.open();
        return true;
    } catch (const DataError& problem) {
        why = problem.what();
        return false;
    }
}

}  // namespace sigma::data
