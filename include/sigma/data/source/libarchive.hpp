// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/packing.hpp>
#include <sigma/storage/utf8.hpp>

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <exception>

namespace sigma::data::detail {

/// libarchive's state of reading, whose faults become DataError. Not to be moved: libarchive holds its address.
class ArchiveHandle {
public:
    explicit ArchiveHandle(std::string name);
    ArchiveHandle(const ArchiveHandle&) = delete;
    ArchiveHandle& operator=(const ArchiveHandle&) = delete;
    ~ArchiveHandle() { archive_read_free(archive_); }

    ::archive* get() const { return archive_; }
    const std::string& name() const { return name_; }

    /// Reads from a stream, without seeking. In what this and the next two throw, `found` stands for libarchive's
    /// words.
    void open(std::unique_ptr<ByteStream> stream, std::string_view expected, std::string_view found = {});
    void open(std::vector<std::byte> bytes, std::string_view expected);
    void open(const std::string& path, std::string_view expected);

    /// Throws unless the code is one of success.
    void check(long code, std::string_view expected) const;
    /// `found` is said in place of libarchive's words.
    [[noreturn]] void fail(std::string_view expected, std::string_view found = {}) const;
    /// "byte 17", as far as packed bytes were used.
    std::string place() const { return sentence("byte ", std::max<la_int64_t>(archive_filter_bytes(archive_, -1), 0)); }
    /// Throws where the stream has more behind the bytes that were used than zeros, by which tools fill up blocks.
    void require_end(std::string_view kind);
    /// Reads what the archive has behind its end: only there does packed data say whether it is whole.
    void drain();
    /// Fills `to` with the entry's data as far as there is any.
    std::size_t read(std::span<std::byte> to, std::string_view expected);

private:
    static la_ssize_t give(::archive* archive, void* handle, const void** to);

    std::string name_;
    ::archive* archive_;
    std::unique_ptr<ByteStream> stream_;
    std::vector<std::byte> buffer_;
    std::size_t taken_ = 0, last_ = 0;  // bytes given to libarchive, and when it was last given some
    bool ended_ = false;
    std::exception_ptr failure_;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/libarchive.ipp>
#endif
