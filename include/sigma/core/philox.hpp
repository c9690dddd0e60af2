// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace sigma {

/// What random numbers are drawn for. Numbers drawn for different uses never meet, whatever the seed.
enum class RandomUse : std::uint8_t { user, initialize, dropout, shuffle, split, augment, weights, blocks, generate };

/// Counter-based random numbers, Philox4x32-10: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011. Number i of a stream is a pure function of (seed, stream, i), so any thread or device can draw any number
/// in any order and gets the same bits.
struct Philox {
    using Block = std::array<std::uint32_t, 4>;

    std::uint64_t seed = 0;
    std::uint64_t stream = 0;

    constexpr explicit Philox(std::uint64_t seed_, std::uint64_t stream_ = 0) : seed(seed_), stream(stream_) {}

    // The stream of one use: `number` is a layer, an epoch, an iteration (below 2^56).
    constexpr Philox(std::uint64_t seed_, RandomUse use, std::uint64_t number)
        : seed(seed_), stream(static_cast<std::uint64_t>(use) << 56 | number) {}

    // The bare function of the paper.
    static constexpr Block philox4x32(Block counter, std::array<std::uint32_t, 2> key) {
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t even = std::uint64_t{0xD2511F53} * counter[0];
            const std::uint64_t odd = std::uint64_t{0xCD9E8D57} * counter[2];
            counter = {high(odd) ^ counter[1] ^ key[0], low(odd), high(even) ^ counter[3] ^ key[1], low(even)};
            key[0] += 0x9E3779B9;
            key[1] += 0xBB67AE85;
        }
        return counter;
    }

    constexpr Block block(std::uint64_t index) const {
        return philox4x32({low(index), high(index), low(stream), high(stream)}, {low(seed), high(seed)});
    }

    // 64 random bits.
    constexpr std::uint64_t bits(std::uint64_t index) const { return words(block(index / 2), index % 2); }

    // Uniform in [0, 1): 24 random bits for float, 53 for double.
    template <std::floating_point T>
    constexpr T uniform(std::uint64_t index) const {
        if constexpr (sizeof(T) == 4) return unit(block(index / 4)[index % 4]);
        else return unit(bits(index));
    }

    // Standard normal, by the transform of G. E. P. Box and M. E. Muller (1958), computed in double.
    template <std::floating_point T>
    T normal(std::uint64_t index) const {
        return static_cast<T>(normal_pair(index / 2)[index % 2]);
    }

    // values[i] = uniform(i), over [low, high)
    template <std::floating_point T>
    void fill_uniform(std::span<T> values, T low_ = 0, T high_ = 1) const {
        constexpr std::size_t per_block = sizeof(T) == 4 ? 4 : 2;
        for (std::size_t i = 0; i < values.size(); i += per_block) {
            const Block drawn = block(i / per_block);
            for (std::size_t lane = 0; lane < per_block && i + lane < values.size(); ++lane) {
                T value;
                if constexpr (per_block == 4) value = unit(drawn[lane]);
                else value = unit(words(drawn, lane));
                values[i + lane] = between(low_, high_, value);
            }
        }
    }

    // values[i] = mean + deviation * normal(i)
    template <std::floating_point T>
    void fill_normal(std::span<T> values, T mean = 0, T deviation = 1) const {
        for (std::size_t i = 0; i < values.size(); i += 2) {
            const auto pair = normal_pair(i / 2);
            for (std::size_t lane = 0; lane < 2 && i + lane < values.size(); ++lane)
                values[i + lane] = mean + deviation * static_cast<T>(pair[lane]);
        }
    }

    static constexpr float unit(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
    static constexpr double unit(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }
    /// A number of [0, 1) taken to [low, high).
    template <std::floating_point T>
    static T between(T low_, T high_, T value) {
        const T scaled = low_ + (high_ - low_) * value;
        return scaled < high_ ? scaled : next_after(high_, low_);  // rounding can reach `high`
    }

private:
    static constexpr std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
    static constexpr std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
    static constexpr std::uint64_t words(const Block& drawn, std::size_t half) {
        return std::uint64_t{drawn[2 * half + 1]} << 32 | drawn[2 * half];
    }

    std::array<double, 2> normal_pair(std::uint64_t index) const;
    /// std::nextafter
    static float next_after(float from, float to);
    static double next_after(double from, double to);
};

/// Numbers of a stream one after the other, for algorithms that cannot say beforehand how many they draw.
struct PhiloxSequence {
    Philox source;
    std::uint64_t next = 0;

    constexpr std::uint64_t bits() { return source.bits(next++); }

    // Uniform in [0, bound), without bias: draws below 2^64 mod bound are drawn again.
    constexpr std::uint64_t below(std::uint64_t bound) {
        std::uint64_t drawn = bits();
        if (drawn < bound)  // hardly ever, and that costs a division less
            for (const std::uint64_t excess = (~bound + 1) % bound; drawn < excess;) drawn = bits();
        return drawn % bound;
    }

    // Uniform in [0, 1): 24 random bits for float, 53 for double.
    template <std::floating_point T = float>
    constexpr T uniform() {
        if constexpr (sizeof(T) == 4) return Philox::unit(static_cast<std::uint32_t>(bits() >> 32));
        else return Philox::unit(bits());
    }
    // Uniform in [low, high): uniform(-10, 10) is a float, uniform(0.9, 1.1) a double. low is not above high.
    template <class Low, class High>
        requires(std::is_arithmetic_v<Low> && std::is_arithmetic_v<High>)
    std::common_type_t<float, Low, High> uniform(Low low, High high) {
        using T = std::common_type_t<float, Low, High>;
        return Philox::between(static_cast<T>(low), static_cast<T>(high), uniform<T>());
    }

    // Standard normal, of a block that nothing else is drawn of: what bits() has left of one is passed over.
    template <std::floating_point T = float>
    T normal() {
        next += next % 2;
        const T drawn = source.normal<T>(next);
        next += 2;
        return drawn;
    }
};

namespace detail {

/// Puts the values in random order (R. Durstenfeld, Algorithm 235, CACM 1964), each order equally likely.
template <class T, std::size_t extent>
constexpr void shuffle(std::span<T, extent> values, PhiloxSequence& sequence) {
    for (std::size_t left = values.size(); left > 1; --left) {
        using std::swap;
        swap(values[left - 1], values[static_cast<std::size_t>(sequence.below(left))]);
    }
}
template <class T, std::size_t extent>
constexpr void shuffle(std::span<T, extent> values, const Philox& source) {
    PhiloxSequence sequence{source};
    shuffle(values, sequence);
}

/// The order of one epoch.
template <class T, std::size_t extent>
constexpr void shuffle(std::span<T, extent> values, std::uint64_t seed, std::uint64_t round) {
    shuffle(values, Philox(seed, RandomUse::shuffle, round));
}

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/philox.ipp>
#endif
