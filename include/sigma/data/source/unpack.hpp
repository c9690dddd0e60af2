// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/entries.hpp>
#include <sigma/data/source/filter.hpp>
#include <sigma/data/source/gunzip.hpp>

#include <sys/stat.h>

namespace sigma::data {

namespace detail {

/// A stream without its layers of packing.
struct Unpacked {
    std::unique_ptr<PeekedStream> stream;
    Packing archive = Packing::none;      ///< what stopped it, where archives stay as they are
    bool packed = false;                  ///< is it another stream than the source's?
    std::optional<std::size_t> length{};  ///< of the stream, where a plain file says so

    /// The entries of the archive that it has come to, or of anything that libarchive takes for one.
    std::unique_ptr<ArchiveEntries> entries(const Source& source, std::size_t limit);
};

/// Nobody packs more often; a file that unpacks to itself would go on for ever.
inline constexpr int most_packings = 8;

Unpacked unpack(const Source& source, std::size_t limit, bool into_archives);

class UnpackedSource final : public ByteSource {
public:
    UnpackedSource(Source source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}

    std::string name() const override { return source_.name(); }
    bool exists() const override { return source_.exists(); }
    std::unique_ptr<ByteStream> open() const override { return unpack(source_, limit_, true).stream; }
    std::string key() const override { return sentence("unpacked(", source_.key(), ")"); }

private:
    Source source_;
    std::size_t limit_;
};

}  // namespace detail

/// The bytes of a source, unpacked as often as they are packed, which their first bytes tell, not their name: gzip (of
/// any number of members), bzip2, xz, zstd, lzip, lz4, compress, and zip, 7zip and tar with one file in them. Whatever
/// else it is comes as it is. Data that is cut, damaged or followed by something else is a DataError, as are more than
/// `limit` bytes of packed data: a small file can unpack to any size. Of compress, which has no end mark, a cut goes
/// unnoticed.
Source unpacked(const Source& source, std::size_t limit = default_limit);

/// The stream of unpacked(source, limit).
std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/unpack.ipp>
#endif
