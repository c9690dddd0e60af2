// SPDX-License-Identifier: BSL-1.0
#pragma once
// Datasets, their parts and minibatches are words of namespace sigma; here they get the names data::split and the like,
// too, so that a program about data needs one namespace. With both open they are the same entities, never ambiguous.
#include <sigma/data/batches.hpp>
#include <sigma/data/concatenate.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/fold.hpp>
#include <sigma/data/pipeline/typed.hpp>  // overloads for datasets whose extents are known: only what is declared gets a name
#include <sigma/data/split.hpp>
#include <sigma/data/subset.hpp>

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
using sigma::Record;
using sigma::shuffled;
using sigma::split;
using sigma::split_blocks;
using sigma::split_groups;
using sigma::stratified_k_fold;
using sigma::stratified_split;
using sigma::subset;
using sigma::take;
using sigma::undivided;

}  // namespace sigma::data
