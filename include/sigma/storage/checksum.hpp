// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

namespace sigma::storage {

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, 64 bits) over words of 8 bytes instead of bytes, in four lanes that are
/// joined at the end: several GB/s. Each step is a bijection of its lane, so that a change within one word is always
/// found. Against accidents, not against attackers. How the bytes come in parts does not matter.
class Checksum {
public:
    explicit Checksum(std::uint64_t seed = 0) : lanes_{basis ^ seed, basis + 1, basis + 2, basis + 3} {}

    void add(std::span<const std::byte> bytes) {
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
    std::uint64_t value() const {
        std::array<std::byte, 32> last{};
        std::memcpy(last.data(), rest_.data(), size_ % rest_.size());
        std::uint64_t all = size_;
        for (const std::uint64_t lane : taken(lanes_, last)) step(all, lane);
        return all;
    }

private:
    static constexpr std::uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
    std::array<std::uint64_t, 4> lanes_;
    std::array<std::byte, 32> rest_{};  // less than 32 bytes that have come
    std::uint64_t size_ = 0;

    static void step(std::uint64_t& lane, std::uint64_t word) {
        lane = (lane ^ word) * prime;
        lane ^= lane >> 32;  // else high bits would never reach low ones
    }
    /// The lanes after all whole blocks of 32 bytes.
    static std::array<std::uint64_t, 4> taken(std::array<std::uint64_t, 4> lanes, std::span<const std::byte> bytes) {
        std::array<std::uint64_t, 4> words;
        for (std::size_t at = 0; at + 32 <= bytes.size(); at += 32) {
            std::memcpy(words.data(), bytes.data() + at, 32);
            for (std::size_t i = 0; i < 4; ++i) step(lanes[i], words[i]);
        }
        return lanes;
    }
};
inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
    Checksum all(seed);
    all.add(bytes);
    return all.value();
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

}  // namespace sigma::storage
