// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Minibatches with sections that the compiler knows. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/words.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace sigma {

namespace data {

template <class>
struct Pipeline;
class Table;

/// Minibatches of a dataset with sections that the compiler knows.
///
/// @tparam Schema_  names, roles and extents of the sections
///
/// @see minibatches, DatasetOf
template <class Schema_>
struct MinibatchesOf : Minibatches {
    using Schema = Schema_;  ///< sections of the dataset

    /// Constructs from minibatches with these sections.
    /// @param batches  the minibatches
    explicit MinibatchesOf(Minibatches batches) : Minibatches(std::move(batches)) {}
};

/// @cond internal
/// The mistake of an input to augment that does not exist.
template <class S, Text name>
struct NoSuchInput;
template <class... F, Text name>
struct NoSuchInput<Schema<F...>, name> {
    using mistake = error_no_such_input_to_augment<section<name>, sections_are<section<F::name>...>>;
};
template <class S, class Word>
inline constexpr bool takes_input_of = true;
template <class S, Text name>
inline constexpr bool takes_input_of<S, AugmentStepFor<name>> = S::has_input(name);
template <class S, class Word>
concept TakesInputOf = takes_input_of<S, Word>;
/// @endcond

/// Adds an option to minibatches. Their type stays the same.
/// @param batches  the minibatches
/// @param word     an option such as `drop_last`, `prefetch(3)`, `augment(inputs, shift(2))`
/// @return the minibatches with this option
template <class S, class Word>
    requires TakesInputOf<S, Word> &&
             requires(Minibatches batches, Word word) { Minibatches{std::move(batches) >> std::move(word)}; }
MinibatchesOf<S> operator>>(MinibatchesOf<S> batches, Word word) {
    return MinibatchesOf<S>(static_cast<Minibatches&&>(batches) >> std::move(word));
}
/// @cond internal
template <class S, Text name>
    requires(!S::has_input(name))
auto operator>>(MinibatchesOf<S>, const AugmentStepFor<name>&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename NoSuchInput<S, name>::mistake>{}));
/// @endcond

}  // namespace data

/// @cond internal
/// Rejects a pipeline, which is no dataset yet: `… >> dataset("iris")` reads it.
template <class S>
error_minibatches_need_a_dataset<use_dataset_behind_it> minibatches(const data::Pipeline<S>&, std::integral auto size,
                                                                    std::uint64_t seed = 0);
template <class S>
error_minibatches_need_a_dataset<use_dataset_behind_it> minibatches_in_order(const data::Pipeline<S>&,
                                                                             std::integral auto size);
template <class S>
error_minibatches_need_a_dataset<use_dataset_behind_it> undivided(const data::Pipeline<S>&);
error_minibatches_need_a_dataset<use_dataset_behind_it> minibatches(const data::Table&, std::integral auto size,
                                                                    std::uint64_t seed = 0);

/// @endcond

/// Makes minibatches in random order of a dataset with sections that the compiler knows.
/// @param dataset  records to take batches of
/// @param size     records in a batch, from 1 to the number of records
/// @param seed     seed of the order: equal seeds give equal batches
/// @return the minibatches; add options with `>>`
/// @throws ArgumentError  if `size` is out of range
/// @throws DataError      if an input in memory has missing numbers
/// @see Minibatches, docs/minibatches.md
template <class S>
data::MinibatchesOf<S> minibatches(data::DatasetOf<S> dataset, std::integral auto size, std::uint64_t seed = 0) {
    return data::MinibatchesOf<S>(minibatches(static_cast<Dataset&&>(dataset), size, seed));
}
/// Makes minibatches in the order of a dataset with sections that the compiler knows.
/// @param dataset  records to take batches of
/// @param size     records in a batch, from 1 to the number of records
/// @return the minibatches; add options with `>>`
/// @throws ArgumentError  if `size` is out of range
/// @throws DataError      if an input in memory has missing numbers
/// @see Minibatches, docs/minibatches.md
template <class S>
data::MinibatchesOf<S> minibatches_in_order(data::DatasetOf<S> dataset, std::integral auto size) {
    return data::MinibatchesOf<S>(minibatches_in_order(static_cast<Dataset&&>(dataset), size));
}
/// Makes one batch of all records of a dataset with sections that the compiler knows.
/// @param dataset  records to take batches of
/// @return the minibatches
/// @throws DataError  if an input in memory has missing numbers
/// @see Minibatches, docs/minibatches.md
template <class S>
data::MinibatchesOf<S> undivided(data::DatasetOf<S> dataset) {
    return data::MinibatchesOf<S>(undivided(static_cast<Dataset&&>(dataset)));
}

}  // namespace sigma
