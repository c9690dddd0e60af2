// SPDX-License-Identifier: BSL-1.0
#pragma once

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
class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// Fills `to` as far as there are bytes and returns how many it wrote: 0 only at the end. Throws DataError.
    virtual std::size_t read(std::span<std::byte> to) = 0;
};

/// Where bytes come from. Safe to be opened from several threads.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// What errors call it: a path, an address.
    virtual std::string name() const = 0;
    /// Is it there? May ask the network.
    virtual bool exists() const = 0;
    /// Throws DataError where it is not there.
    virtual std::unique_ptr<ByteStream> open() const = 0;
    /// A text that is another one when the bytes are: path, length and time of change of a file, a digest of memory.
    /// Part of the keys of caches.
    virtual std::string key() const = 0;
    /// The file in which the bytes lie as they are, where there is one.
    virtual std::optional<std::string> path() const { return {}; }
};

/// A handle to where bytes come from: file("a.csv"), memory(text), url("https://…"), or the first of several that is
/// there,
///
///     file("iris.data") | url("https://archive.example.org/iris.data")
class Source {
public:
    explicit Source(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

    std::string name() const { return source_->name(); }
    bool exists() const { return source_->exists(); }
    std::unique_ptr<ByteStream> open() const { return source_->open(); }
    std::string key() const { return source_->key(); }
    std::optional<std::string> path() const { return source_->path(); }
    const std::shared_ptr<const ByteSource>& shared() const& { return source_; }
    std::shared_ptr<const ByteSource> shared() && { return source_; }

private:
    std::shared_ptr<const ByteSource> source_;
};

/// What hooks call a file, sigma::file("a.csv"), which readers are given by mistake.
template <class Name>
concept NoSource = requires(const Name& name) { name.fixed(); } && !std::is_convertible_v<Name, Source>;

/// The first of the two that can be opened: file("iris.data") | url("https://…"). Where none can, a DataError says why,
/// of each.
Source operator|(const Source& left, const Source& right);

/// What a stream that may hold anything is allowed to give, unless the caller says otherwise: 4 GiB.
inline constexpr std::size_t default_limit = std::size_t{1} << 32;

/// All bytes of a source; more than `limit` are refused with a DataError.
std::vector<std::byte> read_all(const Source& source, std::size_t limit = default_limit);
/// The same as a text.
std::string read_text(const Source& source, std::size_t limit = default_limit);

/// A text, as the bytes of a file that errors call `name`.
Source memory(std::string text, std::string name = "memory");

/// Bytes, as those of a file that errors call `name`.
Source memory(std::vector<std::byte> bytes, std::string name = "memory");

/// A copy of these bytes.
Source memory(std::span<const std::byte> bytes, std::string name = "memory");

/// What file() gives: a source and, for hooks that write files, its path.
class File : public Source {
public:
    explicit File(std::string path);
    const std::string& fixed() const { return fixed_; }

private:
    std::string fixed_;
};

/// The bytes of a file as they are; its path is a text or a std::filesystem::path. It is opened when it is read, and a
/// DataError says what the system had against it. Where sigma::file, which names the files of hooks, is in use as well,
/// one path is for this function, and what it gives serves hooks, too.
File file(std::string path);
File file(const char* path);
/// Anything else that is a path. Of two templates that fit, this one is chosen: sigma::file takes any number of parts.
template <sigma::detail::PathText Path>
File file(Path path) {
    return File(sigma::detail::path_text(std::move(path)));
}

/// The bytes of an open file from its present position on; `name` is what errors call it.
class FileStream final : public ByteStream {
public:
    FileStream(storage::Descriptor file, std::string name);

    std::size_t read(std::span<std::byte> to) override;

private:
    storage::Descriptor file_;
    std::string name_;
    std::uint64_t at_ = 0;
};

/// A text that is another one when the file at `path` is: its path without links, its length, when it was last changed,
/// to the nanosecond, and which file of the disk it is. `name` is what errors call it. Throws DataError.
std::string file_key(const std::string& path, const std::string& name);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/source.ipp>
#endif
