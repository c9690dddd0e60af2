// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/extract.hpp>
#include <sigma/data/source/unpacking.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/new_tree.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace sigma::data::detail {

/// "a/b" as its parts. Throws DataError for names that lead out of the directory or say nothing.
SIGMA_IMPL std::vector<std::string> entry_parts(const std::string& source, const std::string& place,
                                                const std::string& name) {
    const auto refuse = [&](std::string_view found) {
        throw DataError(source, place, "a name inside the directory", std::string(found));
    };
    if (name.empty()) refuse("none");
    if (name.starts_with('/')) refuse("an absolute one");
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        std::string part = name.substr(at, end - at);
        at = end + 1;
        if (part == "..") refuse("one with '..'");
        if (part.size() > 255) refuse("one with a part longer than 255 bytes");
        if (!part.empty() && part != ".") parts.push_back(std::move(part));
    }
    if (parts.size() > 100) refuse("one with more than 100 parts");
    return parts;
}

/// Writes entries into a new directory.
class Extraction {
public:
    Extraction(std::string source, const storage::NewTree& tree) : source_(std::move(source)), tree_(&tree) {}

    /// `data(buffer)` gives the bytes of a file until it returns 0.
    template <class Data>
    void write(const ArchiveEntry& entry, const Data& data) {
        using enum ArchiveEntry::Kind;
        place_ = sentence("entry ", storage::quotation(entry.name));
        const std::vector<std::string> parts = entry_parts(source_, place_, entry.name);
        if (entry.kind == directory) {
            require(tree_->make_directory(parts));
            return;
        }
        if (entry.kind == other) refuse("a file, directory or link", "a device or pipe");
        if (parts.empty()) refuse("a name inside the directory", "the directory itself");
        if (entry.kind == symbolic_link) {
            check_link(entry.link, parts.size() - 1);
            require(tree_->make_link(parts, entry.link));
        } else if (entry.kind == hard_link) {
            const std::vector<std::string> to = entry_parts(source_, place_, entry.link);
            if (to.empty()) refuse("a link to a file of the archive", "one to the directory itself");
            bool is_file = false;
            const int code = tree_->make_hard_link(parts, to, is_file);
            if (!is_file)
                refuse("a link to a file that comes before it in the archive", storage::quotation(entry.link));
            require(code);
        } else {
            auto [file, code] = tree_->make_file(parts, entry.executable);
            require(code);
            while (const std::size_t count = data(std::span(buffer_)))
                require(storage::write_all(file.number(), std::span(buffer_).first(count)));
            require(file.close());
        }
    }

private:
    [[noreturn]] void refuse(std::string expected, std::string found) const;
    /// Of 0, or errno.
    void require(int code) const;
    /// `depth` directories lie between the link and the root. ".." may only stand in front: behind a name, that name
    /// may be a link itself, and what its ".." is depends on it.
    void check_link(const std::string& to, std::size_t depth) const;

    std::string source_;
    const storage::NewTree* tree_;
    std::string place_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
};

SIGMA_IMPL void Extraction::refuse(std::string expected, std::string found) const {
    throw DataError(source_, place_, std::move(expected), std::move(found));
}

SIGMA_IMPL void Extraction::require(int code) const {
    if (code == 0) return;
    if (code == EEXIST) refuse("a name that no entry before it has", "one");
    if (code == ELOOP || code == ENOTDIR) refuse("a name below directories", "one below a link or file of the archive");
    throw StorageError(sentence(source_, ", ", place_), "to extract it", storage::system_text(code), code);
}

SIGMA_IMPL void Extraction::check_link(const std::string& to, std::size_t depth) const {
    const auto outside = [&] { refuse("a link inside the directory", storage::quotation(to)); };
    if (to.empty() || to.starts_with('/')) outside();
    bool front = true;
    for (std::size_t at = 0; at <= to.size();) {
        const std::size_t end = std::min(to.find('/', at), to.size());
        const std::string_view part = std::string_view(to).substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            front = false;
        } else if (!front || depth-- == 0) {
            outside();
        }
    }
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL std::vector<ArchiveEntry> extract(const Source& source, const std::string& directory, ExtractLimits limits) {
    namespace fs = std::filesystem;
    const fs::path absolute = fs::absolute(directory).lexically_normal();
    const fs::path place = absolute.has_filename() ? absolute : absolute.parent_path();
    if (!place.has_filename())
        throw ArgumentError("extract", "a directory that is not there yet", storage::quotation(directory));
    std::error_code code;
    const auto require = [&](std::string tried) {
        if (code) throw StorageError(directory, std::move(tried), storage::system_text(code.value()), code.value());
    };
    if (fs::symlink_status(place, code).type() != fs::file_type::not_found && !fs::is_empty(place, code))
        throw StorageError(directory, "a directory that is not there yet, or is empty", "one that is not", EEXIST);
    fs::create_directories(place.parent_path(), code);
    require("to create the directory above it");

    storage::remove_stale_trees(place.string());
    const storage::NewTree tree(place.string(), directory);  // locked until it is renamed
    struct Cleanup {
        const std::string& path;
        ~Cleanup() {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    } const cleanup{tree.path()};

    Task task(TaskKind::unpack, source.name());
    const auto entries = detail::open_archive(source, limits.bytes);
    detail::Extraction extraction(source.name(), tree);
    std::vector<ArchiveEntry> all;
    std::size_t bytes = 0;
    while (auto one = entries->next()) {
        if (all.size() == limits.entries)
            throw DataError(source.name(), sentence("entry ", storage::quotation(one->name)),
                            sentence("at most ", limits.entries, " entries"), "more");
        extraction.write(*one, [&](std::span<std::byte> to) {
            const std::size_t count = entries->read(to);
            if (count > limits.bytes - bytes)
                throw DataError(source.name(), sentence("entry ", storage::quotation(one->name)),
                                sentence("at most ", limits.bytes, " bytes in all"), "more");
            bytes += count;
            task.advance(count);
            return count;
        });
        all.push_back(std::move(*one));
    }
    fs::rename(tree.path(), place, code);
    require("to rename its temporary");
    return all;
}

}  // namespace sigma::data
