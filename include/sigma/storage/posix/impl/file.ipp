// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/posix/file.hpp>
#include <sigma/storage/workspace.hpp>

#include <sys/file.h>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>

namespace sigma::storage {

SIGMA_IMPL Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

SIGMA_IMPL int Descriptor::close() {
    if (number_ < 0) return 0;
    return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

SIGMA_IMPL Descriptor open_to_read(const std::string& path, Opening how) {
    const int flags = how == Opening::plain ? 0 : how == Opening::at_once ? O_NONBLOCK : O_NONBLOCK | O_NOFOLLOW;
    return open_at(AT_FDCWD, path.c_str(), O_RDONLY | flags);
}

SIGMA_IMPL FileState state_of(const struct ::stat& found) {
    return {S_ISREG(found.st_mode), S_ISDIR(found.st_mode), S_ISLNK(found.st_mode),
            static_cast<std::uint64_t>(found.st_size),
            std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

SIGMA_IMPL bool look_at(const Descriptor& file, FileState& found) {
    struct ::stat state{};
    if (::fstat(file.number(), &state) != 0) return false;
    found = state_of(state);
    return true;
}

SIGMA_IMPL bool look_at(const std::string& path, FileState& found, bool links) {
    struct ::stat state{};
    if ((links ? ::stat(path.c_str(), &state) : ::lstat(path.c_str(), &state)) != 0) return false;
    found = state_of(state);
    return true;
}

SIGMA_IMPL std::string file_identity(const std::string& path, bool& found) {
    struct ::stat state{};
    found = ::stat(path.c_str(), &state) == 0;
    // The time of the last change of state also detects a replacement that restored the time of modification.
    return sentence(state.st_size, ':', state.st_mtim.tv_sec, '.', state.st_mtim.tv_nsec, ':', state.st_ctim.tv_sec,
                    '.', state.st_ctim.tv_nsec, ':', state.st_ino);
}

SIGMA_IMPL void remove_if_stale(const std::string& path) {
    const Descriptor open = open_to_read(path, Opening::without_a_link);
    if (open && ::flock(open.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

SIGMA_IMPL int write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t count = uninterrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
        if (count < 0) return errno;
        if (count == 0) return ENOSPC;  // files never return 0, but without this line the loop might not end
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return 0;
}

/// Calls read(memory, bytes, bytes read before) until everything has been read or the file ends.
template <class Read>
std::pair<std::size_t, int> read_all(std::span<std::byte> to, Read read) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ::ssize_t count = uninterrupted([&] { return read(to.data() + done, to.size() - done, done); });
        if (count < 0) return {done, errno};
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return {done, 0};
}

SIGMA_IMPL std::pair<std::size_t, int> read_at(int file, std::uint64_t offset, std::span<std::byte> to) {
    return read_all(to, [&](std::byte* into, std::size_t bytes, std::size_t done) {
        return ::pread(file, into, bytes, static_cast<::off_t>(offset + done));
    });
}

SIGMA_IMPL std::pair<std::size_t, int> read_next(int file, std::span<std::byte> to) {
    return read_all(to, [&](std::byte* into, std::size_t bytes, std::size_t) { return ::read(file, into, bytes); });
}

SIGMA_IMPL void expect_in_order([[maybe_unused]] const Descriptor& file) {
#ifdef POSIX_FADV_SEQUENTIAL
    ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

SIGMA_IMPL void touch(const Descriptor& file) { ::futimens(file.number(), nullptr); }

/// Returns whether the path is that of the open directory.
SIGMA_IMPL bool is_open_at(const Descriptor& directory, const std::string& path) {
    struct ::stat open{}, there{};
    return ::fstat(directory.number(), &open) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

SIGMA_IMPL NewTree::NewTree(const std::string& place, const std::string& shown) {
    const std::filesystem::path wanted = place;
    do {  // until it is locked before another process removes it as abandoned
        path_ = (wanted.parent_path() / temporary_name(wanted.filename().string())).string();
        if (::mkdir(path_.c_str(), 0777) != 0) {
            if (errno == EEXIST) continue;  // left by a process with the same id
            throw StorageError(shown, "to create a temporary file next to it", system_text(errno), errno);
        }
        root_ = open_at(AT_FDCWD, path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (root_) uninterrupted([&] { return ::flock(root_.number(), LOCK_EX); });
        else if (errno != ENOENT) throw StorageError(shown, "to open its temporary file", system_text(errno), errno);
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

namespace sigma {

SIGMA_IMPL AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    find_place();
    const ::mode_t mode = permissions();
    const bool replaces = mode != 0;
    const ::mode_t at_first = replaces ? mode & S_IRWXU : 0666;
    file_ = storage::create_unnamed(directory_.number(), name_, at_first);
    if (!file_) std::tie(file_, temporary_) = storage::create_temporary(directory_.number(), name_, at_first);
    if (!file_) fail("to create a temporary file next to it", errno);
    if (replaces && ::fchmod(file_.number(), mode) != 0) fail("to give its permissions to a temporary file", errno);
}

SIGMA_IMPL void AtomicFile::write(std::span<const std::byte> bytes) {
    require_open();
    if (const int code = storage::write_all(file_.number(), bytes); code != 0)
        fail("to write its temporary file", code);
}

SIGMA_IMPL void AtomicFile::commit() {
    require_open();
    if (sync(file_) != 0) fail("to sync its temporary file", errno);
    if (temporary_.empty()) temporary_ = storage::name_temporary(file_, directory_.number(), name_);
    if (temporary_.empty()) fail("to create a temporary file next to it", errno);
    // Rename before closing: the lock must not end before the name of the temporary does.
    if (::renameat(directory_.number(), temporary_.c_str(), directory_.number(), name_.c_str()) != 0)
        fail("to rename its temporary file", errno);
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
    if (path_.find('\0') != path_.npos)
        throw StorageError(path_.c_str(), "a path without zero bytes", "one after this text");
    if (path_.empty() || path_.back() == '/')
        throw StorageError(path_, "the path of a file", sentence("'", path_, "'"));
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
    if ((mode & 0222) == 0) throw StorageError(path_, "a writable file", "a read-only file", EACCES);
    return mode;
}

SIGMA_IMPL void AtomicFile::require_open() const {
    if (!file_) throw StorageError(path_, "to write it", "it was committed or has failed before");
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
