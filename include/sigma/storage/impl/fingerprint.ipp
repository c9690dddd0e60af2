// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/fingerprint.hpp>

namespace sigma::data {

SIGMA_IMPL std::string fingerprint(std::span<const std::byte> bytes) {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide prime = (Wide{1} << 88) + 0x13b;
    Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
    for (const std::byte byte : bytes) hash = (hash ^ static_cast<unsigned>(byte)) * prime;
    std::string text(32, '0');
    for (std::size_t i = text.size(); i-- > 0; hash >>= 4)
        text[i] = "0123456789abcdef"[static_cast<unsigned>(hash & 15)];
    return text;
}

SIGMA_IMPL std::string fingerprint(std::string_view text) {
    return fingerprint(std::as_bytes(std::span(text)));
}

}  // namespace sigma::data
