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

// Include this header only in .ipp files: <unistd.h> declares ::pause and much else.
static_assert(sizeof(::off_t) == 8, "64-bit file offsets");

/// @cond internal
namespace sigma::storage {

/// Repeats a call until no signal interrupts it, and returns its result. If the result is negative, errno has the
/// reason.
template <class Call>
auto uninterrupted(Call&& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

inline Descriptor open_at(int directory, const char* path, int flags, ::mode_t mode = 0) {
    return Descriptor(uninterrupted([&] { return ::openat(directory, path, flags | O_CLOEXEC, mode); }));
}

// A temporary file has no name until it is complete, so that a killed process leaves none. If the file system has no
// files without names, or if the temporary is a directory, it lies beside the file as NAME.PID-N.partial and its writer
// locks it (flock). The lock ends with the process, so a temporary that can be locked is abandoned. Unlike a process
// id, a lock also works between containers and machines that share a directory, and when ids are reused.

/// True to use files without names. Tests set it to false to act as file systems that have none.
inline std::atomic<bool> files_without_names = true;

/// Returns a new name for each call: "net.safetensors.4711-0.partial".
std::string temporary_name(std::string_view name);

/// Returns whether `candidate` is the name of a temporary of the file `name`.
bool is_temporary_of(std::string_view candidate, std::string_view name);

/// Creates and locks a temporary for the file `name`, and returns it with its name. If it is false, errno has the
/// reason.
std::pair<Descriptor, std::string> create_temporary(int directory, std::string_view name, ::mode_t mode);

/// Creates and locks a file without a name, which name_temporary can name. The result is false on failure.
Descriptor create_unnamed(int directory, std::string_view name, ::mode_t mode);
/// Gives the file the name of a temporary, or replaces it by a named copy with its bytes and permissions. Returns the
/// name; if it is empty, errno has the reason.
std::string name_temporary(Descriptor& unnamed, int directory, std::string_view name);

/// Removes the temporaries of the file `name` with dead writers. Ignores failures.
void remove_stale_temporaries(int directory, std::string_view name);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/call.ipp>
#endif
