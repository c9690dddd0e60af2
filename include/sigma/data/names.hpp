// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Names of data sets, splits and minibatches in namespace sigma::data. Included by `<sigma/sigma.hpp>`.
// They are the same entities in both namespaces, so that a program about data needs one namespace, and a program that
// uses both finds no ambiguity.
#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/pipeline/typed.hpp>  // overloads for datasets of known extents: only what is declared gets a name
#include <sigma/data/split.hpp>

namespace sigma::data {

using sigma::Batch;
using sigma::BatchIterator;
using sigma::BatchPosition;
using sigma::concatenate;
using sigma::Dataset;
using sigma::epoch_of;
using sigma::EpochOfBatches;
using sigma::k_fold;
using sigma::make_dataset;
using sigma::Minibatches;
using sigma::minibatches;
using sigma::minibatches_in_order;
using sigma::NamedNumbers;
using sigma::Numbers;
using sigma::shuffled;
using sigma::split;
using sigma::split_blocks;
using sigma::split_groups;
using sigma::stratified_k_fold;
using sigma::stratified_split;
using sigma::subset;
using sigma::take;
using sigma::undivided;
using sigma::detail::Record;

/// @cond internal
// ---- names of headers that are not included: they are functions of any arguments that name the header ----

struct include_sigma_data_data_hpp;
template <class>
struct error_word_of_namespace_data_is_not_included;

namespace detail {

/// Complete if <sigma/data/data.hpp> is included, and with it all names.
template <class>
struct WordsIncluded;
template <class W>
concept NotIncluded = !requires { sizeof(WordsIncluded<W>); };
using Forgotten = error_word_of_namespace_data_is_not_included<include_sigma_data_data_hpp>;

}  // namespace detail

#define SIGMA_WORD_OF_DATA(word)            \
    template <detail::NotIncluded W = void> \
    detail::Forgotten word(...)
SIGMA_WORD_OF_DATA(file);
SIGMA_WORD_OF_DATA(url);
SIGMA_WORD_OF_DATA(memory);
SIGMA_WORD_OF_DATA(unpacked);
SIGMA_WORD_OF_DATA(csv);
SIGMA_WORD_OF_DATA(idx);
SIGMA_WORD_OF_DATA(npy);
SIGMA_WORD_OF_DATA(column);
SIGMA_WORD_OF_DATA(columns);
SIGMA_WORD_OF_DATA(labels);
SIGMA_WORD_OF_DATA(classes);
SIGMA_WORD_OF_DATA(standardize);
#undef SIGMA_WORD_OF_DATA

// ---- ready data sets ----

SIGMA_WORD_OF(include_sigma_data_ready_hpp, california_housing);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, connect_4);
SIGMA_WORD_OF(include_sigma_data_mnist_hpp, fashion_mnist);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, heart_disease);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, iris);
SIGMA_WORD_OF(include_sigma_data_mnist_hpp, mnist);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, optical_digits);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, cifar10);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, parkinsons);
SIGMA_WORD_OF(include_sigma_data_tic_tac_toe_hpp, tic_tac_toe);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, tiny_shakespeare);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, wdbc);
SIGMA_WORD_OF(include_sigma_data_ready_hpp, wine);
/// @endcond

}  // namespace sigma::data
