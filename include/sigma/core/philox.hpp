// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Counter-based random numbers: Philox, PhiloxSequence. Included by `<sigma/sigma.hpp>`.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace sigma {

/// The purpose of random numbers. Numbers for different purposes come from different streams, whatever the seed.
/// @see Philox
enum class RandomUse : std::uint8_t {
    user,        ///< Your own numbers.
    initialize,  ///< Initial values of parameters.
    dropout,     ///< Dropout and noise.
    shuffle,     ///< The order of records in an epoch.
    split,       ///< Splits of data sets.
    augment,     ///< Augmentation of data.
    weights,     ///< Draws by weights of records.
    blocks,      ///< The order of blocks of large data sets.
    generate,    ///< Sampling from a model.
    mix          ///< Mixing of records.
};

/// A source of random numbers that are pure functions of a seed, a stream and an index.
///
/// The algorithm is Philox4x32-10 (J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Any
/// thread or device can draw any number in any order and gets bit-identical results.
///
/// @par Example
/// @code
/// const Philox source(42, RandomUse::user, 0);
/// float first = source.uniform<float>(0);  // in [0, 1)
/// std::vector<float> noise(1000);
/// source.fill_normal(std::span<float>(noise), 0.0f, 0.1f);
/// @endcode
///
/// @see PhiloxSequence
struct Philox {
    using Block = std::array<std::uint32_t, 4>;  ///< 128 random bits.

    std::uint64_t seed = 0;    ///< The seed.
    std::uint64_t stream = 0;  ///< The number of the stream.

    /// Constructs a stream by its number.
    /// @param seed_    seed
    /// @param stream_  number of the stream
    constexpr explicit Philox(std::uint64_t seed_, std::uint64_t stream_ = 0) : seed(seed_), stream(stream_) {}

    /// Constructs a stream for a purpose.
    /// @param seed_   seed
    /// @param use     purpose
    /// @param number  number of a layer, an epoch or an iteration, below 2^56
    constexpr Philox(std::uint64_t seed_, RandomUse use, std::uint64_t number)
        : seed(seed_), stream(static_cast<std::uint64_t>(use) << 56 | number) {}

    /// Returns the block of random bits for a counter and a key: the function of the paper.
    /// @param counter  128 bits
    /// @param key      64 bits
    /// @return 128 random bits
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

    /// Returns a block of 128 random bits.
    /// @param index  number of the block
    /// @return 128 random bits
    constexpr Block block(std::uint64_t index) const {
        return philox4x32({low(index), high(index), low(stream), high(stream)}, {low(seed), high(seed)});
    }

    /// Returns 64 random bits.
    /// @param index  number of the draw; draws 2i and 2i + 1 come from block i
    /// @return 64 random bits
    constexpr std::uint64_t bits(std::uint64_t index) const { return words(block(index / 2), index % 2); }

    /// Returns a number that is uniform in [0, 1), with 24 random bits for `float` and 53 for `double`.
    /// @param index  number of the draw
    /// @return a number in [0, 1)
    template <std::floating_point T>
    constexpr T uniform(std::uint64_t index) const {
        if constexpr (sizeof(T) == 4) return unit(block(index / 4)[index % 4]);
        else return unit(bits(index));
    }

    /// Returns a standard normal number, by the transform of G. E. P. Box and M. E. Muller (1958), computed in
    /// `double`.
    /// @param index  number of the draw
    /// @return a number with mean 0 and standard deviation 1
    template <std::floating_point T>
    T normal(std::uint64_t index) const {
        return static_cast<T>(normal_pair(index / 2)[index % 2]);
    }

    /// Fills values with numbers that are uniform in [low, high): value i is draw i.
    /// @param values  values to fill
    /// @param low_    lower end, included
    /// @param high_   upper end, excluded
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

    /// Fills values with normal numbers: value i is draw i.
    /// @param values     values to fill
    /// @param mean       mean
    /// @param deviation  standard deviation
    template <std::floating_point T>
    void fill_normal(std::span<T> values, T mean = 0, T deviation = 1) const {
        for (std::size_t i = 0; i < values.size(); i += 2) {
            const auto pair = normal_pair(i / 2);
            for (std::size_t lane = 0; lane < 2 && i + lane < values.size(); ++lane)
                values[i + lane] = mean + deviation * static_cast<T>(pair[lane]);
        }
    }

    /// @cond internal
    static constexpr float unit(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
    static constexpr double unit(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }
    /// Returns a number of [0, 1) scaled to [low, high).
    template <std::floating_point T>
    static T between(T low_, T high_, T value) {
        const T scaled = low_ + (high_ - low_) * value;
        return scaled < high_ ? scaled : next_after(high_, low_);  // rounding can reach `high`
    }

    /// @endcond

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

/// The numbers of a stream, one after the other, for algorithms that draw an unknown number of them.
///
/// @par Example
/// @code
/// PhiloxSequence numbers{Philox(42)};
/// std::uint64_t die = 1 + numbers.below(6);
/// double factor = numbers.uniform(0.9, 1.1);
/// @endcode
///
/// @see Philox
struct PhiloxSequence {
    Philox source;           ///< The stream.
    std::uint64_t next = 0;  ///< The number of the next draw of 64 bits.

    /// Returns the next 64 random bits.
    /// @return the next 64 random bits
    constexpr std::uint64_t bits() { return source.bits(next++); }

    /// Returns an integer that is uniform in [0, bound), without bias.
    /// @param bound  upper end, excluded; at least 1
    /// @return an integer in [0, bound)
    // Draws below 2^64 mod bound are drawn again.
    constexpr std::uint64_t below(std::uint64_t bound) {
        std::uint64_t drawn = bits();
        if (drawn < bound)  // rarely true, so that most draws cost one division less
            for (const std::uint64_t excess = (~bound + 1) % bound; drawn < excess;) drawn = bits();
        return drawn % bound;
    }

    /// Returns a number that is uniform in [0, 1), with 24 random bits for `float` and 53 for `double`.
    /// @return a number in [0, 1)
    template <std::floating_point T = float>
    constexpr T uniform() {
        if constexpr (sizeof(T) == 4) return Philox::unit(static_cast<std::uint32_t>(bits() >> 32));
        else return Philox::unit(bits());
    }
    /// Returns a number that is uniform in [low, high): `uniform(-10, 10)` is a `float`, `uniform(0.9, 1.1)` a
    /// `double`.
    /// @param low   lower end, included
    /// @param high  upper end, excluded; at least `low`
    /// @return a number in [low, high)
    template <class Low, class High>
        requires(std::is_arithmetic_v<Low> && std::is_arithmetic_v<High>)
    std::common_type_t<float, Low, High> uniform(Low low, High high) {
        using T = std::common_type_t<float, Low, High>;
        return Philox::between(static_cast<T>(low), static_cast<T>(high), uniform<T>());
    }

    /// Returns a standard normal number. It starts a new block, so that the rest of the current block is skipped.
    /// @return a number with mean 0 and standard deviation 1
    template <std::floating_point T = float>
    T normal() {
        next += next % 2;
        const T drawn = source.normal<T>(next);
        next += 2;
        return drawn;
    }
};

namespace detail {

/// Puts values in random order, each order equally likely (R. Durstenfeld, Algorithm 235, CACM 1964).
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

/// Puts values in the random order of one epoch.
template <class T, std::size_t extent>
constexpr void shuffle(std::span<T, extent> values, std::uint64_t seed, std::uint64_t round) {
    shuffle(values, Philox(seed, RandomUse::shuffle, round));
}

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/philox.ipp>
#endif
