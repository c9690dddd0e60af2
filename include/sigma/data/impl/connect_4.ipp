// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/connect_4.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <cstddef>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile connect_4_file() {
    return {"connect-4",
            "connect-4.data",
            "",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/connect-4/connect-4.data.Z"}};
}

SIGMA_IMPL void check_connect_4(const Dataset& positions, const std::string& file) {
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
            throw DataError(file, sentence("line ", record + 1),
                            "a board with four marks of each player and nothing below them empty",
                            sentence(first, " and ", second, " marks, ", floating, " above empty squares"));
    }
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<42>, Extents<>> connect_4(const std::string& directory) {
    const Source source = unpacked(published(detail::connect_4_file(), directory));
    auto positions = csv(source) >> sections(inputs = mapped(columns<0, 41>(), {{"x", 1}, {"o", -1}, {"b", 0}}),
                                             targets = labels(42, {"win", "loss", "draw"})) >>
                     dataset("connect-4");
    detail::check_connect_4(positions, source.name());
    return positions;
}

}  // namespace sigma::data
