// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/packing.hpp>
#include <sigma/storage/utf8.hpp>

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <exception>
#include <new>

namespace sigma::data::detail {

/// libarchive's state of reading, whose faults become DataError. Not to be moved: libarchive holds its address.
class ArchiveHandle {
public:
    explicit ArchiveHandle(std::string name) : name_(std::move(name)), archive_(archive_read_new()) {
        if (archive_ == nullptr) throw std::bad_alloc();
    }
    ArchiveHandle(const ArchiveHandle&) = delete;
    ArchiveHandle& operator=(const ArchiveHandle&) = delete;
    ~ArchiveHandle() { archive_read_free(archive_); }

    ::archive* get() const { return archive_; }
    const std::string& name() const { return name_; }

    /// Reads from a stream, without seeking. In what this and the next two throw, `found` stands for libarchive's
    /// words.
    void open(std::unique_ptr<ByteStream> stream, std::string_view expected, std::string_view found = {}) {
        stream_ = std::move(stream);
        if (archive_read_open(archive_, this, nullptr, &ArchiveHandle::give, nullptr) < ARCHIVE_OK)
            fail(expected, found);
    }
    void open(std::vector<std::byte> bytes, std::string_view expected) {
        buffer_ = std::move(bytes);
        check(archive_read_open_memory(archive_, buffer_.data(), buffer_.size()), expected);
    }
    void open(const std::string& path, std::string_view expected) {
        check(archive_read_open_filename(archive_, path.c_str(), std::size_t{1} << 16), expected);
    }

    /// Throws unless the code is one of success.
    void check(long code, std::string_view expected) const {
        if (code < ARCHIVE_OK) fail(expected);
    }
    /// `found` is said in place of libarchive's words.
    [[noreturn]] void fail(std::string_view expected, std::string_view found = {}) const {
        if (failure_) std::rethrow_exception(failure_);
        const char* const text = archive_error_string(archive_);
        const std::string said =
            found.empty() ? storage::quotation(text != nullptr ? text : "an unknown fault") : sentence(found);
        throw DataError(name_, place(), std::string(expected), ended_ ? "the end of the file" : said);
    }
    /// "byte 17", as far as packed bytes were used.
    std::string place() const { return sentence("byte ", std::max<la_int64_t>(archive_filter_bytes(archive_, -1), 0)); }
    /// Throws where the stream has bytes behind those that were used.
    void require_end(std::string_view kind) {
        const auto used = static_cast<std::size_t>(std::max<la_int64_t>(archive_filter_bytes(archive_, -1), 0));
        std::byte one{};
        if (used < taken_ || stream_->read(std::span(&one, 1)) > 0)
            throw DataError(name_, place(), sentence("the end of the file after ", kind, " data"), "more bytes");
    }
    /// Reads what the archive has behind its end: only there does packed data say whether it is whole.
    void drain() {
        if (!stream_) return;
        buffer_.resize(std::size_t{1} << 16);
        while (stream_->read(buffer_) > 0) continue;
    }
    /// Fills `to` with the entry's data as far as there is any.
    std::size_t read(std::span<std::byte> to, std::string_view expected) {
        std::size_t done = 0;
        while (done < to.size()) {
            const la_ssize_t count = archive_read_data(archive_, to.data() + done, to.size() - done);
            check(count, expected);
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        return done;
    }

private:
    static la_ssize_t give(::archive* archive, void* handle, const void** to) {
        auto* const self = static_cast<ArchiveHandle*>(handle);
        try {
            self->buffer_.resize(std::size_t{1} << 16);
            const std::size_t count = self->stream_->read(self->buffer_);
            self->ended_ = count == 0;
            self->taken_ += count;
            *to = self->buffer_.data();
            return static_cast<la_ssize_t>(count);
        } catch (...) {  // must not pass through C
            self->failure_ = std::current_exception();
            archive_set_error(archive, EIO, "the stream failed");
            return ARCHIVE_FATAL;
        }
    }

    std::string name_;
    ::archive* archive_;
    std::unique_ptr<ByteStream> stream_;
    std::vector<std::byte> buffer_;
    std::size_t taken_ = 0;
    bool ended_ = false;
    std::exception_ptr failure_;
};

}  // namespace sigma::data::detail
