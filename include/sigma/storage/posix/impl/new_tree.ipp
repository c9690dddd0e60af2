// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/posix/new_tree.hpp>
#include <sigma/storage/posix/temporary.hpp>

#include <filesystem>
#include <system_error>

#include <sys/file.h>

namespace sigma::storage {

/// Is this the open directory?
SIGMA_IMPL bool is_open_at(const Descriptor& directory, const std::string& path) {
    struct ::stat open{}, there{};
    return ::fstat(directory.number(), &open) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

SIGMA_IMPL NewTree::NewTree(const std::string& place, const std::string& shown) {
    const std::filesystem::path wanted = place;
    do {  // until it is locked before another process takes it for left behind
        path_ = (wanted.parent_path() / temporary_name(wanted.filename().string())).string();
        if (::mkdir(path_.c_str(), 0777) != 0) {
            if (errno == EEXIST) continue;  // left by a process that had the same id
            throw StorageError(shown, "to create a temporary beside it", system_text(errno), errno);
        }
        root_ = open_at(AT_FDCWD, path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (root_) uninterrupted([&] { return ::flock(root_.number(), LOCK_EX); });
        else if (errno != ENOENT) throw StorageError(shown, "to open its temporary", system_text(errno), errno);
    } while (!is_open_at(root_, path_));
}

SIGMA_IMPL Descriptor NewTree::open_directory(Parts parts, std::size_t but) const {
    Descriptor now(::fcntl(root_.number(), F_DUPFD_CLOEXEC, 0));
    for (const std::string& part : parts.first(parts.size() - but)) {
        if (!now || (::mkdirat(now.number(), part.c_str(), 0777) != 0 && errno != EEXIST)) return {};
        now = open_at(now.number(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    }
    return now;
}

SIGMA_IMPL int NewTree::make_directory(Parts parts) const { return open_directory(parts, 0) ? 0 : errno; }

SIGMA_IMPL int NewTree::make_link(Parts parts, const std::string& to) const {
    const Descriptor parent = open_directory(parts, 1);
    return parent && ::symlinkat(to.c_str(), parent.number(), parts.back().c_str()) == 0 ? 0 : errno;
}

SIGMA_IMPL int NewTree::make_hard_link(Parts parts, Parts to, bool& is_file) const {
    is_file = true;
    const Descriptor parent = open_directory(parts, 1);
    if (!parent) return errno;
    const Descriptor from = open_directory(to, 1);
    if (!from) return errno;
    struct ::stat found{};
    is_file = ::fstatat(from.number(), to.back().c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode);
    if (!is_file) return ENOENT;
    return ::linkat(from.number(), to.back().c_str(), parent.number(), parts.back().c_str(), 0) == 0 ? 0 : errno;
}

SIGMA_IMPL std::pair<Descriptor, int> NewTree::make_file(Parts parts, bool executable) const {
    const Descriptor parent = open_directory(parts, 1);
    if (!parent) return {Descriptor(), errno};
    Descriptor file = open_at(parent.number(), parts.back().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                              executable ? 0777 : 0666);
    const int code = file ? 0 : errno;
    return {std::move(file), code};
}

SIGMA_IMPL void remove_stale_trees(const std::string& place) {
    namespace fs = std::filesystem;
    const fs::path wanted = place;
    std::error_code code, ignored;
    for (fs::directory_iterator at(wanted.parent_path(), code), end; !code && at != end; at.increment(code)) {
        const fs::path& path = at->path();
        if (!is_temporary_of(path.filename().string(), wanted.filename().string())) continue;
        const Descriptor found = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (found && ::flock(found.number(), LOCK_EX | LOCK_NB) == 0 && is_open_at(found, path.string()))
            fs::remove_all(path, ignored);
    }
}

}  // namespace sigma::storage
