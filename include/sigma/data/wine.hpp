// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_wine_hpp, W> {};

namespace sigma::data {

/// Wines of three growers in one region of Italy (M. Forina et al., UCI): 178 records sorted by class, 59, 71 and 48;
/// 13 chemical measurements of very different size, so standardize them. From `directory` if given, else as published()
/// says; it comes with the library.
Supervised<Extents<13>, Extents<>> wine(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/wine.ipp>
#endif
