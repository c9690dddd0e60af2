// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <cstdint>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {

/// Eight Philox4x32-10 counters at once: columns 8·i … 8·i+7 of a row. The arithmetic is that of Philox::philox4x32 in
/// 64-bit lanes, because vector units multiply 32 bits to 64. Upper halves may have any value in between.
struct RandomBlock {
    std::uint32_t word[4][8];

    static constexpr int bytes = register_bytes < 32 ? register_bytes : 32;
    using Lane = Register<std::uint64_t, bytes>;
    static constexpr int width = bytes / 8;
    static constexpr int parts = 8 / width;
    SIGMA_INLINE static Lane splat(std::uint64_t x) { return Lane{} + x; }
    SIGMA_INLINE static Lane mul(Lane x, Lane y) { return multiply_lower_halves<bytes>(x, y); }
    SIGMA_INLINE static Lane count(int part, std::uint64_t first) {
        static constexpr std::uint64_t numbers[] = {0, 1, 2, 3};
        return splat(first + static_cast<unsigned>(part * width)) + load_register<std::uint64_t, bytes>(numbers);
    }
    template <int n>
    SIGMA_INLINE static void put(std::uint32_t* to, Register<std::uint64_t, 8 * n> x) {
        const auto words = Register<std::uint32_t, 8 * n>(x);
        if constexpr (n == 4) store_register<std::uint32_t, 16>(to, __builtin_shufflevector(words, words, 0, 2, 4, 6));
        else store_register<std::uint32_t, 8>(to, __builtin_shufflevector(words, words, 0, 2));
    }

    void draw(std::uint64_t block, std::uint32_t row, std::uint32_t step, std::uint32_t stream, std::uint64_t seed) {
        const Lane m0 = splat(0xD2511F53u), m1 = splat(0xCD9E8D57u);
        Lane c0[parts], c1[parts], c2[parts], c3[parts];
        SIGMA_UNROLL
        for (int i = 0; i < parts; ++i) {
            c0[i] = count(i, 8 * block);
            c1[i] = splat(row);
            c2[i] = splat(step);
            c3[i] = splat(stream);
        }
        std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
        for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
            const Lane key0 = splat(k0), key1 = splat(k1);
            SIGMA_UNROLL
            for (int i = 0; i < parts; ++i) {
                const Lane even = mul(c0[i], m0), odd = mul(c2[i], m1);
                c0[i] = (odd >> 32) ^ c1[i] ^ key0;
                c1[i] = odd;
                c2[i] = (even >> 32) ^ c3[i] ^ key1;
                c3[i] = even;
            }
        }
        for (int i = 0; i < parts; ++i) {
            put<width>(word[0] + i * width, c0[i]);
            put<width>(word[1] + i * width, c1[i]);
            put<width>(word[2] + i * width, c2[i]);
            put<width>(word[3] + i * width, c3[i]);
        }
    }
};

}  // namespace detail

/// Fills some rows of a matrix with uniform numbers in [0, 1): element (row, 32·b + 8·w + j) is word `w` of the
/// Philox4x32-10 block with counter (8·b + j, row, step, stream) under the seed as key.
template <class T>
void fill_uniform(T* to, std::ptrdiff_t first_row, std::ptrdiff_t rows, std::ptrdiff_t columns,
                  std::ptrdiff_t row_stride, std::uint32_t stream, const sigma::detail::RandomKey& key) {
    constexpr std::uint32_t use = static_cast<std::uint32_t>(RandomUse::dropout) << 24;
    detail::RandomBlock block;
    for (std::ptrdiff_t r = 0; r < rows; ++r, to += row_stride)
        for (std::ptrdiff_t c = 0; c < columns; c += 32) {
            block.draw(static_cast<std::uint64_t>(c / 32), static_cast<std::uint32_t>(first_row + r), key.step,
                       use | stream, key.seed);
            const std::uint32_t* words = block.word[0];
            const std::ptrdiff_t n = min_of<std::ptrdiff_t>(32, columns - c);
            for (std::ptrdiff_t i = 0; i < n; ++i)
                to[c + i] = static_cast<T>(static_cast<std::int32_t>(words[i] >> 8)) * static_cast<T>(0x1p-24);
        }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
