// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstring>

namespace sigma::storage {

SIGMA_IMPL std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t before) {
    for (const std::byte byte : bytes) before = (before ^ std::to_integer<std::uint64_t>(byte)) * fnv_prime;
    return before;
}

SIGMA_IMPL std::uint64_t fnv1a(std::string_view text, std::uint64_t before) {
    return fnv1a(std::as_bytes(std::span(text)), before);
}

SIGMA_IMPL std::string fingerprint(std::span<const std::byte> bytes) {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide prime = (Wide{1} << 88) + 0x13b;
    Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
    for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<unsigned>(byte)) * prime;
    return detail::hexadecimal(static_cast<std::uint64_t>(hash >> 64)) +
           detail::hexadecimal(static_cast<std::uint64_t>(hash));
}

SIGMA_IMPL std::string fingerprint(std::string_view text) { return fingerprint(std::as_bytes(std::span(text))); }

SIGMA_IMPL void Checksum::add(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    const std::size_t held = size_ % rest_.size();
    size_ += bytes.size();
    if (held > 0) {
        const std::size_t more = std::min(bytes.size(), rest_.size() - held);
        std::memcpy(rest_.data() + held, bytes.data(), more);
        bytes = bytes.subspan(more);
        if (held + more < rest_.size()) return;
        lanes_ = taken(lanes_, rest_);
    }
    lanes_ = taken(lanes_, bytes);
    bytes = bytes.last(bytes.size() % rest_.size());
    if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
}

SIGMA_IMPL std::uint64_t Checksum::value() const {
    std::array<std::byte, 32> last{};
    std::memcpy(last.data(), rest_.data(), size_ % rest_.size());
    std::uint64_t all = size_;
    for (const std::uint64_t lane : taken(lanes_, last)) step(all, lane);
    return all;
}

SIGMA_IMPL void Checksum::step(std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * fnv_prime;
    lane ^= lane >> 32;  // else high bits would never reach low ones
}

SIGMA_IMPL std::array<std::uint64_t, 4> Checksum::taken(std::array<std::uint64_t, 4> lanes,
                                                        std::span<const std::byte> bytes) {
    std::array<std::uint64_t, 4> words;
    for (std::size_t at = 0; at + 32 <= bytes.size(); at += 32) {
        std::memcpy(words.data(), bytes.data() + at, 32);
        for (std::size_t i = 0; i < 4; ++i) step(lanes[i], words[i]);
    }
    return lanes;
}

SIGMA_IMPL std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
    Checksum all(seed);
    all.add(bytes);
    return all.value();
}

SIGMA_IMPL std::uint64_t checksum(const std::string& text, std::uint64_t seed) {
    return checksum(std::as_bytes(std::span(text)), seed);
}

SIGMA_IMPL std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> rests{};
        for (std::uint32_t i = 0; i < rests.size(); ++i) {
            rests[i] = i;
            for (int bit = 0; bit < 8; ++bit) rests[i] = rests[i] >> 1 ^ (rests[i] & 1 ? 0x82f63b78u : 0u);
        }
        return rests;
    }();
    std::uint32_t rest = ~before;
    for (const std::byte byte : bytes) rest = rest >> 8 ^ table[(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
    return ~rest;
}

}  // namespace sigma::storage
