// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace sigma::data {

/// A position of tic-tac-toe as the player to move sees it: 1 for own marks, -1 for the other's, 0 for empty squares,
/// squares 0 … 8 row by row.
class TicTacToe {
public:
    using Board = std::array<int, 9>;
    Board squares{};

    /// Has the player who moved last three in a row? The one to move cannot have.
    bool lost() const {
        constexpr int lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
        for (const auto& line : lines) {
            bool all = true;
            for (const int i : line) all = all && squares[static_cast<std::size_t>(i)] == -1;
            if (all) return true;
        }
        return false;
    }
    bool full() const {
        for (const int square : squares)
            if (square == 0) return false;
        return true;
    }
    bool over() const { return lost() || full(); }
    /// After the player to move takes a square, as the other one sees it.
    TicTacToe after(std::size_t square) const {
        TicTacToe next;
        for (std::size_t i = 0; i < 9; ++i) next.squares[i] = i == square ? -1 : -squares[i];
        return next;
    }
    /// What perfect play is worth to the player to move: above 0 for a win, the more the sooner; 0 for a draw.
    int value() const {
        if (lost()) return -10;
        int best = full() ? 0 : -10;
        for (std::size_t i = 0; i < 9; ++i)
            if (squares[i] == 0) best = std::max(best, value_of(i));
        return best;
    }
    /// The squares that perfect play chooses among, in order.
    std::vector<std::size_t> best_moves() const {
        std::vector<std::size_t> moves;
        if (over()) return moves;
        const int best = value();
        for (std::size_t i = 0; i < 9; ++i)
            if (squares[i] == 0 && value_of(i) == best) moves.push_back(i);
        return moves;
    }

private:
    int value_of(std::size_t square) const {
        const int later = -after(square).value();
        return later > 0 ? later - 1 : later < 0 ? later + 1 : 0;  // a move later is worth a little less
    }
};

/// The 4,520 positions in which the game goes on, each as the player to move sees it (9 numbers: 1 own, -1 the other's, 0
/// empty), and the first of its best moves, a square from 0 to 8, by minimax.
inline Dataset tic_tac_toe() {
    // Who moves is known from the number of marks, so a view by the player to move names one position.
    std::set<TicTacToe::Board> seen;
    Numbers views{{0, 9}, {}}, moves{{0}, {}};
    const auto visit = [&](const auto& self, const TicTacToe& game) -> void {
        if (game.over() || !seen.insert(game.squares).second) return;
        for (const int square : game.squares) views.values.push_back(static_cast<float>(square));
        moves.values.push_back(static_cast<float>(game.best_moves()[0]));
        for (std::size_t i = 0; i < 9; ++i)
            if (game.squares[i] == 0) self(self, game.after(i));
    };
    visit(visit, TicTacToe{});
    views.shape[0] = moves.shape[0] = moves.values.size();
    return {std::move(views), std::move(moves), "tic-tac-toe", {"0", "1", "2", "3", "4", "5", "6", "7", "8"}};
}

}  // namespace sigma::data
