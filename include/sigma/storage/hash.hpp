// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Hashes that detect accidental changes of bytes (against deliberate ones: data/source/digest.hpp). All except crc32c
// use the step of FNV-1a, G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm",
// draft-eastlake-fnv. Files, keys and checkpoints contain them, so their values must not change.
/// @cond internal
namespace sigma::storage {

inline constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325, fnv_prime = 0x100000001b3;

/// Returns FNV-1a with 64 bits, for keys. `before` is the hash of the preceding bytes.
std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t before = fnv_basis);
std::uint64_t fnv1a(std::string_view text, std::uint64_t before = fnv_basis);

/// Returns FNV-1a with 128 bits as 32 hexadecimal digits, for so many bytes or texts that 64 bits are too few.
std::string fingerprint(std::span<const std::byte> bytes);
std::string fingerprint(std::string_view text);

/// A checksum: FNV-1a over words of 8 bytes instead of bytes, in four lanes that are joined at the end (several GB/s).
/// Each step is a bijection of its lane, so that a change within one word is always detected. The result does not
/// depend on how the bytes are divided into parts.
class Checksum {
public:
    explicit Checksum(std::uint64_t seed = 0) : lanes_{fnv_basis ^ seed, fnv_basis + 1, fnv_basis + 2, fnv_basis + 3} {}

    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const;

private:
    std::array<std::uint64_t, 4> lanes_;
    std::array<std::byte, 32> rest_{};  // fewer than 32 bytes that no block contains yet
    std::uint64_t size_ = 0;

    static void step(std::uint64_t& lane, std::uint64_t word);
    /// Returns the lanes after all whole blocks of 32 bytes.
    static std::array<std::uint64_t, 4> taken(std::array<std::uint64_t, 4> lanes, std::span<const std::byte> bytes);
};
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t checksum(const std::string& text, std::uint64_t seed = 0);

/// Returns CRC-32C (Castagnoli's polynomial, RFC 3720), which files of other programs need. `before` is that of the
/// preceding bytes.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/hash.ipp>
#endif
