// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/tape/convolution.hpp>

namespace sigma {

template <int, int>
struct vocabulary_and_width;
template <class>
struct error_Embedding_vocabulary_and_width_must_be_positive;
template <class>
struct error_Embedding_needs_ids_of_rank_1_to_5;

/// A learned row for each word: ids (batch, …) -> (batch, …, width), from a table (vocabulary, width). An id that is no
/// word gives a row of NaN; training refuses such ids of an input in memory before it begins.
struct Embedding : Layer {
    int vocabulary, width;

    constexpr Embedding(int words, int columns) : vocabulary(words), width(columns) {}

    static constexpr Text kind = "embedding";

    static constexpr auto check(auto self) {
        return MistakeIf<(self().vocabulary < 1 || self().width < 1),
                         error_Embedding_vocabulary_and_width_must_be_positive<
                             vocabulary_and_width<self().vocabulary, self().width>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto ids) {
        if constexpr (ids.shape.rank >= detail::max_rank) {
            return Mistake<
                error_Embedding_needs_ids_of_rank_1_to_5<typename detail::Spelled<ids.shape, ids.shape.rank>::type>>{};
        } else {
            const auto table = parameter<Shape{self().vocabulary, self().width}>(context, "table", glorot());
            return gather(table, ids);
        }
    }
};

}  // namespace sigma
