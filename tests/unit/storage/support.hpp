// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/safetensors.hpp>

#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Returns a file as another writer would write it: the length, this header, these data.
inline std::string safetensors_bytes(std::string_view header, std::string_view data = "") {
    std::string file;
    for (int shift = 0; shift < 64; shift += 8) file += static_cast<char>(header.size() >> shift & 0xFF);
    file += header;
    file += data;
    return file;
}
