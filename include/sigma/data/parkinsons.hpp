// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/read_table.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

namespace detail {

PublishedFile parkinsons_file();

}  // namespace detail

/// Measures of voices (M. A. Little et al., BioMedical Engineering OnLine 6:23, 2007): 195 recordings of 32 persons, 147 of
/// those who have Parkinson's disease (class 1) and 48 of those who have not; 22 numbers of very different size, so
/// standardize them. A person has several recordings: split by parkinsons_persons().
/// From `directory` if given, else as published() says.
inline auto parkinsons(const std::string& directory = "") {
    return csv(unpacked(published(detail::parkinsons_file(), directory)), {.header = true}) >>
           sections(inputs = columns<1, 16>() + columns<18, 23>(), targets = labels("status", {"0", "1"})) >> dataset("parkinsons");
}

/// For each record of parkinsons() the person, from 0: split_groups(parkinsons(), parkinsons_persons(), 0.8, 0.2).
std::vector<std::size_t> parkinsons_persons(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/parkinsons.ipp>
#endif
