// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Tic-tac-toe: its rules, perfect play, and a dataset of best moves. Include it yourself.

#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>

#include <array>
#include <cstddef>
#include <vector>

/// @cond internal
SIGMA_INCLUDED(sigma::data, include_sigma_data_tic_tac_toe_hpp);
/// @endcond

namespace sigma::data {

/// A position of tic-tac-toe, from the view of the player to move.
///
/// @par Example
/// @code
/// const data::TicTacToe next = data::TicTacToe{}.after(4);
/// next.best_moves();  // the corners
/// @endcode
///
/// @see tic_tac_toe, docs/ready-datasets.md
class TicTacToe {
public:
    using Board = std::array<int, 9>;  ///< squares row by row
    Board squares{};                   ///< 1 for own marks, -1 for marks of the opponent, 0 for empty squares

    /// Returns whether the player of the last move has three in a row. The player to move cannot have three.
    bool lost() const;
    /// Returns whether no square is empty.
    bool full() const;
    /// Returns whether the game is over.
    bool over() const { return lost() || full(); }
    /// Returns the position after the player to move takes a square, from the view of the other player.
    /// @param square  an empty square, 0 to 8
    TicTacToe after(std::size_t square) const;
    /// Returns the value of perfect play to the player to move: above 0 for a win (more for a quicker one), 0 for a
    /// draw.
    int value() const;
    /// Returns the squares that are best moves, in ascending order.
    std::vector<std::size_t> best_moves() const;

private:
    int value_of(std::size_t square) const;
};

/// Returns the 4,520 positions in which the game is not over, with the first of their best moves (minimax).
///
/// Inputs are 9 squares from the view of the player to move: 1 own mark, -1 opponent's mark, 0 empty. Targets are
/// squares, 0 to 8.
///
/// @return the dataset: inputs (9), class indices
///
/// @par Example
/// @code
/// const Dataset positions = data::tic_tac_toe();
/// @endcode
///
/// @see docs/ready-datasets.md
Dataset tic_tac_toe();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/tic_tac_toe.ipp>
#endif
