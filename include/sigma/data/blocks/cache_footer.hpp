// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/block.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// What a cache file says about its blocks.
struct CacheFooter {
    std::string key;
    std::uint64_t records = 0, block_records = 1;
    std::vector<SectionInfo> sections;
    std::vector<std::string> classes;

    std::uint64_t count() const { return (records + block_records - 1) / block_records; }
    std::uint64_t records_in(std::uint64_t number) const;
    std::uint64_t record_bytes() const;
    friend bool operator==(const CacheFooter&, const CacheFooter&) = default;
};

namespace detail {

std::string write_footer(const CacheFooter& footer);

/// Nothing where the bytes are no footer, or speak of more bytes than `limit` in one block or all.
std::optional<CacheFooter> read_footer(const std::string& bytes, std::uint64_t limit);

}  // namespace detail
}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/cache_footer.ipp>
#endif
