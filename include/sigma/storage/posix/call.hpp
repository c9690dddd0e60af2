// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/posix/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

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

// A temporary of a file has no name until it is whole, so that a process that is killed leaves none. Where the file
// system has no such files, or a temporary is a directory, it lies beside the file as NAME.PID-N.partial and is locked
// (flock) by whoever writes it. The lock goes with the process, so a temporary that can be locked belongs to nobody:
// unlike a process id, that is also true between containers and machines that share a directory, and when ids are used
// again.
namespace sigma::storage {

/// Tests set it to false, for file systems that have no files without names.
inline std::atomic<bool> files_without_names = true;

/// "net.safetensors.4711-0.partial"; no two calls of one process give the same.
std::string temporary_name(std::string_view name);

/// Is `candidate` a temporary of the file `name`?
bool is_temporary_of(std::string_view candidate, std::string_view name);

/// A new, locked temporary for the file `name`, and its own name. Without one, errno says why.
std::pair<Descriptor, std::string> create_temporary(int directory, std::string_view name, ::mode_t mode);

/// A new, locked file without a name, to which name_temporary can give one; false where there is none.
Descriptor create_unnamed(int directory, std::string_view name, ::mode_t mode);
/// Gives it the name of a temporary, or puts one with its bytes and permissions in its place. Returns the name; without
/// one, errno says why.
std::string name_temporary(Descriptor& unnamed, int directory, std::string_view name);

/// Removes the temporaries of the file `name` whose writers have died. What cannot be removed stays, silently.
void remove_stale_temporaries(int directory, std::string_view name);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/call.ipp>
#endif
