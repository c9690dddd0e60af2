// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <cstddef>
#include <string>
#include <vector>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_parkinsons_hpp, W> {};

namespace sigma::data {

/// Measures of voices (M. A. Little et al., BioMedical Engineering OnLine 6:23, 2007): 195 recordings of 32 persons,
/// 147 of those who have Parkinson's disease (class 1) and 48 of those who have not; 22 numbers of very different size,
/// so standardize them. A person has several recordings: split by parkinsons_persons(). From `directory` if given, else
/// as published() says.
Supervised<Extents<22>, Extents<>> parkinsons(const std::string& directory = "");

/// For each record of parkinsons() the person, from 0: split_groups(parkinsons(), parkinsons_persons(), 0.8, 0.2).
std::vector<std::size_t> parkinsons_persons(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/parkinsons.ipp>
#endif
