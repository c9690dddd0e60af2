// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/tic_tac_toe.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace sigma::data {

SIGMA_IMPL bool TicTacToe::lost() const {
    constexpr int lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                 {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
    for (const auto& line : lines) {
        bool all = true;
        for (const int i : line) all = all && squares[static_cast<std::size_t>(i)] == -1;
        if (all) return true;
    }
    return false;
}

SIGMA_IMPL bool TicTacToe::full() const {
    for (const int square : squares)
        if (square == 0) return false;
    return true;
}

SIGMA_IMPL TicTacToe TicTacToe::after(std::size_t square) const {
    TicTacToe next;
    for (std::size_t i = 0; i < 9; ++i) next.squares[i] = i == square ? -1 : -squares[i];
    return next;
}

SIGMA_IMPL int TicTacToe::value() const {
    if (lost()) return -10;
    int best = full() ? 0 : -10;
    for (std::size_t i = 0; i < 9; ++i)
        if (squares[i] == 0) best = std::max(best, value_of(i));
    return best;
}

SIGMA_IMPL std::vector<std::size_t> TicTacToe::best_moves() const {
    std::vector<std::size_t> moves;
    if (over()) return moves;
    const int best = value();
    for (std::size_t i = 0; i < 9; ++i)
        if (squares[i] == 0 && value_of(i) == best) moves.push_back(i);
    return moves;
}

SIGMA_IMPL int TicTacToe::value_of(std::size_t square) const {
    const int later = -after(square).value();
    return later > 0 ? later - 1 : later < 0 ? later + 1 : 0;  // later results count a little less
}

SIGMA_IMPL Dataset tic_tac_toe() {
    // The number of marks determines the player to move, so a view by that player names one position.
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
