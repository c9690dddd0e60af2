// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// <unistd.h> declares ::pause and much else. <atomic> and <thread> of libstdc++ include it too, so that a program with
// Sigma in it has these names in any case.
static_assert(sizeof(::off_t) == 8, "64-bit file offsets");

namespace sigma::storage {

/// Repeats a call that a signal has interrupted. Returns what the call returns; below 0, errno says why.
template <class Call>
auto uninterrupted(Call&& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

/// An open file or directory, closed at the end.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { close(); }

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

    /// 0, or errno. Linux has closed the file even where it says that a signal came.
    int close() {
        if (number_ < 0) return 0;
        return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
    }

private:
    int number_ = -1;
};

inline Descriptor open_at(int directory, const char* path, int flags, ::mode_t mode = 0) {
    return Descriptor(uninterrupted([&] { return ::openat(directory, path, flags | O_CLOEXEC, mode); }));
}

/// 0, or errno. The system may take less than it was given, because of a signal, a limit, or its own 2 GiB.
inline int write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t count = uninterrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
        if (count < 0) return errno;
        if (count == 0) return ENOSPC;  // no file does this; without it the loop would not end
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return 0;
}

/// The bytes read at `offset` of the file, fewer than asked only where the file ends, and errno or 0.
inline std::pair<std::size_t, int> read_at(int file, std::uint64_t offset, std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ::ssize_t count = uninterrupted(
            [&] { return ::pread(file, to.data() + done, to.size() - done, static_cast<::off_t>(offset + done)); });
        if (count < 0) return {done, errno};
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return {done, 0};
}

}  // namespace sigma::storage
