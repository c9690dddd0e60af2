// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/unpack.hpp>

namespace sigma::data {

namespace detail {

std::unique_ptr<ArchiveEntries> open_archive(const Source& source, std::size_t limit);
/// "./a/b" and "a//b" are a/b.
std::string plain_name(std::string_view name);

class EntryStream final : public ByteStream {
public:
    EntryStream(const Source& source, std::string_view name, std::size_t limit);
    std::size_t read(std::span<std::byte> to) override;

private:
    std::unique_ptr<ArchiveEntries> entries_;
    bool ended_ = false;
};

class EntrySource final : public ByteSource {
public:
    EntrySource(Source source, std::string entry, std::size_t limit);

    std::string name() const override { return sentence(source_.name(), ":", entry_); }
    bool exists() const override;
    std::unique_ptr<ByteStream> open() const override;
    std::string key() const override { return sentence("entry(", source_.key(), ",", entry_.size(), ":", entry_, ")"); }

private:
    Source source_;
    std::string entry_;
    std::size_t limit_;
};

}  // namespace detail

/// What a zip, tar, 7zip or cpio archive holds, packed as a whole or not (tar.gz, tar.xz …), in its order. Throws
/// DataError for what is no archive or is damaged; the contents of entries are not looked at where the format allows.
std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit = default_limit);

/// One file of an archive: entry(file("data.zip"), "train/images.idx"). It streams; more than `limit` bytes, of it or
/// of an archive that must be unpacked into memory first, are refused. Opening throws DataError where there is no such
/// file.
Source entry(const Source& source, const std::string& name, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/archive.ipp>
#endif
