// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_connect_4_hpp, W> {};

namespace sigma::data {

/// Connect-4 after eight moves (J. Tromp, UCI): every position in which nobody has won and the next move is not forced,
/// 67,557 records; 42 squares, column by column from the bottom: 1 of the first player, who moves, -1 of the second, 0
/// empty. Classes: win (44,473), loss (16,635) and draw (6,449) of the first player when both play perfectly.
/// From `directory` if given, else as published() says. No digest of the file is known: what is not 67,557 records of
/// boards with four marks of each is refused with a DataError.
Supervised<Extents<42>, Extents<>> connect_4(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/connect_4.ipp>
#endif
