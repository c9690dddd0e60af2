// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Binary files, right ones and others.
namespace test_binary {

inline std::string idx_file(int type, const std::vector<std::uint32_t>& extents, const std::string& elements) {
    std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(extents.size())};
    for (const std::uint32_t extent : extents)
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(extent >> shift);
    return bytes + elements;
}

/// A .npy file with any text for its header.
inline std::string npy_raw(const std::string& header, const std::string& elements, int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (std::size_t i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> 8 * i);
    return bytes + header + elements;
}
inline std::string npy_file(const std::string& descr, bool fortran, const std::string& shape,
                            const std::string& elements, int version = 1) {
    std::string header =
        "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
    while ((header.size() + (version == 1 ? 11 : 13)) % 64 != 0) header += ' ';
    return npy_raw(header + "\n", elements, version);
}

}  // namespace test_binary
