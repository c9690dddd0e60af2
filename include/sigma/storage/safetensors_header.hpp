// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/dtype.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// What a safetensors file says about one of its tensors. Elements are little-endian and row-major.
struct TensorInfo {
    std::string name;
    Dtype dtype;
    std::vector<std::uint64_t> shape;  // () is one element
    std::uint64_t begin, end;          // of its bytes, counted from the first tensor's
    std::string other{};               // the name of its dtype, where that is Dtype::other

    std::string_view dtype_name() const { return dtype == Dtype::other ? other : detail::name_of(dtype); }
    std::uint64_t elements() const {
        std::uint64_t count = 1;
        for (const std::uint64_t extent : shape) count *= extent;
        return count;
    }
};

namespace storage {

inline constexpr std::uint64_t largest_header = 100'000'000;  // bytes, by the specification
inline constexpr std::string_view metadata_key = "__metadata__";
/// Its value is the checksum of the file with zeros in place of these digits.
inline constexpr std::string_view checksum_key = "sigma.checksum";
inline constexpr std::size_t checksum_digits = 16;

/// Where the digits of the checksum are in a header as this library writes it, or npos: keys and texts hold no
/// quotation mark without a '\\' before it.
std::size_t checksum_place(std::string_view header);

struct SafetensorsHeader {
    std::vector<std::pair<std::string, std::string>> metadata;  // by key
    std::vector<TensorInfo> tensors;                            // as their bytes lie in the file
};

/// The bytes of such a tensor; none where they are 2^64 or more. A 0 among the extents does not excuse the others.
std::optional<std::uint64_t> byte_count(Dtype dtype, const std::vector<std::uint64_t>& shape);

/// Reads the header's text, which begins at byte 8 of `file`, and checks it against the bytes of data that follow it.
/// Takes the format at its word: what the specification does not name, it refuses, but for new dtypes. Needs memory in
/// proportion to the text.
SafetensorsHeader parsed_header(std::string_view text, const std::string& file, std::uint64_t data_bytes);

/// Appends the header's text without its padding.
void append_header(std::string& out, const SafetensorsHeader& header);

}  // namespace storage
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/safetensors_header.ipp>
#endif
