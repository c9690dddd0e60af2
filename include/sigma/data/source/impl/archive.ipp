// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/archive.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL std::unique_ptr<ArchiveEntries> open_archive(const Source& source, std::size_t limit) {
    return unpack(source, limit, false).entries(source, limit);
}

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
