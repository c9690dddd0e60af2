// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/log_sink.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace sigma {

/// Sizes of a log's files. A file that would grow over `bytes` becomes FILE.1, the one before FILE.2, and so on; there
/// are at most `files` in all.
struct Rotation {
    std::uint64_t bytes = 15 << 20;
    int files = 5;
};

/// Appends to a file, each message at once, and begins new files as they grow. Folders are made as needed.
class FileSink : public LogSink {
public:
    /// Throws DataError when the file cannot be opened, ArgumentError for less than one file or byte.
    explicit FileSink(std::filesystem::path path, LogLevel least = LogLevel::debug, Rotation rotation = {})
        : LogSink(least), path_(std::move(path)), rotation_(rotation) {
        if (rotation.files < 1 || rotation.bytes < 1)
            throw ArgumentError(sentence("log '", path_.string(), "'"), "at least one file and one byte",
                                sentence(rotation.files, " files and ", rotation.bytes, " bytes"));
        std::error_code failure;
        if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), failure);
        open();
    }
    ~FileSink() override {
        if (file_ != nullptr) std::fclose(file_);
    }

    const std::filesystem::path& path() const { return path_; }

protected:
    void take(const LogRecord& record) override {
        if (file_ == nullptr) open();  // after a failure
        if (size_ > 0 && size_ + record.line.size() > rotation_.bytes) rotate();
        const std::size_t written = std::fwrite(record.line.data(), 1, record.line.size(), file_);
        size_ += written;
        if (std::fflush(file_) != 0 || written != record.line.size()) refuse("room for another line");
    }

private:
    [[noreturn]] void refuse(const char* expected) const {
        throw DataError(path_.string(), "", expected, std::strerror(errno));
    }
    void open() {
        file_ = std::fopen(path_.c_str(), "ab");
        if (file_ == nullptr) refuse("a file that can be written");
        std::fseek(file_, 0, SEEK_END);
        size_ = static_cast<std::uint64_t>(std::max(std::ftell(file_), 0L));
    }
    std::filesystem::path numbered(int number) const {
        return number == 0 ? path_ : std::filesystem::path(path_) += sentence('.', number);
    }
    void rotate() {
        std::fclose(std::exchange(file_, nullptr));
        std::error_code missing;  // files that do not exist yet, or that somebody took away
        if (rotation_.files == 1) std::filesystem::remove(path_, missing);
        for (int i = rotation_.files - 1; i > 0; --i) std::filesystem::rename(numbered(i - 1), numbered(i), missing);
        open();
    }

    std::filesystem::path path_;
    Rotation rotation_;
    std::FILE* file_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace sigma
