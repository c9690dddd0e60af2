// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/minibatches.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What `>>` adds to minibatches:
///     minibatches(training, 100) >> drop_last >> weighted(w) >> shard(i, n) >> prefetch(3) >> augment(inputs,
///     shift(2))
namespace sigma::data {

namespace detail {
struct DropLast {};
struct Prefetch {
    std::size_t batches;
};
struct Shard {
    std::size_t number, count;
};
struct Weighted {
    std::vector<double> weights;
    std::size_t draws;  // 0: as many as records
};
struct Balanced {};
struct Seeded {
    std::uint64_t seed;
};

std::string of_minibatches(const char* word, const Minibatches& batches);
}  // namespace detail

/// Only whole batches: what is left over at the end of an epoch, other records in each, is left out.
inline constexpr detail::DropLast drop_last{};

/// So many batches are made ahead on a thread of their own while the step runs, from 0 (none are) to 1000.
detail::Prefetch prefetch(sigma::detail::Integer batches);

/// Part `number`, from 0, of `count`, for one of several workers or machines that share an epoch. All have the same
/// order of the whole dataset, of which batch b of part i is the i-th even part of a round of count · size records:
/// disjoint, together complete, with equally many batches for all.
detail::Shard shard(sigma::detail::Integer number, sigma::detail::Integer count);

/// Records are drawn, with replacement, in proportion to weights, one for each record of the dataset: as many as it has
/// records, or `draws`, in an epoch.
template <std::ranges::input_range Weights>
    requires std::convertible_to<std::ranges::range_value_t<Weights>, double>
detail::Weighted weighted(const Weights& weights, std::size_t draws = 0) {
    detail::Weighted all{{}, draws};
    for (const auto w : weights) all.weights.push_back(static_cast<double>(w));
    return all;
}

/// Records are drawn so that each class comes equally often on average.
inline constexpr detail::Balanced balanced{};

/// Another seed of all that is random.
inline detail::Seeded seeded(std::uint64_t seed) { return {seed}; }

}  // namespace sigma::data

namespace sigma {

Minibatches operator>>(Minibatches batches, data::detail::DropLast);
Minibatches operator>>(Minibatches batches, data::detail::Prefetch p);
/// Of a part, a part: shard(1, 2) >> shard(0, 3) would not be one of an even 6, so it is refused.
Minibatches operator>>(Minibatches batches, data::detail::Shard s);
/// Throws ArgumentError where there are not as many weights as records, and for weights below 0, not finite, or all 0.
Minibatches operator>>(Minibatches batches, data::detail::Weighted w);
/// Throws DataError where targets are no class numbers.
Minibatches operator>>(Minibatches batches, data::detail::Balanced);
Minibatches operator>>(Minibatches batches, data::detail::Seeded s);
/// Records are changed at random after they were copied, in each epoch in another way. Throws ArgumentError for an
/// input that there is not, ShapeError for records that cannot be changed so.
Minibatches operator>>(Minibatches batches, const data::AugmentStep& step);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/options.ipp>
#endif
