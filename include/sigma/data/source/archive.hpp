// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/unpack.hpp>

namespace sigma::data {

namespace detail {

inline std::unique_ptr<ArchiveEntries> open_archive(const Source& source, std::size_t limit) {
    return unpack(source, limit, false).entries(source, limit);
}
/// "./a/b" and "a//b" are a/b.
inline std::string plain_name(std::string_view name) {
    std::string plain;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string_view part = name.substr(at, end - at);
        if (!part.empty() && part != ".") plain += sentence(plain.empty() && !name.starts_with('/') ? "" : "/", part);
        at = end + 1;
    }
    return plain;
}

class EntryStream final : public ByteStream {
public:
    EntryStream(const Source& source, std::string_view name, std::size_t limit)
        : entries_(open_archive(source, limit)) {
        std::string others;
        std::size_t count = 0;
        while (const auto entry = entries_->next()) {
            if (entry->kind != ArchiveEntry::Kind::file) continue;
            if (plain_name(entry->name) == plain_name(name)) return;
            if (++count <= 5) others += sentence(count == 1 ? "" : ", ", storage::quotation(entry->name));
        }
        throw DataError(source.name(), "", sentence("a file ", storage::quotation(name), " in the archive"),
                        count == 0  ? "none"
                        : count > 5 ? sentence(others, " and ", count - 5, " more")
                                    : others);
    }
    std::size_t read(std::span<std::byte> to) override {
        if (ended_ || to.empty()) return 0;
        const std::size_t count = entries_->read(to);
        if (count > 0) return count;
        ended_ = true;
        while (entries_->next()) continue;  // the end says whether what came was whole
        return 0;
    }

private:
    std::unique_ptr<ArchiveEntries> entries_;
    bool ended_ = false;
};

class EntrySource final : public ByteSource {
public:
    EntrySource(Source source, std::string entry, std::size_t limit)
        : source_(std::move(source)), entry_(std::move(entry)), limit_(limit) {}

    std::string name() const override { return sentence(source_.name(), ":", entry_); }
    bool exists() const override {
        if (!source_.exists()) return false;
        const auto entries = open_archive(source_, limit_);
        while (const auto entry = entries->next())
            if (entry->kind == ArchiveEntry::Kind::file && plain_name(entry->name) == plain_name(entry_)) return true;
        return false;
    }
    std::unique_ptr<ByteStream> open() const override {
        return std::make_unique<LimitedStream>(std::make_unique<EntryStream>(source_, entry_, limit_), name(), limit_);
    }
    std::string key() const override { return sentence("entry(", source_.key(), ",", entry_.size(), ":", entry_, ")"); }

private:
    Source source_;
    std::string entry_;
    std::size_t limit_;
};

}  // namespace detail

/// What a zip, tar, 7zip or cpio archive holds, packed as a whole or not (tar.gz, tar.xz …), in its order. Throws
/// DataError for what is no archive or is damaged; the contents of entries are not looked at where the format allows.
inline std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit = default_limit) {
    const auto opened = detail::open_archive(source, limit);
    std::vector<ArchiveEntry> all;
    while (auto one = opened->next()) all.push_back(std::move(*one));
    return all;
}

/// One file of an archive: entry(file("data.zip"), "train/images.idx"). It streams; more than `limit` bytes, of it or
/// of an archive that must be unpacked into memory first, are refused. Opening throws DataError where there is no such
/// file.
inline Source entry(const Source& source, const std::string& name, std::size_t limit = default_limit) {
    return Source(std::make_shared<const detail::EntrySource>(source, name, limit));
}

}  // namespace sigma::data
