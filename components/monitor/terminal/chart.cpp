// SPDX-License-Identifier: BSL-1.0
#include "terminal/chart.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/terminal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace sigma::monitor {

namespace {

constexpr std::array<Style, 4> colours = {Style::first, Style::second, Style::third, Style::fourth};

/// A canvas of dots within cells: 2 by 4 in Braille, or 1 by 2 in ASCII.
class Dots {
public:
    Dots(std::size_t columns, std::size_t rows, bool utf8)
        : columns_(columns), rows_(rows), across_(utf8 ? 2 : 1), down_(utf8 ? 4 : 2), bits_(columns * rows),
          colours_(columns * rows) {}

    std::size_t width() const { return columns_ * across_; }
    std::size_t height() const { return rows_ * down_; }
    /// Sets a dot; y grows upwards.
    void dot(std::size_t x, std::size_t y, Style colour) {
        const std::size_t from_top = height() - 1 - y, cell = from_top / down_ * columns_ + x / across_;
        // Braille dots are numbered by columns, except for the last row (The Unicode Standard, 21.1).
        constexpr std::array<std::array<unsigned char, 2>, 4> braille = {{{1, 8}, {2, 16}, {4, 32}, {64, 128}}};
        const std::size_t row = from_top % down_;
        bits_[cell] = static_cast<unsigned char>(bits_[cell] | (across_ == 2 ? braille[row][x % 2] : 1u << row));
        colours_[cell] = colour;
    }
    void line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1, Style colour) {
        const auto across = static_cast<long>(x1) - static_cast<long>(x0),
                   up = static_cast<long>(y1) - static_cast<long>(y0);
        const long steps = std::max<long>({std::labs(across), std::labs(up), 1});
        for (long i = 0; i <= steps; ++i) {
            const auto part = [&](long whole) {
                return std::lround(static_cast<double>(whole * i) / static_cast<double>(steps));
            };
            dot(static_cast<std::size_t>(static_cast<long>(x0) + part(across)),
                static_cast<std::size_t>(static_cast<long>(y0) + part(up)), colour);
        }
    }
    void show(Grid& to, std::size_t x, std::size_t y) const {
        constexpr std::array<const char*, 4> ascii = {" ", "'", ".", ":"};
        for (std::size_t row = 0; row < rows_; ++row)
            for (std::size_t column = 0; column < columns_; ++column) {
                const unsigned bits = bits_[row * columns_ + column];
                if (bits == 0) continue;
                std::string character = ascii[bits & 3];
                if (across_ == 2)  // U+2800 and the bits
                    character = {'\xe2', static_cast<char>(0xa0 | bits >> 6), static_cast<char>(0x80 | (bits & 0x3f))};
                to.set(x + column, y + row, character, colours_[row * columns_ + column]);
            }
    }

private:
    std::size_t columns_, rows_, across_, down_;
    std::vector<unsigned char> bits_;
    std::vector<Style> colours_;
};

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void meet(double x) { low = std::min(low, x), high = std::max(high, x); }
    bool empty() const { return !(low <= high); }
    /// Returns the index of a dot.
    std::size_t place(double x, std::size_t dots) const {
        // Halves avoid an overflow of the difference of two large numbers with different signs.
        const double share = high > low ? (x / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
        return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(dots - 1)));
    }
};

bool is_finite(const std::pair<double, double>& point) {
    return std::isfinite(point.first) && std::isfinite(point.second);
}

}  // namespace

std::string short_number(double x) {
    if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
    std::string text;
    if (std::abs(x) >= 1e4 && std::abs(x) < 1e9 && std::trunc(x) == x)
        sigma::detail::append_exact(text, static_cast<long long>(x));
    else sigma::detail::append_formatted(text, x, {.letter = 'g', .digits = 4});
    return text;
}

std::size_t points_of_chart(std::size_t columns) { return std::max<std::size_t>(2, 2 * columns); }

