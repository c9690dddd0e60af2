// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/posix/file.hpp>

#include <sys/file.h>

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
    // The second time also tells of bytes that were replaced with the first time set back.
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
        if (count == 0) return ENOSPC;  // no file does this; without it the loop would not end
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return 0;
}

/// `read` takes where to and how much, and what was read before, until all is there or the file has ended.
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

}  // namespace sigma::storage
