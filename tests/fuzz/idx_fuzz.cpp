// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or an IDX file: then it is the same read at once and record by record.
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>

#include "records.hpp"

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const auto bytes = std::as_bytes(std::span(data, size));
    fuzz::require_same_records(*sigma::data::idx(sigma::data::memory(bytes)).reader);
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}

/// Lets the first extent be what the elements make up, so that changes reach what lies behind this check.
void fuzz_repair(std::string& bytes) {
    if (bytes.size() < 9 || bytes[3] == 0) return;
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
    const std::size_t rank = byte(3), header = 4 + 4 * rank;
    std::size_t record = byte(2) == 0x0B ? 2 : byte(2) == 0x0C || byte(2) == 0x0D ? 4 : byte(2) == 0x0E ? 8 : 1;
    if (bytes.size() <= header) return;
    for (std::size_t axis = 1; axis < rank; ++axis) record *= byte(4 + 4 * axis + 3);
    if (record == 0) return;
    const std::size_t records = (bytes.size() - header) / record;
    bytes.resize(header + records * record);
    for (std::size_t i = 0; i < 4; ++i) bytes[4 + i] = static_cast<char>(records >> (24 - 8 * i));
}
