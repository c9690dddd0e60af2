// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/cache_file.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL std::string write_footer(const CacheFooter& footer) {
    std::string bytes;
    const auto number = [&](std::uint64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); };
    const auto text = [&](const std::string& t) {
        number(t.size());
        bytes += t;
    };
    text(footer.key);
    number(footer.records);
    number(footer.block_records);
    number(footer.sections.size());
    for (const SectionInfo& section : footer.sections) {
        text(section.name);
        number((section.target ? 1u : 0u) | (section.doubles ? 2u : 0u));
        number(section.shape.size());
        for (const std::size_t extent : section.shape) number(extent);
    }
    number(footer.classes.size());
    for (const std::string& name : footer.classes) text(name);
    return bytes;
}

SIGMA_IMPL std::optional<CacheFooter> read_footer(const std::string& bytes, std::uint64_t limit) {
    std::size_t at = 0;
    bool good = true;
    const auto number = [&] {
        std::uint64_t n = 0;
        good = good && bytes.size() - at >= sizeof n;
        if (good) std::memcpy(&n, bytes.data() + at, sizeof n);
        if (good) at += sizeof n;
        return n;
    };
    const auto text = [&] {
        const std::uint64_t size = number();
        good = good && size <= bytes.size() - at;
        std::string t = good ? bytes.substr(at, size) : std::string();
        at += t.size();
        return t;
    };
    CacheFooter footer;
    footer.key = text();
    footer.records = number();
    footer.block_records = number();
    good = good && footer.block_records > 0;
    std::uint64_t record_bytes = 0;
    for (std::uint64_t left = number(); good && left > 0; --left) {
        SectionInfo section{text(), {}, false};
        const std::uint64_t kind = number();  // 1: a target, 2: doubles
        good = good && kind <= 3;
        section.target = (kind & 1) != 0;
        section.doubles = (kind & 2) != 0;
        std::uint64_t size = section.doubles ? sizeof(double) : sizeof(float);
        for (std::uint64_t rank = number(); good && rank > 0; --rank) {
            const std::uint64_t extent = number();
            good = good && extent > 0 && extent <= limit / size;
            if (good) size *= extent;
            if (good) section.shape.push_back(extent);
        }
        record_bytes += size;
        good = good && record_bytes <= limit;
        if (good) footer.sections.push_back(std::move(section));
    }
    for (std::uint64_t left = number(); good && left > 0; --left) footer.classes.push_back(text());
    good =
        good && at == bytes.size() && record_bytes > 0 && footer.records > 0 && footer.records <= limit / record_bytes;
    good = good && footer.block_records <= footer.records;
    if (!good) return {};
    return footer;
}

SIGMA_IMPL std::uint64_t block_checksum(const std::string& key, std::uint64_t number, const Block& block) {
    std::uint64_t all = storage::checksum(key, number);
    for (const NumberList& values : block.values) all = storage::checksum(values.bytes(), all);
    return all;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL std::uint64_t CacheFooter::records_in(std::uint64_t number) const {
    return number + 1 < count() ? block_records : records - number * block_records;
}

SIGMA_IMPL std::uint64_t CacheFooter::record_bytes() const {
    std::uint64_t all = 0;
    for (const SectionInfo& s : sections) all += s.bytes();
    return all;
}

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
