// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/reader.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

/// The target: is this input accepted?
bool fuzz_accepts(const std::uint8_t* data, std::size_t size);
/// Makes lengths and the like right after a change, so that it reaches what lies behind checks of them; driver.cpp
/// calls it.
void fuzz_repair(std::string& bytes);

namespace fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}
/// Messages can always be printed.
template <class Refusal>
void require_printable(const Refusal& refusal) {
    require(sigma::storage::utf8_fault(refusal.what()) == std::string_view::npos);
}

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
        const auto& values = some.values[0];
        require(at + values.size() <= all.values[0].size() && values.size() == count * reader.sections()[0].size());
        require(std::memcmp(values.data(), all.values[0].data() + at, values.size() * sizeof(float)) == 0);
        at += values.size();
    }
    require(at == all.values[0].size());
}

}  // namespace fuzz
