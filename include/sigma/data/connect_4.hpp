// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <string>

namespace sigma::data {

namespace detail {

PublishedFile connect_4_file();

/// Throws DataError unless these are the positions after eight moves.
void check_connect_4(const Dataset& positions, const std::string& file);

}  // namespace detail

/// Connect-4 after eight moves (J. Tromp, UCI): every position in which nobody has won and the next move is not forced,
/// 67,557 records; 42 squares, column by column from the bottom: 1 of the first player, who moves, -1 of the second, 0
/// empty. Classes: win (44,473), loss (16,635) and draw (6,449) of the first player when both play perfectly.
/// From `directory` if given, else as published() says. No digest of the file is known: what is not 67,557 records of
/// boards with four marks of each is refused with a DataError.
inline auto connect_4(const std::string& directory = "") {
    const Source source = unpacked(published(detail::connect_4_file(), directory));
    auto positions = csv(source) >>
                     sections(inputs = mapped(columns<0, 41>(), {{"x", 1}, {"o", -1}, {"b", 0}}),
                              targets = labels(42, {"win", "loss", "draw"})) >>
                     dataset("connect-4");
    detail::check_connect_4(positions, source.name());
    return positions;
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/connect_4.ipp>
#endif
