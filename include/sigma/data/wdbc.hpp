// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_wdbc_hpp, W> {};

namespace sigma::data {

/// Wisconsin diagnostic breast cancer (W. H. Wolberg, W. N. Street, O. L. Mangasarian, UCI): 569 records, 357 benign
/// (class 0, "B") and 212 malignant (class 1, "M"); 30 measurements of cell nuclei, so standardize them.
/// From `directory` if given, else as published() says; it comes with the library.
Supervised<Extents<30>, Extents<>> wdbc(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/wdbc.ipp>
#endif
