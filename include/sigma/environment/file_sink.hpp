// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/log_sink.hpp>

#include <cstdio>
#include <filesystem>

namespace sigma {

namespace detail {

/// Sizes of a log's files. A file that would grow over `bytes` becomes FILE.1, the one before FILE.2, and so on; there
/// are at most `files` in all.
struct Rotation {
    std::uint64_t bytes = 15 << 20;
    int files = 5;
};

}  // namespace detail

/// Appends to a file, each message at once, and begins new files as they grow. Folders are made as needed.
class FileSink : public LogSink {
public:
    /// Throws DataError when the file cannot be opened, ArgumentError for less than one file or byte.
    explicit FileSink(std::filesystem::path path, LogLevel least = LogLevel::debug, detail::Rotation rotation = {});
    ~FileSink() override;

    const std::filesystem::path& path() const& { return path_; }
    std::filesystem::path path() && { return path_; }

protected:
    void take(const LogRecord& record) override;

private:
    [[noreturn]] void refuse(const char* expected) const;
    void open();
    std::filesystem::path numbered(int number) const;
    void rotate();

    std::filesystem::path path_;
    detail::Rotation rotation_;
    std::FILE* file_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/file_sink.ipp>
#endif
