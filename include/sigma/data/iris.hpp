// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_iris_hpp, W> {};

namespace sigma::data {

/// R. A. Fisher's iris flowers (1936): 150 records sorted by class, 50 of each of 3; 4 lengths in centimetres.
/// From `directory` if given, else as published() says; it comes with the library.
Supervised<Extents<4>, Extents<>> iris(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/iris.ipp>
#endif
