// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/convolution.hpp>

namespace sigma {

inline constexpr Given::Label vocabulary_and_width{"vocabulary and width"};
inline constexpr Fault error_Embedding_vocabulary_and_width_must_be_positive{
    "Embedding: vocabulary and width must be positive"},
    error_Embedding_needs_ids_of_rank_1_to_5{"Embedding needs ids of rank 1 to 5"};

/// A learned row for each word: ids (batch, …) -> (batch, …, width), from a table (vocabulary, width). An id that is no
/// word gives a row of NaN; training refuses such ids of an input in memory before it begins.
struct Embedding : Layer {
    Extent vocabulary, width;

    constexpr Embedding(Extent words, Extent columns) : vocabulary(words), width(columns) {}

    static constexpr Text kind = "embedding";
    static constexpr void each_size(auto& self, auto f) { f(self.vocabulary), f(self.width); }

    constexpr Tensor forward(Context& context, Tensor ids) const {
        if (vocabulary < 1 || width < 1)
            return ids.refused(error_Embedding_vocabulary_and_width_must_be_positive,
                               {vocabulary_and_width, Shape{vocabulary, width}});
        if (ids.shape().rank >= detail::max_rank)
            return ids.refused(error_Embedding_needs_ids_of_rank_1_to_5, {ids_are, ids.shape()});
        return gather(parameter(context, {vocabulary, width}, "table", glorot()), ids);
    }
};

}  // namespace sigma
