// SPDX-License-Identifier: BSL-1.0
#include "terminal/grid.hpp"

#include <sigma/core/terminal.hpp>
#include <sigma/core/utf8_length.hpp>

#include <algorithm>

namespace sigma::monitor {

std::size_t Grid::put(std::size_t x, std::size_t y, std::string_view text, Style style, std::size_t most) {
    if (x >= columns_ || y >= rows_) return 0;
    const std::string shown = sigma::terminal::shortened(text, std::min(most, columns_ - x), utf8_);
    std::size_t taken = 0;
    for (std::string_view left = shown; !left.empty();) {
        const std::string_view character = left.substr(0, std::max<std::size_t>(1, sigma::detail::utf8_length(left)));
        left.remove_prefix(character.size());
        const std::size_t width = sigma::terminal::width(character);
        if (width == 0) {
            if (taken > 0) cells_[y * columns_ + x + taken - 1].text += character;
            continue;
        }
        GridCell* cell = &cells_[y * columns_ + x + taken];
        *cell = {std::string(character), style};
        if (width == 2) cell[1] = {"", style};
        taken += width;
    }
    return taken;
}

void Grid::set(std::size_t x, std::size_t y, std::string_view character, Style style) {
    if (x < columns_ && y < rows_) cells_[y * columns_ + x] = {std::string(character), style};
}

std::string Grid::line(std::size_t y) const {
    std::string result;
    for (std::size_t x = 0; x < columns_; ++x) result += at(x, y).text;
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
}

std::string Grid::text() const {
    std::string result;
    for (std::size_t y = 0; y < rows_; ++y) (result += line(y)) += '\n';
    return result;
}

}  // namespace sigma::monitor
