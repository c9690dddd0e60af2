// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/reader/image.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace sigma::data {

namespace detail {

/// Lists the names in a directory, except those that begin with a dot, sorted by their bytes.
SIGMA_IMPL std::vector<std::string> visible_names(const std::string& directory) {
    namespace fs = std::filesystem;
    std::error_code code;
    std::vector<std::string> names;
    fs::directory_iterator at(directory, code);
    for (; !code && at != fs::directory_iterator(); at.increment(code))
        if (std::string name = at->path().filename().string(); !name.starts_with('.')) names.push_back(std::move(name));
    if (code) throw DataError::in_directory(directory, "a readable directory", storage::system_text(code.value()));
    std::ranges::sort(names);
    return names;
}

/// Reads a file that is neither a directory nor a device. Follows symbolic links.
SIGMA_IMPL std::string read_regular_file(const std::string& path, std::size_t most) {
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) throw DataError::unreadable(path, "", storage::system_text(code.value()));
    if (!fs::is_regular_file(status))
        throw DataError(path, "", "a file", fs::is_directory(status) ? "a directory" : "no regular file");
    const std::uintmax_t size = fs::file_size(path, code);
    if (code) throw DataError::unreadable(path, "", storage::system_text(code.value()));
    if (size > most) throw DataError(path, "", sentence("at most ", most, " bytes"), sentence(size));
    return read_text(file(path), most);
}

/// Returns a digest that changes with the list of files, and with the length, times or label of a file.
SIGMA_IMPL std::string digest_of(const ImageFiles& all) {
    std::uint64_t digest = storage::fnv_basis;
    const auto add = [&](const std::string& text) { digest = storage::fnv1a(text, digest); };
    for (const ImageFile& file : all.files) {
        bool found = false;
        add(sentence(file.path, "\n", file.label, " ", storage::file_identity(file.path, found), "\n"));
    }
    for (const std::string& name : all.classes) add(sentence(name, "\n"));
    return sentence(all.files.size(), " files ", digest);
}

}  // namespace detail

SIGMA_IMPL ImageFiles image_files(const std::string& directory, const std::vector<std::string>& classes) {
    namespace fs = std::filesystem;
    std::error_code code;
    ImageFiles all{directory, {}, {}};
    for (std::string& name : detail::visible_names(directory))
        if (fs::is_directory(sentence(directory, "/", name), code)) all.classes.push_back(std::move(name));
    if (all.classes.empty()) throw DataError::in_directory(directory, "a sub-directory for each class", "none");
    sigma::detail::sort_class_names(all.classes);
    const std::vector<std::string> found = all.classes;
    if (!classes.empty()) all.classes = classes;
    for (const std::string& one : found) {
        const std::string folder = sentence(directory, "/", one);
        const auto label = static_cast<std::size_t>(std::ranges::find(all.classes, one) - all.classes.begin());
        if (label == all.classes.size())
            throw DataError::in_directory(
                folder, sentence("one of the classes ", sigma::detail::classes_text(classes, classes.size())),
                sentence("'", one, "'"));
        const std::vector<std::string> names = detail::visible_names(folder);
        if (names.empty()) throw DataError::in_directory(folder, "at least one image of this class", "none");
        for (const std::string& name : names) {
            std::string path = sentence(folder, "/", name);
            if (fs::is_directory(path, code))
                throw DataError(path, "", "an image in the directory of a class", "a directory");
            all.files.push_back({std::move(path), label});
        }
    }
    return all;
}

/// Reads images of files: inputs (height, width, channels), numbers 0 … 255, and targets, class indices. Decodes one
/// image after the other.
class ImageReader final : public RecordReader {
public:
    ImageReader(ImageFiles files, ImageOptions options)
        : files_(std::move(files)), options_(std::move(options)),
          wanted_(sentence(options_.height, ",", options_.width, ",", options_.channels)) {
        detail::check_channels(options_.channels);
        if (options_.width > 0 && options_.height > options_.max_pixels / options_.width)
            throw ArgumentError(sentence("images of '", files_.name, "'"),
                                sentence("at most ", options_.max_pixels, " pixels"),
                                sentence(options_.height, " rows of ", options_.width));
        if (files_.files.empty()) throw DataError(files_.name, "", "at least one image", "none");
        for (const ImageFile& file : files_.files)
            if (file.label >= (files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size()))
                throw ArgumentError(
                    sentence("images of '", files_.name, "', file '", file.path, "'"),
                    sentence("a class below ", files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size()),
                    sentence(file.label));
    }

