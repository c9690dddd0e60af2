// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <string>

namespace sigma::data {

namespace detail {

PublishedFile wine_file();

}  // namespace detail

/// Wines of three growers in one region of Italy (M. Forina et al., UCI): 178 records sorted by class, 59, 71 and 48; 13
/// chemical measurements of very different size, so standardize them.
/// From `directory` if given, else as published() says; it comes with the library.
inline auto wine(const std::string& directory = "") {
    return csv(unpacked(published(detail::wine_file(), directory))) >>
           sections(inputs = columns<1, 13>(), targets = labels(0, {"1", "2", "3"})) >> dataset("wine");
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/wine.ipp>
#endif
