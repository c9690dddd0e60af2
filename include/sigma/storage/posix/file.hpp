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

namespace sigma {

/// A file that is replaced as a whole or not at all: what is written goes to a temporary in the same directory, and
/// commit() puts it in the place of the file once the disk has it. Whatever happens before, also the end of the process
/// or of the machine, leaves the file as it was, and on most file systems nothing else (see `storage::create_unnamed`);
/// without a commit the temporary is removed.
///
///     AtomicFile file("net.safetensors");
///     file.write(bytes);
///     file.commit();
///
/// A symbolic link stays, and the file that it points at is replaced, or made where there is none yet. The file keeps
/// its permissions; one without write permission is not replaced. Everything throws StorageError. To be used by one
/// thread; several threads and processes may replace the same file at once, each as a whole.
class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile() { abandon(); }

    const std::string& path() const& { return path_; }
    std::string path() && { return path_; }

    void write(std::span<const std::byte> bytes);

    /// Returns when the disk has the new file under its name. Removes temporaries of the same file whose writers died.
    void commit();

private:
    static int sync(const storage::Descriptor& what);

    /// The directory stays open, so that a later change of the working directory changes nothing.
    void find_place();

    /// The path that a link comes to, by way of others, where nothing is yet.
    std::string end_of_links(std::string path);

    /// Those of the file that is replaced; 0 where there is none.
    unsigned permissions() const;

    void require_open() const;

    [[noreturn]] void fail(const char* tried, int code);

    void abandon() noexcept;

    std::string path_, name_, temporary_;
    storage::Descriptor directory_, file_;
};

}  // namespace sigma

namespace sigma::storage {

/// Files below a new directory, which is locked so that no process takes it for left behind. Every directory on the way
/// is opened without following links, so that nothing is written through a link that was made before. Names are in
/// parts. What returns a number returns 0 or errno: EEXIST where the name is taken, ELOOP or ENOTDIR where a link or a
/// file is on the way.
class NewTree {
public:
    using Parts = std::span<const std::string>;

    /// A temporary beside `place`; `shown` is what errors call it. Throws StorageError.
    NewTree(const std::string& place, const std::string& shown);

    const std::string& path() const { return path_; }

    int make_directory(Parts parts) const;
    int make_link(Parts parts, const std::string& to) const;
    /// Another name of a file; `is_file` says whether it is one.
    int make_hard_link(Parts parts, Parts to, bool& is_file) const;
    /// A new file, to be written.
    std::pair<Descriptor, int> make_file(Parts parts, bool executable) const;

private:
    /// Opens the directory of the parts but so many; makes what is not there. Without one, errno says why.
    Descriptor open_directory(Parts parts, std::size_t but) const;

    std::string path_;
    Descriptor root_;
};

/// Removes the trees beside `place` whose processes died. What cannot be removed stays, silently.
void remove_stale_trees(const std::string& place);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/file.ipp>
#endif
