// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Sources of bytes: `file`, `memory`, and the first of several. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/storage/file.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

/// Bytes one after the other, from their beginning, once.
///
/// @see Source::open
class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// Fills memory with the next bytes.
    /// @param to  memory to fill
    /// @return how many bytes it wrote; 0 only at the end
    /// @throws DataError  if the bytes cannot be read
    virtual std::size_t read(std::span<std::byte> to) = 0;
};

/// The base class of sources, for a source of your own. Several threads may open one source.
///
/// @see Source, docs/sources.md
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Returns the name in errors: a path, an address.
    virtual std::string name() const = 0;
    /// Returns whether the bytes exist. May send a request over the network.
    virtual bool exists() const = 0;
    /// Opens the source at its first byte.
    /// @return the stream
    /// @throws DataError  if it cannot be opened
    virtual std::unique_ptr<ByteStream> open() const = 0;
    /// Returns a text that changes when the bytes change: path, length and time of change of a file, or a digest of
    /// memory. Caches use it as a part of their keys.
    virtual std::string key() const = 0;
    /// Returns the path of the file that holds exactly these bytes, if there is one.
    virtual std::optional<std::string> path() const { return {}; }
};

/// A handle to a source of bytes: a file, memory, an address, or the first of several that can be opened.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source source = file("iris.data") | url("https://archive.example.org/iris.data");
/// const std::string text = read_text(source);
/// @endcode
///
/// @see file, memory, url, unpacked, docs/sources.md
class Source {
public:
    /// Constructs a handle to a source of your own.
    /// @param source  the source
    explicit Source(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

    /// Returns the name in errors: a path, an address.
    std::string name() const { return source_->name(); }
    /// Returns whether the bytes exist. May send a request over the network.
    bool exists() const { return source_->exists(); }
    /// Opens the source at its first byte.
    /// @return the stream
    /// @throws DataError  if it cannot be opened
    std::unique_ptr<ByteStream> open() const { return source_->open(); }
    /// Returns a text that changes when the bytes change.
    std::string key() const { return source_->key(); }
    /// Returns the path of the file that holds exactly these bytes, if there is one.
    std::optional<std::string> path() const { return source_->path(); }
    /// Returns the source itself.
    const std::shared_ptr<const ByteSource>& shared() const& { return source_; }
    /// @copydoc shared
    std::shared_ptr<const ByteSource> shared() && { return source_; }

private:
    std::shared_ptr<const ByteSource> source_;
};

/// @cond internal
/// The file of hooks, `sigma::file("a.csv")`, which is no source.
template <class Name>
concept HookFile = requires(const Name& name) { name.fixed(); } && !std::is_convertible_v<Name, Source>;
/// @endcond

/// Returns a source that opens the first of two that can be opened.
///
/// The choice is made once, when the source is first opened. If none can be opened, opening throws DataError with the
/// reason for each.
///
/// @param left   the source to try first
/// @param right  the source to try next; chains `a | b | c` try all in order
/// @return the source
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source source = file("iris.data") | url("https://archive.example.org/iris.data");
/// @endcode
///
/// @see url
Source operator|(const Source& left, const Source& right);

/// The default limit of bytes that a compressed or downloaded source may have: 4 GiB.
///
/// @see unpacked
inline constexpr std::size_t default_limit = std::size_t{1} << 32;

/// Reads all bytes of a source.
///
/// @param source  the source
/// @param limit   largest number of bytes, default 4 GiB
/// @return the bytes
/// @throws DataError  if the source cannot be read or has more than `limit` bytes
///
/// @see read_text
std::vector<std::byte> read_all(const Source& source, std::size_t limit = default_limit);
/// Reads all bytes of a source as a text.
///
/// @param source  the source
/// @param limit   largest number of bytes, default 4 GiB
/// @return the text
/// @throws DataError  if the source cannot be read or has more than `limit` bytes
///
/// @par Example
/// @code
/// const std::string text = data::read_text(data::file("corpus.txt"));
/// @endcode
std::string read_text(const Source& source, std::size_t limit = default_limit);

/// Makes a source of a text.
///
/// @param text  the bytes
/// @param name  name in errors, default "memory"
/// @return a source
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto table = csv(memory("1,2,a\n3,4,b\n")) >> sections(inputs = columns(0, 1), targets = labels(2));
/// @endcode
///
/// @see file, docs/sources.md
Source memory(std::string text, std::string name = "memory");

/// Makes a source of bytes.
/// @param bytes  the bytes
/// @param name   name in errors, default "memory"
/// @return a source
Source memory(std::vector<std::byte> bytes, std::string name = "memory");

/// Makes a source of a copy of bytes.
/// @param bytes  the bytes
/// @param name   name in errors, default "memory"
/// @return a source
Source memory(std::span<const std::byte> bytes, std::string name = "memory");

/// A file as a source, and as the file of a hook.
///
/// @see file
class File : public Source {
public:
    /// Constructs a source of a file. Opens nothing yet.
    /// @param path  path of the file
    explicit File(std::string path);
    /// Returns the path, for hooks that write the file.
    const std::string& fixed() const { return fixed_; }

private:
    std::string fixed_;
};

/// Makes a source of the bytes of a file, unchanged.
///
/// The file is opened when it is read. Opening throws DataError with the system's reason. If both `sigma` and
/// `sigma::data` are in use, one path calls this function; its result is also accepted by hooks.
///
/// @param path  path of the file: a text or a `std::filesystem::path`
/// @return a source
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto iris = csv(file("iris.data")) >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris");
/// @endcode
///
/// @see unpacked, url, memory, docs/sources.md
File file(std::string path);
/// @copydoc file(std::string)
File file(const char* path);
/// @copydoc file(std::string)
// A template, so that overload resolution prefers it to sigma::file, which takes any number of parts.
template <sigma::detail::PathText Path>
File file(Path path) {
    return File(sigma::detail::path_text(std::move(path)));
}

/// The bytes of an open file, from its present position.
///
/// @see ByteStream
class FileStream final : public ByteStream {
public:
    /// @cond internal
    /// Constructs a stream.
    /// @param file  the open file
    /// @param name  name in errors
    FileStream(storage::Descriptor file, std::string name);
    /// @endcond

    SIGMA_IMPL std::size_t read(std::span<std::byte> to) override;

private:
    storage::Descriptor file_;
    std::string name_;
    std::uint64_t at_ = 0;
};

/// Returns a text that changes when a file changes: its path without links, its length, the time of its last change in
/// nanoseconds, and its number on the disk.
///
/// @param path  path of the file
/// @param name  name in errors
/// @return the text
/// @throws DataError  if the file does not exist
///
/// @see ByteSource::key
std::string file_key(const std::string& path, const std::string& name);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/source.ipp>
#endif
