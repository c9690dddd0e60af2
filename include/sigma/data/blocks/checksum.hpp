// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

namespace sigma::data {

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, 64 bits) over words of 8 bytes instead of bytes, in four lanes that are
/// joined at the end: several GB/s. Each step is a bijection of its lane, so that a change within one word is always
/// found. Against accidents, not against attackers.
inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
    constexpr std::uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
    std::array<std::uint64_t, 4> lanes{basis ^ seed, basis + 1, basis + 2, basis + 3};
    const auto step = [](std::uint64_t& lane, std::uint64_t word) {
        lane = (lane ^ word) * prime;
        lane ^= lane >> 32;  // else high bits would never reach low ones
    };
    std::size_t at = 0;
    std::array<std::uint64_t, 4> words{};
    for (; at + 32 <= bytes.size(); at += 32) {
        std::memcpy(words.data(), bytes.data() + at, 32);
        for (std::size_t i = 0; i < 4; ++i) step(lanes[i], words[i]);
    }
    words = {};
    if (at < bytes.size()) std::memcpy(words.data(), bytes.data() + at, bytes.size() - at);
    for (std::size_t i = 0; i < 4; ++i) step(lanes[i], words[i]);
    std::uint64_t all = bytes.size();
    for (const std::uint64_t lane : lanes) step(all, lane);
    return all;
}
inline std::uint64_t checksum(const std::string& text, std::uint64_t seed = 0) {
    return checksum(std::as_bytes(std::span(text)), seed);
}

/// "00c0ffee00c0ffee"
inline std::string hexadecimal(std::uint64_t number) {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
    return digits.data();
}

}  // namespace sigma::data
