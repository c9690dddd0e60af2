// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/archive.hpp>
#include <sigma/data/source/unpacking.hpp>

#include <algorithm>

namespace sigma::data::detail {

/// "./a/b" and "a//b" are a/b.
SIGMA_IMPL std::string plain_name(std::string_view name) {
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
    EntryStream(const Source& source, std::string_view name, std::size_t limit);
    std::size_t read(std::span<std::byte> to) override;

private:
    std::unique_ptr<ArchiveEntries> entries_;
    bool ended_ = false;
};

SIGMA_IMPL EntryStream::EntryStream(const Source& source, std::string_view name, std::size_t limit)
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

SIGMA_IMPL std::size_t EntryStream::read(std::span<std::byte> to) {
    if (ended_ || to.empty()) return 0;
    const std::size_t count = entries_->read(to);
    if (count > 0) return count;
    ended_ = true;
    while (entries_->next()) continue;  // the end says whether what came was whole
    return 0;
}

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

SIGMA_IMPL EntrySource::EntrySource(Source source, std::string entry, std::size_t limit)
    : source_(std::move(source)), entry_(std::move(entry)), limit_(limit) {}

SIGMA_IMPL bool EntrySource::exists() const {
    if (!source_.exists()) return false;
    const auto entries = open_archive(source_, limit_);
    while (const auto entry = entries->next())
        if (entry->kind == ArchiveEntry::Kind::file && plain_name(entry->name) == plain_name(entry_)) return true;
    return false;
}

SIGMA_IMPL std::unique_ptr<ByteStream> EntrySource::open() const {
    return std::make_unique<LimitedStream>(std::make_unique<EntryStream>(source_, entry_, limit_), name(), limit_);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit) {
    const auto opened = detail::open_archive(source, limit);
    std::vector<ArchiveEntry> all;
    while (auto one = opened->next()) all.push_back(std::move(*one));
    return all;
}

SIGMA_IMPL Source entry(const Source& source, const std::string& name, std::size_t limit) {
    return Source(std::make_shared<const detail::EntrySource>(source, name, limit));
}

}  // namespace sigma::data
