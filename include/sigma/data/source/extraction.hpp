// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/task.hpp>
#include <sigma/data/source/unpacking.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/temporary.hpp>

#include <cstdio>
#include <filesystem>

namespace sigma::data {

namespace detail {

/// "a/b" as its parts. Throws DataError for names that lead out of the directory or say nothing.
std::vector<std::string> entry_parts(const std::string& source, const std::string& place, const std::string& name);

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
            struct ::stat found {};
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

/// Is this the open directory?
bool is_open_at(const storage::Descriptor& directory, const std::filesystem::path& path);
/// Removes what extractions into this place have left whose processes died: a temporary is locked while it is written.
/// What cannot be removed stays, silently.
void remove_stale_extractions(const std::filesystem::path& place);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/extraction.ipp>
#endif
