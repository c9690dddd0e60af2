// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma::storage {

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, 64 bits) over words of 8 bytes instead of bytes, in four lanes that are
/// joined at the end: several GB/s. Each step is a bijection of its lane, so that a change within one word is always
/// found. Against accidents, not against attackers. How the bytes come in parts does not matter.
class Checksum {
public:
    explicit Checksum(std::uint64_t seed = 0) : lanes_{basis ^ seed, basis + 1, basis + 2, basis + 3} {}

    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const;

private:
    static constexpr std::uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
    std::array<std::uint64_t, 4> lanes_;
    std::array<std::byte, 32> rest_{};  // less than 32 bytes that have come
    std::uint64_t size_ = 0;

    static void step(std::uint64_t& lane, std::uint64_t word);
    /// The lanes after all whole blocks of 32 bytes.
    static std::array<std::uint64_t, 4> taken(std::array<std::uint64_t, 4> lanes, std::span<const std::byte> bytes);
};
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t checksum(const std::string& text, std::uint64_t seed = 0);

/// "00c0ffee00c0ffee"
std::string hexadecimal(std::uint64_t number);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/checksum.ipp>
#endif
