// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Embedding of numbers, such as tokens: Embedding. Included by `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/convolution.hpp>

namespace sigma {

inline constexpr Given::Label vocabulary_and_width{"vocabulary and width"};
inline constexpr Fault error_Embedding_vocabulary_and_width_must_be_positive{
    "Embedding: vocabulary and width must be positive"},
    error_Embedding_vocabulary_must_be_at_most_16777216{
        "Embedding: vocabulary must be at most 16777216, since ids are floats"},
    error_Embedding_needs_ids_of_rank_1_to_5{"Embedding needs ids of rank 1 to 5"};

/// A table of learned rows: replaces each number (id) of a record by its row.
///
/// Ids count from 0 to vocabulary - 1. Before training or `evaluate` starts, a DataError rejects other ids in inputs in
/// memory. Elsewhere fractions are cut off, and the row of an id that is negative, NaN or too large is NaN.
///
/// @par Shape
/// Input (batch, …), of rank 1 to 5. Output (batch, …, width).
///
/// @par Parameters of the network
/// `table` (vocabulary, width), initialized by `glorot()`.
///
/// @par Errors
/// `error_Embedding_vocabulary_and_width_must_be_positive`, `error_Embedding_vocabulary_must_be_at_most_16777216`,
/// `error_Embedding_needs_ids_of_rank_1_to_5`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Reader : Network<Input(20) + Embedding(5000, 32) + LSTM(64, {.last = true}) + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see LearnedPositions, docs/text.md
struct Embedding : Layer {
    Extent vocabulary;  ///< Number of rows of the table.
    Extent width;       ///< Numbers in a row.

    /// Constructs the layer.
    /// @param vocabulary_  number of ids, from 1 to 2^24, such as `Vocabulary::size()`. May be a named size.
    /// @param width_  numbers in a row, at least 1. May be a named size.
    constexpr Embedding(Extent vocabulary_, Extent width_) : vocabulary(vocabulary_), width(width_) {}

    /// @cond internal
    static constexpr Text kind = "embedding";
    static constexpr void each_size(auto& self, auto f) { f(self.vocabulary), f(self.width); }

    constexpr Tensor forward(Context& context, Tensor ids) const {
        if (vocabulary < 1 || width < 1)
            return ids.refused(error_Embedding_vocabulary_and_width_must_be_positive,
                               {vocabulary_and_width, Shape{vocabulary, width}});
        if (vocabulary > 1 << 24)
            return ids.refused(error_Embedding_vocabulary_must_be_at_most_16777216,
                               {vocabulary_and_width, Shape{vocabulary, width}});
        if (ids.shape().rank >= detail::max_rank)
            return ids.refused(error_Embedding_needs_ids_of_rank_1_to_5, {ids_are, ids.shape()});
        return gather(parameter(context, {vocabulary, width}, "table", glorot()), ids);
    }
    /// @endcond
};

}  // namespace sigma
