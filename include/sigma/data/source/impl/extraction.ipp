// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/extraction.hpp>

#include <algorithm>
#include <system_error>

#include <sys/file.h>

namespace sigma::data::detail {

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

SIGMA_IMPL bool is_open_at(const storage::Descriptor& directory, const std::filesystem::path& path) {
    struct ::stat open {
    }, there{};
    return ::fstat(directory.number(), &open) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

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
