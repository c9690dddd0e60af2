// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/storage/posix/call.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sigma::monitor {

using storage::Descriptor;

inline constexpr int as_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Opens a folder in a folder. Does not follow links.
inline Descriptor folder_in(int folder, const std::string& name) {
    return storage::open_at(folder, name.c_str(), as_folder | O_NOFOLLOW);
}
/// Opens a regular file in a folder. Does not follow links.
inline Descriptor file_in(int folder, const char* name) {
    // O_NONBLOCK: does not wait for a writer if the name is a pipe.
    Descriptor file = storage::open_at(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat found{};
    if (!file || ::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
    return file;
}

/// Reads up to `most` bytes from an offset.
inline std::string_view bytes_from(const Descriptor& file, std::string& into, std::uint64_t offset, std::size_t most) {
    into.resize(most);
    const auto have = storage::read_at(file.number(), offset, std::as_writable_bytes(std::span(into))).first;
    return std::string_view(into).substr(0, have);
}

/// Returns the time of a file's last change in seconds since 1970.
inline double when(const struct stat& file) {
    return static_cast<double>(file.st_mtim.tv_sec) + 1e-9 * static_cast<double>(file.st_mtim.tv_nsec);
}

}  // namespace sigma::monitor
