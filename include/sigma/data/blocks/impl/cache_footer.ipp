// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/cache_footer.hpp>

#include <cstddef>
#include <cstring>

namespace sigma::data {

SIGMA_IMPL std::uint64_t CacheFooter::records_in(std::uint64_t number) const {
    return number + 1 < count() ? block_records : records - number * block_records;
}

SIGMA_IMPL std::uint64_t CacheFooter::record_bytes() const {
    std::uint64_t all = 0;
    for (const SectionInfo& s : sections) all += s.bytes();
    return all;
}

}  // namespace sigma::data

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

}  // namespace sigma::data::detail
