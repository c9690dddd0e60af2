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
    std::unique_ptr<ArchiveEntries> entries(const Source& source, std::size_t limit) {
        if (!must_seek(archive)) return std::make_unique<ArchiveEntries>(std::move(stream), source.name());
        if (const auto path = source.path(); path && !packed)
            return std::make_unique<ArchiveEntries>(*path, archive, source.name());
        std::vector<std::byte> bytes;
        for (std::size_t block = std::size_t{1} << 16;; block = std::min(2 * block, std::size_t{1} << 24)) {
            const std::size_t size = bytes.size();
            bytes.resize(size + block);
            const std::size_t count = read_fully(*stream, std::span(bytes).subspan(size));
            bytes.resize(size + count);
            if (bytes.size() > limit)
                throw DataError(source.name(), sentence("byte ", limit),
                                sentence("an archive of at most ", limit, " bytes"), "more");
            if (count < block) return std::make_unique<ArchiveEntries>(std::move(bytes), archive, source.name());
        }
    }
};

/// Nobody packs more often; a file that unpacks to itself would go on for ever.
inline constexpr int most_packings = 8;

inline Unpacked unpack(const Source& source, std::size_t limit, bool into_archives) {
    Unpacked now{std::make_unique<PeekedStream>(source.open())};
    for (int depth = 0; depth <= most_packings; ++depth) {
        const Packing packing = packing_of(now.stream->front());
        if (packing == Packing::none || (is_archive(packing) && !into_archives)) {
            now.archive = packing;
            struct ::stat found {};
            if (const auto path = source.path();
                path && !now.packed && ::stat(path->c_str(), &found) == 0 && S_ISREG(found.st_mode))
                now.length = static_cast<std::size_t>(found.st_size);
            return now;
        }
        const std::string_view where = depth == 0 ? "" : " of what it unpacks to";
        std::unique_ptr<ByteStream> next;
        if (is_archive(packing)) {
            now.archive = packing;
            next = std::make_unique<OnlyFileStream>(now.entries(source, limit), source.name());
        } else if (packing == Packing::gzip) {
            next = std::make_unique<GunzipStream>(std::move(now.stream), source.name(), where);
        } else {
            next = std::make_unique<FilterStream>(std::move(now.stream), source.name(), packing, where);
        }
        next = std::make_unique<LimitedStream>(std::move(next), source.name(), limit);
        now = {std::make_unique<PeekedStream>(std::move(next)), Packing::none, true};
    }
    throw DataError(source.name(), "byte 0", sentence("data packed at most ", most_packings, " times"), "more");
}

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
inline Source unpacked(const Source& source, std::size_t limit = default_limit) {
    return Source(std::make_shared<const detail::UnpackedSource>(source, limit));
}

/// The stream of unpacked(source, limit).
inline std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit = default_limit) {
    return detail::unpack(source, limit, true).stream;
}

}  // namespace sigma::data
