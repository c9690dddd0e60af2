// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/posix/file.hpp>

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// For bodies: <unistd.h> declares ::pause and much else.
static_assert(sizeof(::off_t) == 8, "64-bit file offsets");

namespace sigma::storage {

/// Repeats a call that a signal has interrupted. Returns what the call returns; below 0, errno says why.
template <class Call>
auto uninterrupted(Call&& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

inline Descriptor open_at(int directory, const char* path, int flags, ::mode_t mode = 0) {
    return Descriptor(uninterrupted([&] { return ::openat(directory, path, flags | O_CLOEXEC, mode); }));
}

}  // namespace sigma::storage
