// SPDX-License-Identifier: BSL-1.0
#include <sigma/trainer/terminal.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace sigma;

namespace {

const std::vector<float> seven = {
    0.9f, 1.0f, 0.8f,  //
    0.0f, 0.1f, 1.0f,  //
    0.0f, 0.9f, 0.0f,  //
};

}  // namespace

TEST_CASE("A picture is drawn by half blocks, two rows a line") {
    CHECK(terminal::draw_digit(seven, 3, 3) == "▀▀█\n ▀ \n");
}

TEST_CASE("A picture is drawn by ASCII shades") {
    CHECK(terminal::draw_digit(seven, 3, 3, false) == "=+%\n = \n");
    const std::vector<float> wild = {-3.0f, 0.0f, 9.0f, 9.0f};
    CHECK(terminal::draw_digit(wild, 4, 1, false) == " \n@\n");
}

TEST_CASE("Pixels that do not fill the picture are refused") {
    CHECK_THROWS_WITH(terminal::draw_digit(seven, 4, 3), "draw_digit: expected 4 x 3 pixels, found 9 pixels");
}

TEST_CASE("Probabilities stand beside their picture") {
    const std::vector<float> probabilities = {0.25f, 0.75f};
    const std::vector<std::string> names = {"one", "seven"};
    CHECK(sentence("\n", terminal::draw_prediction(seven, 3, 3, probabilities, 1, names, false)) == R"(
=+%   one   |#####...............|  25.0 %
 =    seven |###############.....|  75.0 % <
predicted seven, actual seven
)");
    CHECK(terminal::draw_prediction(seven, 3, 3, probabilities, 0).ends_with("predicted 1, actual 0: wrong\n"));
}
