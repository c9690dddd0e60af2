// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace sigma::storage {

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

enum class Opening {
    plain,
    at_once,         ///< without waiting for who writes to a pipe of that name
    without_a_link,  ///< at once, and not where the last part of the path is a symbolic link
};
/// The file or directory at a path, to be read; where there is none, errno says why.
Descriptor open_to_read(const std::string& path, Opening how = Opening::plain);

struct FileState {
    bool is_file = false, is_directory = false, is_link = false;
    std::uint64_t size = 0;
    std::int64_t modified = 0;  ///< nanoseconds since 1970
};
/// Each is false where errno says why not. With `links` the file at the end of a symbolic link.
bool look_at(const Descriptor& file, FileState& found);
bool look_at(const std::string& path, FileState& found, bool links = true);

/// A text that is another one when the file is: its length, when it was last changed, to the nanosecond, and which file
/// of the disk it is. Zeros where there is no file; then errno says why.
std::string file_identity(const std::string& path, bool& found);

/// Removes a temporary of a file (temporary.hpp) whose writer has died.
void remove_if_stale(const std::string& path);

/// 0, or errno. The system may take less than it was given, because of a signal, a limit, or its own 2 GiB.
int write_all(int file, std::span<const std::byte> bytes);

/// The bytes read at `offset` of the file, fewer than asked only where the file ends, and errno or 0.
std::pair<std::size_t, int> read_at(int file, std::uint64_t offset, std::span<std::byte> to);
/// The same from where the last such call has ended.
std::pair<std::size_t, int> read_next(int file, std::span<std::byte> to);

/// The file will be read from its beginning to its end.
void expect_in_order(const Descriptor& file);
/// It was used just now.
void touch(const Descriptor& file);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/file.ipp>
#endif
