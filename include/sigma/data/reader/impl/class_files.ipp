// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/reader/class_files.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace sigma::data::detail {

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
SIGMA_IMPL std::string digest_of(const ClassFiles& all) {
    std::uint64_t digest = storage::fnv_basis;
    const auto add = [&](const std::string& text) { digest = storage::fnv1a(text, digest); };
    for (const ClassFile& file : all.files) {
        bool found = false;
        add(sentence(file.path, "\n", file.label, " ", storage::file_identity(file.path, found), "\n"));
    }
    for (const std::string& name : all.classes) add(sentence(name, "\n"));
    return sentence(all.files.size(), " files ", digest);
}

SIGMA_IMPL ClassFiles class_files(const std::string& directory, const std::vector<std::string>& classes,
                                  const std::string& kind) {
    namespace fs = std::filesystem;
    std::error_code code;
    ClassFiles all{directory, {}, {}};
    for (std::string& name : visible_names(directory))
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
        const std::vector<std::string> names = visible_names(folder);
        if (names.empty())
            throw DataError::in_directory(folder, sentence("at least one ", kind, " of this class"), "none");
        for (const std::string& name : names) {
            std::string path = sentence(folder, "/", name);
            if (fs::is_directory(path, code))
                throw DataError(path, "", "a file in the directory of a class", "a directory");
            all.files.push_back({std::move(path), label});
        }
    }
    return all;
}

SIGMA_IMPL ClassFileReader::ClassFileReader(ClassFiles files, std::string kind,
                                            std::function<void(const DataError&)> unreadable, std::size_t max_bytes)
    : files_(std::move(files)), kind_(std::move(kind)), unreadable_(std::move(unreadable)), max_bytes_(max_bytes) {
    if (files_.files.empty()) throw DataError(files_.name, "", sentence("at least one ", kind_), "none");
    const std::size_t classes = files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size();
    for (const ClassFile& file : files_.files)
        if (file.label >= classes)
            throw ArgumentError(sentence(kind_, "s of '", files_.name, "', file '", file.path, "'"),
                                sentence("a class below ", classes), sentence(file.label));
}
SIGMA_IMPL const std::vector<SectionInfo>& ClassFileReader::sections() {
    if (sections_.empty()) {
        if (!knows_extents()) look_at_first();
        sections_ = {{"inputs", extents(), false}, {"targets", {}, true}};
    }
    return sections_;
}
SIGMA_IMPL std::optional<std::size_t> ClassFileReader::size() {
    return unreadable_ ? std::nullopt : std::optional<std::size_t>(files_.files.size());
}
SIGMA_IMPL std::size_t ClassFileReader::read(std::size_t most, Block& to) {
    const std::size_t size = sections()[0].size();
    to.values.resize(2);
    std::vector<float>&numbers = to.values[0].floats(), &labels = to.values[1].floats();
    numbers.resize(std::min(most, files_.files.size() - at_) * size);
    labels.clear();
    to.records = 0;
    for (; to.records < most && at_ < files_.files.size(); ++at_) {
        const ClassFile& file = files_.files[at_];
        try {
            const std::string bytes = contents_of(file);
            decode(std::as_bytes(std::span(bytes)), file.path, std::span(numbers).subspan(to.records * size, size));
        } catch (const DataError& refusal) {
            if (!unreadable_) throw;
            unreadable_(refusal);
            continue;
        }
        labels.push_back(static_cast<float>(file.label));
        ++to.records;
    }
    numbers.resize(to.records * size);
    given_ += to.records;
    if (given_ == 0 && most > 0) refuse_all();
    return to.records;
}
SIGMA_IMPL std::string ClassFileReader::key_with(const std::string& options) const {
    return sentence(kind_, "s(", files_.name, ";", digest_of(files_), ";", options, ";", max_bytes_, ";",
                    unreadable_ ? "skip" : "all", ")");
}
SIGMA_IMPL std::string ClassFileReader::contents_of(const ClassFile& file) const {
    return read_regular_file(file.path, max_bytes_);
}
SIGMA_IMPL void ClassFileReader::refuse_all() const {
    throw DataError(files_.name, "", sentence("at least one readable ", kind_),
                    sentence("none among ", files_.files.size()));
}
SIGMA_IMPL void ClassFileReader::look_at_first() {
    for (const ClassFile& file : files_.files) {
        try {
            const std::string bytes = contents_of(file);
            return look_at(std::as_bytes(std::span(bytes)), file.path);
        } catch (const DataError&) {
            if (!unreadable_) throw;  // else read() reports it
        }
    }
    refuse_all();
}

}  // namespace sigma::data::detail
