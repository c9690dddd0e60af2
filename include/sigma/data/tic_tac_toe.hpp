// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>

#include <array>
#include <cstddef>
#include <vector>

SIGMA_INCLUDED(sigma::data, include_sigma_data_tic_tac_toe_hpp);

namespace sigma::data {

/// A position of tic-tac-toe as the player to move sees it: 1 for own marks, -1 for the other's, 0 for empty squares,
/// squares 0 … 8 row by row.
class TicTacToe {
public:
    using Board = std::array<int, 9>;
    Board squares{};

    /// Has the player who moved last three in a row? The one to move cannot have.
    bool lost() const;
    bool full() const;
    bool over() const { return lost() || full(); }
    /// After the player to move takes a square, as the other one sees it.
    TicTacToe after(std::size_t square) const;
    /// What perfect play is worth to the player to move: above 0 for a win, the more the sooner; 0 for a draw.
    int value() const;
    /// The squares that perfect play chooses among, in order.
    std::vector<std::size_t> best_moves() const;

private:
    int value_of(std::size_t square) const;
};

/// The 4,520 positions in which the game goes on, each as the player to move sees it (9 numbers: 1 own, -1 the other's,
/// 0 empty), and the first of its best moves, a square from 0 to 8, by minimax.
Dataset tic_tac_toe();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/tic_tac_toe.ipp>
#endif
