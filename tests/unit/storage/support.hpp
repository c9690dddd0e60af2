// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/safetensors.hpp>

#include "unit/data/support.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// A file as another writer would make it: the length, this header, this data.
inline std::string safetensors_bytes(std::string_view header, std::string_view data = "") {
    std::string file;
    for (int shift = 0; shift < 64; shift += 8) file += static_cast<char>(header.size() >> shift & 0xFF);
    file += header;
    file += data;
    return file;
}

inline std::string file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> names_in(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}
