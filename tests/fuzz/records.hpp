// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/reader.hpp>

#include "target.hpp"

#include <cstring>

namespace fuzz {

/// Reads all records at once, then again in pieces of three.
inline void require_same_records(sigma::data::RecordReader& reader) {
    sigma::data::Block all, some;
    const std::size_t records = reader.read(1u << 20, all);
    require(records > 0 && reader.size().value_or(records) == records);
    require(all.values.size() == 1 && all.values[0].size() == records * reader.sections()[0].size());
    require(reader.read(1, some) == 0);
    reader.rewind();
    std::size_t at = 0;
    while (const std::size_t count = reader.read(3, some)) {
        const auto values = some.values[0].bytes();
        const auto wanted = all.values[0].bytes();
        require(at + values.size() <= wanted.size() && some.values[0].size() == count * reader.sections()[0].size());
        require(std::memcmp(values.data(), wanted.data() + at, values.size()) == 0);
        at += values.size();
    }
    require(at == all.values[0].bytes().size());
}

}  // namespace fuzz
