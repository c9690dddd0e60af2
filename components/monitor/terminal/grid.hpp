// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::monitor {

/// The style of a cell. first … fourth are the colors of curves.
enum class Style : unsigned char { plain, faint, strong, key, good, warning, bad, first, second, third, fourth };

/// One character with its combining characters; empty after a character of two columns.
struct GridCell {
    std::string text = " ";
    Style style = Style::plain;
    friend bool operator==(const GridCell&, const GridCell&) = default;
};

/// A rectangle of cells.
struct Area {
    std::size_t x = 0, y = 0, columns = 0, rows = 0;
    friend bool operator==(const Area&, const Area&) = default;
};

/// The contents of a screen. Drawing outside of it is ignored.
class Grid {
public:
    Grid(std::size_t columns, std::size_t rows, bool utf8)
        : columns_(columns), rows_(rows), utf8_(utf8), cells_(columns * rows) {}

    std::size_t columns() const { return columns_; }
    std::size_t rows() const { return rows_; }
    bool utf8() const { return utf8_; }
    Area area() const { return {0, 0, columns_, rows_}; }
    const GridCell& at(std::size_t x, std::size_t y) const { return cells_[y * columns_ + x]; }

    /// Writes at most `most` columns of a text and returns their number. Control characters become "?".
    std::size_t put(std::size_t x, std::size_t y, std::string_view text, Style style = Style::plain,
                    std::size_t most = std::string_view::npos);
    /// Writes a character of one column.
    void set(std::size_t x, std::size_t y, std::string_view character, Style style);

    /// Returns a row without blanks at its end.
    std::string line(std::size_t y) const;
    /// Returns all rows; for tests.
    std::string text() const;

private:
    std::size_t columns_, rows_;
    bool utf8_;
    std::vector<GridCell> cells_;
};

}  // namespace sigma::monitor
