// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/files.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL std::vector<std::string> visible_names(const std::string& directory) {
    namespace fs = std::filesystem;
    std::error_code code;
    std::vector<std::string> names;
    fs::directory_iterator at(directory, code);
    for (; !code && at != fs::directory_iterator(); at.increment(code))
        if (std::string name = at->path().filename().string(); !name.starts_with('.')) names.push_back(std::move(name));
    if (code) throw DataError::in_directory(directory, "one that can be read", storage::system_text(code.value()));
    std::ranges::sort(names);
    return names;
}

SIGMA_IMPL std::string read_regular_file(const std::string& path, std::size_t most) {
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) throw DataError(path, "", "a readable file", storage::system_text(code.value()));
    if (!fs::is_regular_file(status))
        throw DataError(path, "", "a file", fs::is_directory(status) ? "a directory" : "no regular file");
    const std::uintmax_t size = fs::file_size(path, code);
    if (code) throw DataError(path, "", "a readable file", storage::system_text(code.value()));
    if (size > most) throw DataError(path, "", sentence("at most ", most, " bytes"), sentence(size));
    return read_text(file(path), most);
}

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

}  // namespace sigma::data::detail

namespace sigma::data {

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
                "another");
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

}  // namespace sigma::data
