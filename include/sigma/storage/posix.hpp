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
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

    /// 0, or errno. Linux has closed the file even where it says that a signal came.
    int close();

private:
    int number_ = -1;
};

Descriptor open_at(int directory, const char* path, int flags, ::mode_t mode = 0);

/// 0, or errno. The system may take less than it was given, because of a signal, a limit, or its own 2 GiB.
int write_all(int file, std::span<const std::byte> bytes);

/// The bytes read at `offset` of the file, fewer than asked only where the file ends, and errno or 0.
std::pair<std::size_t, int> read_at(int file, std::uint64_t offset, std::span<std::byte> to);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/posix.ipp>
#endif