    std::string name() const override { return files_.name; }
    std::vector<Origin> origins() const override { return {{"images", name()}}; }
    const std::vector<SectionInfo>& sections() override {
        if (sections_.empty()) {
            if (options_.height == 0 || options_.width == 0 || options_.channels == 0) look_at_first();
            sections_ = {{"inputs", {options_.height, options_.width, options_.channels}, false},
                         {"targets", {}, true}};
        }
        return sections_;
    }
    std::optional<std::size_t> size() override {
        return options_.unreadable ? std::nullopt : std::optional<std::size_t>(files_.files.size());
    }
    std::size_t read(std::size_t most, Block& to) override {
        const std::size_t size = sections()[0].size();
        to.values.resize(2);
        std::vector<float>&pixels = to.values[0].floats(), &labels = to.values[1].floats();
        pixels.resize(std::min(most, files_.files.size() - at_) * size);
        labels.clear();
        to.records = 0;
        for (; to.records < most && at_ < files_.files.size(); ++at_) {
            const ImageFile& file = files_.files[at_];
            try {
                read_image(file, std::span(pixels).subspan(to.records * size, size));
            } catch (const DataError& refusal) {
                if (!options_.unreadable) throw;
                options_.unreadable(refusal);
                continue;
            }
            labels.push_back(static_cast<float>(file.label));
            ++to.records;
        }
        pixels.resize(to.records * size);
        given_ += to.records;
        if (given_ == 0 && most > 0) refuse_all();
        return to.records;
    }
    void rewind() override { at_ = given_ = 0; }
    /// Returns a key by the lengths and times of change of the files, not by their contents.
    std::string key() const override {
        return sentence("images of all bits(", files_.name, ";", detail::digest_of(files_), ";", wanted_, ";",
                        options_.resize == Resize::none ? "none" : "bilinear", ";", options_.background, ";",
                        options_.max_pixels, ",", options_.max_bytes, ";", options_.unreadable ? "skip" : "all", ")");
    }
    std::vector<std::string> classes() const override { return files_.classes; }

private:
    [[noreturn]] void refuse_all() const {
        throw DataError(files_.name, "", "at least one readable image", sentence("none among ", files_.files.size()));
    }

    void look_at_first() {
        for (const ImageFile& file : files_.files) {
            try {
                const std::string bytes = detail::read_regular_file(file.path, options_.max_bytes);
                const ImageInfo info = image_info(std::as_bytes(std::span(bytes)), file.path);
                detail::check_pixels(info, {.max_pixels = options_.max_pixels}, options_.max_pixels, file.path);
                if (options_.height == 0) options_.height = info.height;
                if (options_.width == 0) options_.width = info.width;
                if (options_.channels == 0) options_.channels = info.channels;
                return;
            } catch (const DataError&) {
                if (!options_.unreadable) throw;  // else read() reports it
            }
        }
        refuse_all();
    }

    void read_image(const ImageFile& file, std::span<float> to) const {
        const std::string bytes = detail::read_regular_file(file.path, options_.max_bytes);
        const auto from = std::as_bytes(std::span(bytes));
        if (options_.resize == Resize::none) {  // checked before anything is decoded
            const ImageInfo info = image_info(from, file.path);
            if (info.height != options_.height || info.width != options_.width)
                throw DataError(
                    file.path, "",
                    sentence(options_.height, " rows of ", options_.width, " pixels (or .resize = Resize::bilinear)"),
                    sentence(info.height, " of ", info.width));
        }
        const Image image = decode_image(
            from, {.channels = options_.channels, .max_pixels = options_.max_pixels, .background = options_.background},
            file.path);
        resize_image(image, options_.height, options_.width, to);
    }

    ImageFiles files_;
    ImageOptions options_;
    std::string wanted_;  // the requested extents
    std::vector<SectionInfo> sections_;
    std::size_t at_ = 0, given_ = 0;
};

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> image_reader(ImageFiles files, ImageOptions options) {
    return std::make_shared<ImageReader>(std::move(files), std::move(options));
}

}  // namespace detail

}  // namespace sigma::data
