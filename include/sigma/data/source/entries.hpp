// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/archive_entry.hpp>
#include <sigma/data/source/libarchive.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sigma::data::detail {

/// The entries of a zip, tar, 7zip or cpio archive, one after the other.
class ArchiveEntries {
public:
    /// Of none: a zip that is empty, which libarchive takes for no archive.
    static std::unique_ptr<ArchiveEntries> empty_zip(ByteStream& stream, const std::string& name);
    /// Reads a stream from its beginning to its end.
    ArchiveEntries(std::unique_ptr<ByteStream> stream, const std::string& name);
    /// Reads archives whose list is at their end, from memory or a file.
    template <class BytesOrPath>
    ArchiveEntries(BytesOrPath from, Packing packing, const std::string& name) : archive_(name) {
        check(packing == Packing::zip ? archive_read_support_format_zip_seekable(archive_.get())
                                      : archive_read_support_format_7zip(archive_.get()));
        archive_.open(std::move(from), packing == Packing::zip ? "a whole zip archive" : "a whole 7zip archive");
    }

    /// The next one; none at the end.
    std::optional<ArchiveEntry> next();
    /// The bytes of the present entry, until there are none.
    std::size_t read(std::span<std::byte> to);

private:
    explicit ArchiveEntries(const std::string& name) : archive_(name), ended_(true) {}

    void check(int code) const { archive_.check(code, "an archive"); }

    ArchiveHandle archive_;
    bool ended_ = false;
    std::size_t number_ = 0;
    std::string name_, expected_;
};

/// The only file of an archive.
class OnlyFileStream final : public ByteStream {
public:
    OnlyFileStream(std::unique_ptr<ArchiveEntries> entries, std::string name);
    std::size_t read(std::span<std::byte> to) override;

private:
    std::optional<ArchiveEntry> next_file();

    std::unique_ptr<ArchiveEntries> entries_;
    std::string name_;
    std::optional<ArchiveEntry> first_;
    bool ended_ = false;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/entries.ipp>
#endif
