// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/file_sink.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace sigma {

SIGMA_IMPL FileSink::FileSink(std::filesystem::path path, LogLevel least, detail::Rotation rotation)
    : LogSink(least), path_(std::move(path)), rotation_(rotation) {
    if (rotation.files < 1 || rotation.bytes < 1)
        throw ArgumentError(sentence("log '", path_.string(), "'"), "at least one file and one byte",
                            sentence(rotation.files, " files and ", rotation.bytes, " bytes"));
    std::error_code failure;
    if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), failure);
    open();
}

SIGMA_IMPL FileSink::~FileSink() {
    if (file_ != nullptr) std::fclose(file_);
}

SIGMA_IMPL void FileSink::take(const LogRecord& record) {
    if (file_ == nullptr) open();  // after a failure
    if (size_ > 0 && size_ + record.line.size() > rotation_.bytes) rotate();
    const std::size_t written = std::fwrite(record.line.data(), 1, record.line.size(), file_);
    size_ += written;
    if (std::fflush(file_) != 0 || written != record.line.size()) refuse("room for another line");
}

SIGMA_IMPL void FileSink::refuse(const char* expected) const {
    throw DataError(path_.string(), "", expected, std::strerror(errno));
}

SIGMA_IMPL void FileSink::open() {
    file_ = std::fopen(path_.c_str(), "ab");
    if (file_ == nullptr) refuse("a file that can be written");
    std::fseek(file_, 0, SEEK_END);
    size_ = static_cast<std::uint64_t>(std::max(std::ftell(file_), 0L));
}

SIGMA_IMPL std::filesystem::path FileSink::numbered(int number) const {
    return number == 0 ? path_ : std::filesystem::path(path_) += sentence('.', number);
}

SIGMA_IMPL void FileSink::rotate() {
    std::fclose(std::exchange(file_, nullptr));
    std::error_code missing;  // files that do not exist yet, or that somebody took away
    if (rotation_.files == 1) std::filesystem::remove(path_, missing);
    for (int i = rotation_.files - 1; i > 0; --i) std::filesystem::rename(numbered(i - 1), numbered(i), missing);
    open();
}

}  // namespace sigma
