// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/posix/atomic_file.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/posix/temporary.hpp>
#include <sigma/storage/workspace.hpp>

#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

namespace sigma {

SIGMA_IMPL AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    find_place();
    const ::mode_t mode = permissions();
    const bool replaces = mode != 0;
    std::tie(file_, temporary_) =
        storage::create_temporary(directory_.number(), name_, replaces ? mode & S_IRWXU : 0666);
    if (!file_) fail("to create a temporary beside it", errno);
    if (replaces && ::fchmod(file_.number(), mode) != 0) fail("to give its permissions to a temporary", errno);
}

SIGMA_IMPL void AtomicFile::write(std::span<const std::byte> bytes) {
    require_open();
    if (const int code = storage::write_all(file_.number(), bytes); code != 0) fail("to write its temporary", code);
}

SIGMA_IMPL void AtomicFile::commit() {
    require_open();
    if (sync(file_) != 0) fail("to sync its temporary", errno);
    // The rename comes before the file is closed: its lock must not go before the temporary's name does.
    if (::renameat(directory_.number(), temporary_.c_str(), directory_.number(), name_.c_str()) != 0)
        fail("to rename its temporary", errno);
    temporary_.clear();
    file_.close();  // the sync has reported what could still fail here
    // Some file systems cannot sync directories.
    if (sync(directory_) != 0 && errno != EINVAL && errno != ENOTSUP)
        throw StorageError(path_, "to sync its directory after it was replaced", storage::system_text(errno), errno);
    storage::remove_stale_temporaries(directory_.number(), name_);
}

SIGMA_IMPL int AtomicFile::sync(const storage::Descriptor& what) {
    return storage::uninterrupted([&] { return ::fsync(what.number()); });
}

SIGMA_IMPL void AtomicFile::find_place() {
    if (path_.find('\0') != path_.npos) throw StorageError(path_.c_str(), "a path without zeros", "one after this");
    if (path_.empty() || path_.back() == '/') throw StorageError(path_, "the path of a file", "none");
    std::string path = path_;
    struct ::stat found{};
    if (::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode)) {
        char* const target = ::realpath(path.c_str(), nullptr);
        if (target != nullptr) path = target;
        else if (errno == ENOENT) path = end_of_links(path);
        else fail("to follow a symbolic link", errno);
        std::free(target);
    }
    const std::size_t slash = path.rfind('/');
    name_ = path.substr(slash + 1);  // npos + 1 is 0
    const std::string directory = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    directory_ = storage::open_at(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY);
    if (!directory_) fail("to open its directory", errno);
}

SIGMA_IMPL std::string AtomicFile::end_of_links(std::string path) {
    std::string target(4096, '\0');
    struct ::stat found{};
    for (int links = 0; ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode); ++links) {
        const ::ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
        if (size < 0 || links == 40) fail("to follow a symbolic link", size < 0 ? errno : ELOOP);
        const std::string_view to(target.data(), static_cast<std::size_t>(size));
        if (to.ends_with('/')) fail("to follow a symbolic link", EISDIR);
        path = sentence(to.starts_with('/') ? "" : path.substr(0, path.rfind('/') + 1), to);
    }
    return path;
}

SIGMA_IMPL unsigned AtomicFile::permissions() const {
    struct ::stat found{};
    if (::fstatat(directory_.number(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return 0;
        throw StorageError(path_, "to look at it", storage::system_text(errno), errno);
    }
    if (S_ISDIR(found.st_mode)) throw StorageError(path_, "a file", "a directory", EISDIR);
    if (!S_ISREG(found.st_mode)) throw StorageError(path_, "a file", "a device, pipe or socket");
    const ::mode_t mode = found.st_mode & 0777;
    if ((mode & 0222) == 0)
        throw StorageError(path_, "a file that may be written", "one that may only be read", EACCES);
    return mode;
}

SIGMA_IMPL void AtomicFile::require_open() const {
    if (!file_) throw StorageError(path_, "to write a file only before it is committed or has failed", "a later call");
}

SIGMA_IMPL void AtomicFile::fail(const char* tried, int code) {
    abandon();
    throw StorageError(path_, tried, storage::system_text(code), code);
}

SIGMA_IMPL void AtomicFile::abandon() noexcept {
    if (!temporary_.empty()) ::unlinkat(directory_.number(), temporary_.c_str(), 0);
    temporary_.clear();
    file_.close();
}

}  // namespace sigma
