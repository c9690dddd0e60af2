// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a .npy file: then it is the same read at once and record by record.
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>

#include "records.hpp"

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const auto bytes = std::as_bytes(std::span(data, size));
    fuzz::require_same_records(*sigma::data::npy(sigma::data::memory(bytes)).reader);
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}

/// Lets the length of the header be right, and adds what is missing behind it.
void fuzz_repair(std::string& bytes) {
    const std::size_t end = bytes.find('\n', 10);
    if (end == bytes.npos || bytes[6] == 2 || bytes[6] == 3 || end > 10000) return;
    bytes[8] = static_cast<char>((end - 9) & 255);
    bytes[9] = static_cast<char>((end - 9) >> 8);
}
