// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// Minibatches of a dataset whose sections the compiler knows.
template <class Schema_>
struct MinibatchesOf : Minibatches {
    using Schema = Schema_;

    explicit MinibatchesOf(Minibatches batches) : Minibatches(std::move(batches)) {}
};

/// Which inputs an unknown one is none of.
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

/// What can be said of minibatches leaves their sections as they are.
template <class S, class Word>
    requires TakesInputOf<S, Word> &&
             requires(Minibatches batches, Word word) { Minibatches{std::move(batches) >> std::move(word)}; }
MinibatchesOf<S> operator>>(MinibatchesOf<S> batches, Word word) {
    return MinibatchesOf<S>(static_cast<Minibatches&&>(batches) >> std::move(word));
}
template <class S, Text name>
    requires(!S::has_input(name))
auto operator>>(MinibatchesOf<S>, const AugmentStepFor<name>&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename NoSuchInput<S, name>::mistake>{}));

}  // namespace data

/// Of what is no dataset yet: `… >> dataset("iris")` reads it.
template <class S>
error_minibatches_need_a_dataset<write_dataset_behind_it> minibatches(const data::Pipeline<S>&, std::integral auto size,
                                                                      std::uint64_t seed = 0);
template <class S>
error_minibatches_need_a_dataset<write_dataset_behind_it> minibatches_in_order(const data::Pipeline<S>&,
                                                                               std::integral auto size);
template <class S>
error_minibatches_need_a_dataset<write_dataset_behind_it> undivided(const data::Pipeline<S>&);
error_minibatches_need_a_dataset<write_dataset_behind_it> minibatches(const data::Table&, std::integral auto size,
                                                                      std::uint64_t seed = 0);

/// As of any dataset.
template <class S>
data::MinibatchesOf<S> minibatches(data::DatasetOf<S> dataset, std::integral auto size, std::uint64_t seed = 0) {
    return data::MinibatchesOf<S>(minibatches(static_cast<Dataset&&>(dataset), size, seed));
}
template <class S>
data::MinibatchesOf<S> minibatches_in_order(data::DatasetOf<S> dataset, std::integral auto size) {
    return data::MinibatchesOf<S>(minibatches_in_order(static_cast<Dataset&&>(dataset), size));
}
template <class S>
data::MinibatchesOf<S> undivided(data::DatasetOf<S> dataset) {
    return data::MinibatchesOf<S>(undivided(static_cast<Dataset&&>(dataset)));
}

}  // namespace sigma
