// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <cstddef>
#include <string>

namespace sigma::data {

namespace detail {

inline PublishedFile connect_4_file() {
    return {"connect-4", "connect-4.data", "",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/connect-4/connect-4.data.Z"}};
}

/// Throws DataError unless these are the positions after eight moves.
inline void check_connect_4(const Dataset& positions, const std::string& file) {
    constexpr std::size_t count = 67'557, columns = 7, rows = 6;
    if (positions.size() != count) throw DataError(file, "", sentence(count, " records"), sentence(positions.size()));
    for (std::size_t record = 0; record < count; ++record) {
        const auto board = positions.input(record);
        std::size_t first = 0, second = 0, floating = 0;
        for (std::size_t square = 0; square < columns * rows; ++square) {
            first += board[square] == 1;
            second += board[square] == -1;
            floating += square % rows != 0 && board[square] != 0 && board[square - 1] == 0;
        }
        if (first != 4 || second != 4 || floating != 0)
            throw DataError(file, sentence("line ", record + 1), "a board with four marks of each player and nothing below them empty",
                            sentence(first, " and ", second, " marks, ", floating, " above empty squares"));
    }
}

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
