// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/file.hpp>
#include <sigma/data/source/file_stream.hpp>
#include <sigma/storage/error.hpp>

#include <cerrno>
#include <memory>
#include <optional>

namespace sigma::data {

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

SIGMA_IMPL bool FileSource::exists() const {
    storage::FileState found;
    return without_zeros() && storage::look_at(path_, found) && !found.is_directory;
}

SIGMA_IMPL std::unique_ptr<ByteStream> FileSource::open() const {
    if (!without_zeros()) throw DataError(path_.c_str(), "", "a path without zeros", "one after this");
    storage::Descriptor file = storage::open_to_read(path_);
    storage::FileState found;
    if (!file || !storage::look_at(file, found))
        throw DataError(path_, "", "a readable file", storage::system_text(errno));
    if (found.is_directory) throw DataError(path_, "", "a file", "a directory");
    return std::make_unique<FileStream>(std::move(file), path_);
}

SIGMA_IMPL File::File(std::string path) : Source(std::make_shared<FileSource>(path)), fixed_(std::move(path)) {}

SIGMA_IMPL File file(std::string path) { return File(std::move(path)); }

SIGMA_IMPL File file(const char* path) { return File(path); }

}  // namespace sigma::data
