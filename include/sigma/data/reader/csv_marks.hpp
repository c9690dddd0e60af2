// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sigma::data::detail {

/// Finds where fields may end: the positions of five characters, 64 bytes at a time, without a branch for each byte
/// (the first stage of Langdale and Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 28, 2019).
class CsvMarks {
public:
    static constexpr std::size_t block = 64;

    explicit CsvMarks(const std::array<char, 5>& wanted) : wanted_(wanted) {}

    /// Their positions among the first `size` bytes, ascending, then `size` a few times. Bytes up to the next multiple
    /// of `block` must be readable and must be none of the five.
    const std::uint32_t* find(const char* bytes, std::size_t size);

private:
    std::array<char, 5> wanted_;
    std::vector<std::uint32_t> positions_;

#ifdef __SSE2__
    std::uint64_t mask(const char* bytes) const {
        std::uint64_t bits = 0;
        for (int part = 0; part < 4; ++part) {
            const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
            const __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[0])),
                                            _mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[1])));
            const __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[2])),
                                            _mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[3])));
            const __m128i e = _mm_cmpeq_epi8(b, _mm_set1_epi8(wanted_[4]));
            bits |= static_cast<std::uint64_t>(
                        static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(ab, cd), e))))
                    << (16 * part);
        }
        return bits;
    }
#else
    std::uint64_t mask(const char* bytes) const {
        constexpr std::uint64_t ones = 0x0101010101010101, low = 0x7F7F7F7F7F7F7F7F;
        std::uint64_t bits = 0;
        for (int part = 0; part < 8; ++part) {
            std::uint64_t b, none = ~std::uint64_t{0};
            std::memcpy(&b, bytes + 8 * part, 8);
            for (const char c : wanted_) {
                const std::uint64_t other = b ^ (ones * static_cast<unsigned char>(c));  // 0 where a byte is c
                none &= ((other & low) + low) | other;
            }
            // The highest bits of 8 bytes, moved together by a product without carries.
            bits |= (((~none & ~low) >> 7) * 0x0102040810204080 >> 56) << (8 * part);
        }
        return bits;
    }
#endif
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_marks.ipp>
#endif
