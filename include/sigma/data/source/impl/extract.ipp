// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/extract.hpp>
#include <sigma/data/source/unpacking.hpp>
#include <sigma/storage/temporary.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <sys/file.h>

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

/// Writes entries below an open directory. Every directory on the way is opened without following links, so that no
/// entry is written through a link that another one has made.
class Extraction {
public:
    Extraction(std::string source, storage::Descriptor root) : source_(std::move(source)), root_(std::move(root)) {}

    /// `data(buffer)` gives the bytes of a file until it returns 0.
    template <class Data>
    void write(const ArchiveEntry& entry, const Data& data) {
        using enum ArchiveEntry::Kind;
        place_ = sentence("entry ", storage::quotation(entry.name));
        std::vector<std::string> parts = entry_parts(source_, place_, entry.name);
        if (entry.kind == directory) {
            open_directory(parts, parts.size());
            return;
        }
        if (entry.kind == other) refuse("a file, directory or link", "a device or pipe");
        if (parts.empty()) refuse("a name inside the directory", "the directory itself");
        const storage::Descriptor parent = open_directory(parts, parts.size() - 1);
        const char* const name = parts.back().c_str();
        if (entry.kind == symbolic_link) {
            check_link(entry.link, parts.size() - 1);
            require(::symlinkat(entry.link.c_str(), parent.number(), name) == 0);
        } else if (entry.kind == hard_link) {
            const std::vector<std::string> to = entry_parts(source_, place_, entry.link);
            if (to.empty()) refuse("a link to a file of the archive", "one to the directory itself");
            const storage::Descriptor from = open_directory(to, to.size() - 1);
            struct ::stat found{};
            if (::fstatat(from.number(), to.back().c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
                !S_ISREG(found.st_mode))
                refuse("a link to a file that comes before it in the archive", storage::quotation(entry.link));
            require(::linkat(from.number(), to.back().c_str(), parent.number(), name, 0) == 0);
        } else {
            storage::Descriptor file = storage::open_at(parent.number(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                                                        entry.executable ? 0777 : 0666);
            require(bool(file));
            while (const std::size_t count = data(std::span(buffer_)))
                if (const int code = storage::write_all(file.number(), std::span(buffer_).first(count)); code != 0)
                    refuse_system(code);
            if (const int code = file.close(); code != 0) refuse_system(code);
        }
    }

private:
    [[noreturn]] void refuse(std::string expected, std::string found) const;
    [[noreturn]] void refuse_system(int code) const;
    void require(bool done) const;
    /// Opens the directory of the first `count` parts; makes what is not there.
    storage::Descriptor open_directory(const std::vector<std::string>& parts, std::size_t count) const;
    /// `depth` directories lie between the link and the root. ".." may only stand in front: behind a name, that name
    /// may be a link itself, and what its ".." is depends on it.
    void check_link(const std::string& to, std::size_t depth) const;

    std::string source_;
    storage::Descriptor root_;
    std::string place_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
};

SIGMA_IMPL void Extraction::refuse(std::string expected, std::string found) const {
    throw DataError(source_, place_, std::move(expected), std::move(found));
}

SIGMA_IMPL void Extraction::refuse_system(int code) const {
    if (code == EEXIST) refuse("a name that no entry before it has", "one");
    if (code == ELOOP || code == ENOTDIR) refuse("a name below directories", "one below a link or file of the archive");
    throw StorageError(sentence(source_, ", ", place_), "to extract it", storage::system_text(code), code);
}

SIGMA_IMPL void Extraction::require(bool done) const {
    if (!done) refuse_system(errno);
}

SIGMA_IMPL storage::Descriptor Extraction::open_directory(const std::vector<std::string>& parts,
                                                          std::size_t count) const {
    storage::Descriptor now(::fcntl(root_.number(), F_DUPFD_CLOEXEC, 0));
    require(bool(now));
    for (std::size_t i = 0; i < count; ++i) {
        if (::mkdirat(now.number(), parts[i].c_str(), 0777) != 0 && errno != EEXIST) refuse_system(errno);
        storage::Descriptor next =
            storage::open_at(now.number(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        require(bool(next));
        now = std::move(next);
    }
    return now;
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

/// Is this the open directory?
SIGMA_IMPL bool is_open_at(const storage::Descriptor& directory, const std::filesystem::path& path) {
    struct ::stat open{}, there{};
    return ::fstat(directory.number(), &open) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/// Removes what extractions into this place have left whose processes died: a temporary is locked while it is written.
/// What cannot be removed stays, silently.
SIGMA_IMPL void remove_stale_extractions(const std::filesystem::path& place) {
    namespace fs = std::filesystem;
    std::error_code code, ignored;
    for (fs::directory_iterator at(place.parent_path(), code), end; !code && at != end; at.increment(code)) {
        const fs::path& path = at->path();
        if (!storage::is_temporary_of(path.filename().string(), place.filename().string())) continue;
        const storage::Descriptor found = storage::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (found && ::flock(found.number(), LOCK_EX | LOCK_NB) == 0 && is_open_at(found, path))
            fs::remove_all(path, ignored);
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

    detail::remove_stale_extractions(place);
    fs::path temporary;
    storage::Descriptor root;
    do {  // until it is locked before another process takes it for left behind
        temporary = place.parent_path() / storage::temporary_name(place.filename().string());
        if (!fs::create_directory(temporary, code) && !code) continue;  // left by a process that had the same id
        require("to create a temporary beside it");
        root = storage::open_at(AT_FDCWD, temporary.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (root) storage::uninterrupted([&] { return ::flock(root.number(), LOCK_EX); });
        else if (errno != ENOENT) code.assign(errno, std::generic_category());
        require("to open its temporary");
    } while (!detail::is_open_at(root, temporary));
    struct Cleanup {
        const fs::path& path;
        ~Cleanup() {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    } const cleanup{temporary};

    Task task(TaskKind::unpack, source.name());
    const auto entries = detail::open_archive(source, limits.bytes);
    detail::Extraction extraction(source.name(), std::move(root));  // which keeps the lock until it is renamed
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
    fs::rename(temporary, place, code);
    require("to rename its temporary");
    return all;
}

}  // namespace sigma::data
