// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/path_text.hpp>
#include <sigma/data/source/first.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/posix.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sigma::data {

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

class FileSource final : public ByteSource {
public:
    explicit FileSource(std::string path) : path_(std::move(path)) {}

    std::string name() const override { return path_; }
    bool exists() const override;
    std::unique_ptr<ByteStream> open() const override;
    std::string key() const override { return file_key(path_, path_); }
    std::optional<std::string> path() const override { return path_; }

private:
    /// The system would take the path to end there.
    bool without_zeros() const { return path_.find('\0') == path_.npos; }

    std::string path_;
};

/// What file() gives: a source and, for hooks that write files, its path.
class File : public Source {
public:
    explicit File(std::string path) : Source(std::make_shared<FileSource>(path)), fixed_(std::move(path)) {}
    const std::string& fixed() const { return fixed_; }

private:
    std::string fixed_;
};

/// The bytes of a file as they are; its path is a text or a std::filesystem::path. It is opened when it is read, and a
/// DataError says what the system had against it. Where sigma::file, which names the files of hooks, is in use as well, one
/// path is for this function, and what it gives serves hooks, too.
File file(std::string path);
File file(const char* path);
/// Anything else that is a path. Of two templates that fit, this one is chosen: sigma::file takes any number of parts.
template <sigma::detail::PathText Path>
File file(Path path) {
    return File(sigma::detail::path_text(std::move(path)));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/file.ipp>
#endif
