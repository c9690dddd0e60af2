// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {
struct Mixing;
}

namespace sigma::detail {

/// Returns the array of a data set for each input of a network, then for each of its targets: by name if possible, then
/// in order. Throws DataError or ShapeError if the data do not fit the network: shapes, missing arrays, ids of an
/// Embedding or labels out of range, targets that are invalid for the losses.
[[gnu::cold]] std::vector<std::size_t> check_data(const NetworkTable& network, const Dataset& data);
/// Throws ArgumentError if minibatches of a data set mix numbers that have no mean: class numbers, signs, ids of an
/// Embedding, and targets that a loss may ignore.
[[gnu::cold]] void check_mixing(const NetworkTable& network, const data::Mixing& mixing, const Dataset& data);
/// Returns the array of each input and target, if there are as many.
[[gnu::cold]] std::vector<std::size_t> arrays_of(const NetworkTable& network, const Dataset& data);
/// Checks the numbers in the dense rows of a batch in the same way. Throws a DataError of dataset 'batch'. Inputs and
/// targets must be finite.
template <class T>
void check_numbers_of_batch(const NetworkTable& network, std::span<const T* const> inputs,
                            std::span<const T* const> targets, std::ptrdiff_t count);
/// Checks the inputs of a batch. `check_upstream_of_batch` checks gradients of predictions.
template <class T>
void check_inputs_of_batch(const NetworkTable& network, std::span<const T* const> inputs, std::ptrdiff_t count);
template <class T>
void check_upstream_of_batch(const NetworkTable& network, std::span<const T* const> upstream, std::ptrdiff_t count);

/// Returns warnings about valid but unlikely targets, one text each: class numbers that a loss uses as regression
/// targets, and targets that the last activation never reaches. Does not read records in blocks.
[[gnu::cold]] std::vector<std::string> doubtful_targets(const NetworkTable& network, const Dataset& data);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_data.ipp>
#endif
