// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/tic_tac_toe.hpp>

#include "support.hpp"

#include <set>

using namespace sigma;
using data::TicTacToe;

TEST_CASE("There are 4,520 positions in which the game goes on") {
    const Dataset games = data::tic_tac_toe();
    CHECK(games.size() == 4520);  // of 5,478 positions 958 are over
    detail::check_labels(games, 9);
    std::set<std::vector<float>> different;
    std::array<int, 9> positions{};
    for (std::size_t i = 0; i < games.size(); ++i) {
        const auto squares = games.input(i);
        different.insert({squares.begin(), squares.end()});
        CHECK(squares[games.label(i)] == 0);
        int marks = 0, sum = 0;
        for (const float s : squares) {
            marks += s != 0 ? 1 : 0;
            sum += static_cast<int>(s);
        }
        CHECK(sum == -(marks % 2));
        ++positions[static_cast<std::size_t>(marks)];
    }
    CHECK(different.size() == 4520);
    CHECK(positions == std::array<int, 9>{1, 9, 72, 252, 756, 1140, 1372, 696, 222});
}

TEST_CASE("Best moves win at once, else prevent a loss, else draw") {
    CHECK(TicTacToe{}.value() == 0);
    CHECK(TicTacToe{}.best_moves().size() == 9);
    CHECK(TicTacToe{{1, 1, 0, -1, -1, 0, 0, 0, 0}}.best_moves() == std::vector<std::size_t>{2});
    CHECK(TicTacToe{{1, 1, 0, -1, -1, 0, 0, 0, 0}}.value() == 9);
    CHECK(TicTacToe{{1, 0, 0, -1, -1, 0, 0, 0, 0}}.best_moves()[0] == 5);
    CHECK(TicTacToe{{-1, 0, 0, 0, 0, 0, 0, 0, 0}}.best_moves() == std::vector<std::size_t>{4});  // all else loses
    CHECK(TicTacToe{{-1, -1, -1, 1, 1, 0, 0, 0, 0}}.lost());
    CHECK(TicTacToe{{-1, -1, -1, 1, 1, 0, 0, 0, 0}}.best_moves().empty());
}

TEST_CASE("Who plays by it does not lose") {
    int lost = 0, games = 0;
    const auto play = [&](const auto& self, const TicTacToe& game, bool own) -> void {
        if (game.over()) {
            ++games;
            lost += own && game.lost() ? 1 : 0;
            return;
        }
        if (own) return self(self, game.after(game.best_moves()[0]), false);
        for (std::size_t i = 0; i < 9; ++i)
            if (game.squares[i] == 0) self(self, game.after(i), true);
    };
    play(play, TicTacToe{}, true);
    play(play, TicTacToe{}, false);
    CHECK(games > 100);
    CHECK(lost == 0);
}
