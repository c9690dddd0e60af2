// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/learn.hpp>
#include <sigma/data/transform/preprocessing.hpp>

namespace sigma::data {

/// The records of a dataset after preprocessing. Those in memory are copied, those in blocks go through it whenever
/// their block is loaded. Throws ShapeError where it does not fit.
[[gnu::cold]] Dataset transformed(const Dataset& dataset, const Preprocessing& preprocessing);

namespace detail {

/// Gives all records to `visit` in blocks of at most 4096; each block of the dataset is loaded once.
void show_records(const Dataset& dataset, const BlockVisitor& visit);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/transformed.ipp>
#endif