void draw_chart(Grid& to, const Area& area, const std::vector<Curve>& curves, std::string_view title, bool chosen,
                std::string_view ended) {
    if (area.columns == 0 || area.rows == 0) return;
    const std::size_t right = area.x + area.columns;
    std::size_t x = area.x;
    if (chosen) x += to.put(x, area.y, to.utf8() ? "▸ " : "> ", Style::key, right - x);
    if (!ended.empty())
        x += to.put(x, area.y, sentence(ended, "  "), ended.starts_with("failed") ? Style::bad : Style::faint,
                    right - x);
    std::string names;
    for (const Curve& curve : curves) names += (names.empty() ? "" : ", ") + curve.name;
    if (title != names) x += to.put(x, area.y, sentence(title, "  "), Style::strong, right - x);
    for (std::size_t i = 0; i < curves.size() && x < right; ++i) {
        const Style colour = colours[i % colours.size()];
        x += to.put(x, area.y, curves[i].name, colour, right - x);
        const std::string last = curves[i].last ? short_number(*curves[i].last) : std::string("-");
        x += to.put(x, area.y, sentence(" ", last, "  "), Style::strong, right - x);
    }

    Range across, up;
    for (const Curve& curve : curves)
        for (const auto& point : curve.points)
            if (is_finite(point)) across.meet(point.first), up.meet(point.second);
    for (const Curve& curve : curves)
        for (const auto& [at, _] : curve.odd) across.meet(at);
    if (area.rows < 2 || area.columns < 4) return;
    if (up.empty()) {
        to.put(area.x, area.y + 1, "no numbers yet", Style::faint, area.columns);
        return;
    }
    const std::string high = short_number(up.high), low = short_number(up.low);
    const std::size_t label = std::max(high.size(), low.size());
    const bool axes = area.rows >= 5 && area.columns >= label + 12;
    const std::size_t left = area.x + (axes ? label + 1 : 0), top = area.y + 1;
    const std::size_t columns = right - left, rows = area.rows - (axes ? 3 : 1);
    if (axes) {
        const auto beside = [&](const std::string& text, std::size_t y) {
            to.put(area.x + label - text.size(), y, text, Style::faint, right - area.x);
        };
        beside(high, top);
        if (up.high > up.low) beside(low, top + rows - 1);
        for (std::size_t y = top; y < top + rows; ++y) to.set(left - 1, y, to.utf8() ? "│" : "|", Style::faint);
        to.set(left - 1, top + rows, to.utf8() ? "└" : "+", Style::faint);
        for (std::size_t i = left; i < right; ++i) to.set(i, top + rows, to.utf8() ? "─" : "-", Style::faint);
        const std::string first = short_number(across.low), final = short_number(across.high);
        to.put(left, top + rows + 1, first, Style::faint, columns);
        if (across.high > across.low && first.size() + final.size() + 1 < columns)
            to.put(right - final.size(), top + rows + 1, final, Style::faint);
    }
    Dots dots(columns, rows, to.utf8());
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const Style colour = colours[i % colours.size()];
        bool joins = false;  // whether there is a previous point, at (last_x, last_y)
        std::size_t last_x = 0, last_y = 0;
        for (const auto& point : curves[i].points) {
            if (!is_finite(point)) {
                joins = false;
                continue;
            }
            const std::size_t now_x = across.place(point.first, dots.width()),
                              now_y = up.place(point.second, dots.height());
            dots.line(joins ? last_x : now_x, joins ? last_y : now_y, now_x, now_y, colour);
            last_x = now_x, last_y = now_y, joins = true;
        }
    }
    dots.show(to, left, top);
    for (const Curve& curve : curves)
        for (const auto& [at, number] : curve.odd) {
            const std::size_t column = left + across.place(at, columns);
            if (std::isnan(number)) to.set(column, top + rows - 1, to.utf8() ? "×" : "x", Style::bad);
            else if (number > 0) to.set(column, top, to.utf8() ? "▲" : "^", Style::bad);
            else to.set(column, top + rows - 1, to.utf8() ? "▼" : "v", Style::bad);
        }
}

}  // namespace sigma::monitor
