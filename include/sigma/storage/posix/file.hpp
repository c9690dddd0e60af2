// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Files that are replaced as a whole: AtomicFile. Included by `<sigma/storage/file.hpp>`.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

/// @cond internal
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

    /// Closes the file. Returns 0 or errno. Linux closes it even if a signal interrupted the call.
    int close();

private:
    int number_ = -1;
};

enum class Opening {
    plain,
    at_once,         ///< returns at once if the path names a pipe without a writer
    without_a_link,  ///< returns at once, and fails if the last part of the path is a symbolic link
};
/// Opens a file or directory for reading. If the result is false, errno has the reason.
Descriptor open_to_read(const std::string& path, Opening how = Opening::plain);

struct FileState {
    bool is_file = false, is_directory = false, is_link = false;
    std::uint64_t size = 0;
    std::int64_t modified = 0;  ///< nanoseconds since 1970
};
/// Gets the state of an open file. Returns false and sets errno on failure.
bool look_at(const Descriptor& file, FileState& found);
/// Gets the state of a file; with `links` that of the file at the end of a symbolic link. Returns false and sets errno
/// on failure.
bool look_at(const std::string& path, FileState& found, bool links = true);

/// Returns a text that changes whenever the file changes: its length, the time of its last change in nanoseconds, and
/// its number on the disk. Zeros if there is no file; errno then has the reason.
std::string file_identity(const std::string& path, bool& found);

/// Removes a temporary file with a dead writer.
void remove_if_stale(const std::string& path);

/// Writes all bytes and returns 0 or errno. One call of the system may write fewer: because of a signal, a limit, or
/// its maximum of 2 GiB.
int write_all(int file, std::span<const std::byte> bytes);

/// Reads from an offset of the file. Returns the number of bytes, smaller than requested only at the end of the file,
/// and errno or 0.
std::pair<std::size_t, int> read_at(int file, std::uint64_t offset, std::span<std::byte> to);
/// Reads on from the end of the previous call. Returns the number of bytes, smaller than requested only at the end of
/// the file, and errno or 0.
std::pair<std::size_t, int> read_next(int file, std::span<std::byte> to);

/// Advises the system that the file will be read from its beginning to its end.
void expect_in_order(const Descriptor& file);
/// Sets the time of the last use of a file to now.
void touch(const Descriptor& file);

}  // namespace sigma::storage
/// @endcond

namespace sigma {

/// A file that is replaced as a whole or not at all.
///
/// Your bytes go to a temporary file in the same directory. `commit` writes it to the disk and puts it in the place of
/// the file. If anything fails before, even the process or the machine, the file is unchanged. Without a commit the
/// destructor removes the temporary file.
///
/// If the path is a symbolic link, the file that it points to is replaced or created. The file keeps its permissions. A
/// file without write permission is not replaced. Use each object from one thread. Several threads and processes may
/// replace the same file at once.
///
/// @par Example
/// @code
/// const std::vector<std::byte> bytes(1000);
/// AtomicFile file("net.bin");
/// file.write(bytes);
/// file.commit();
/// @endcode
///
/// @see write_file_atomically
class AtomicFile {
public:
    /// Creates a temporary file beside a file.
    /// @param path  path of the file to replace or create
    /// @throws StorageError  if the path is not that of a file that may be written, or if the temporary file cannot be
    ///                       created
    // On most file systems the temporary file has no name, so that a crash leaves nothing (storage::create_unnamed).
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Removes the temporary file unless it was committed.
    ~AtomicFile() { abandon(); }

    /// Returns the path of the file.
    /// @return the path of the file
    const std::string& path() const& { return path_; }
    /// Returns a copy of the path.
    /// @return a copy of the path
    std::string path() && { return path_; }

    /// Appends bytes to the temporary file.
    /// @param bytes  bytes to write
    /// @throws StorageError  if they cannot be written, or after a commit or an earlier error
    void write(std::span<const std::byte> bytes);

    /// Replaces the file by the temporary file, and returns when the disk has it. Also removes temporary files of the
    /// same file with dead writers.
    /// @throws StorageError  if the file cannot be replaced, or after a commit or an earlier error
    void commit();

private:
    static int sync(const storage::Descriptor& what);

    /// Opens the directory, so that a later change of the working directory has no effect.
    void find_place();

    /// Returns the path at the end of a chain of links to a file that does not exist yet.
    std::string end_of_links(std::string path);

    /// Returns the permissions of the file to replace; 0 if it does not exist.
    unsigned permissions() const;

    void require_open() const;

    [[noreturn]] void fail(const char* tried, int code);

    void abandon() noexcept;

    std::string path_, name_, temporary_;
    storage::Descriptor directory_, file_;
};

}  // namespace sigma

/// @cond internal
namespace sigma::storage {

/// A new directory for files. It is locked, so that no process considers it abandoned. Every directory on a path is
/// opened without following links, so that nothing is written through a link. Names are in parts. Functions that return
/// a number return 0 or errno: EEXIST if the name exists, ELOOP or ENOTDIR if a link or a file is on the path.
class NewTree {
public:
    using Parts = std::span<const std::string>;

    /// Creates a temporary directory beside `place`. Error texts name it `shown`. Throws StorageError.
    NewTree(const std::string& place, const std::string& shown);

    const std::string& path() const { return path_; }

    int make_directory(Parts parts) const;
    int make_link(Parts parts, const std::string& to) const;
    /// Creates another name of a file, and sets `is_file` to whether it is a file.
    int make_hard_link(Parts parts, Parts to, bool& is_file) const;
    /// Creates a file and opens it for writing.
    std::pair<Descriptor, int> make_file(Parts parts, bool executable) const;

private:
    /// Opens the directory of the parts without the last `but`, and creates missing directories. If the result is
    /// false, errno has the reason.
    Descriptor open_directory(Parts parts, std::size_t but) const;

    std::string path_;
    Descriptor root_;
};

/// Removes the trees beside `place` of dead processes. Ignores failures.
void remove_stale_trees(const std::string& place);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/file.ipp>
#endif
