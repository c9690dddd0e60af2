// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/cache_file.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL std::uint64_t block_checksum(const std::string& key, std::uint64_t number, const Block& block) {
    std::uint64_t all = storage::checksum(key, number);
    for (const NumberList& values : block.values) all = storage::checksum(values.bytes(), all);
    return all;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL CacheWriter::CacheWriter(std::string path, CacheFooter footer, std::uint64_t limit)
    : footer_(std::move(footer)), limit_(limit), file_(std::move(path)) {
    footer_.records = 0;
    write(detail::cache_begin);
    write(std::array{detail::cache_version});
}

SIGMA_IMPL void CacheWriter::add(const Block& block) {
    for (const NumberList& values : block.values) write(values.bytes());
    write(std::array{detail::block_checksum(footer_.key, number_++, block)});
    footer_.records += block.records;
}

SIGMA_IMPL void CacheWriter::finish(std::vector<std::string> classes) {
    footer_.classes = std::move(classes);
    footer_.block_records = std::min(footer_.block_records, footer_.records);
    const std::string footer = detail::write_footer(footer_);
    write(footer);
    write(std::array<std::uint64_t, 2>{footer.size(), storage::checksum(footer)});
    write(detail::cache_end);
    file_.commit();
}

SIGMA_IMPL std::optional<CacheFile> CacheFile::open(const std::string& path, const std::string& key) {
    CacheFile file;
    file.file_ = storage::open_to_read(path, storage::Opening::without_a_link);
    storage::FileState found;
    if (!file.file_ || !storage::look_at(file.file_, found) || !found.is_file) return {};
    const std::uint64_t size = found.size;
    std::array<char, 8> begin{}, end{};
    std::array<std::uint64_t, 1> version{};
    std::array<std::uint64_t, 2> footer{};
    if (size < detail::cache_head + detail::cache_tail || !file.read(0, begin) || !file.read(8, version) ||
        !file.read(size - 24, footer) || !file.read(size - 8, end))
        return {};
    const std::uint64_t room = size - detail::cache_head - detail::cache_tail;
    if (begin != detail::cache_begin || end != detail::cache_end || version[0] != detail::cache_version ||
        footer[0] > std::min(room, detail::longest_footer))
        return {};
    std::string text(footer[0], '\0');
    if (!file.read(size - detail::cache_tail - footer[0], text) || storage::checksum(text) != footer[1]) return {};
    auto content = detail::read_footer(text, room - footer[0]);
    if (!content || content->key != key) return {};
    if (content->records * content->record_bytes() + 8 * content->count() != room - footer[0]) return {};
    file.footer_ = std::move(*content);
    storage::touch(file.file_);  // the oldest files are removed first
    return file;
}

SIGMA_IMPL bool CacheFile::read(std::uint64_t number, Block& to) const {
    const std::uint64_t records = footer_.records_in(number);
    std::uint64_t at = detail::cache_head + number * (footer_.block_records * footer_.record_bytes() + 8);
    to.records = records;
    to.values.resize(footer_.sections.size());
    for (std::size_t s = 0; s < to.values.size(); ++s) {
        if (footer_.sections[s].doubles) to.values[s].doubles();
        else to.values[s].floats();
        to.values[s].resize(records * footer_.sections[s].size());
        auto bytes = to.values[s].bytes();
        if (!read(at, bytes)) return false;
        at += bytes.size();
    }
    std::array<std::uint64_t, 1> expected{};
    return read(at, expected) && expected[0] == detail::block_checksum(footer_.key, number, to);
}

}  // namespace sigma::data
