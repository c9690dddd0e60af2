// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/terminal/draw.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace sigma::terminal {

SIGMA_IMPL std::vector<std::string> draw_lines(std::span<const float> pixels, std::size_t rows, std::size_t columns,
                                               bool utf8) {
    if (pixels.size() != rows * columns)
        throw ShapeError("draw_digit", sentence(rows, " x ", columns, " pixels"), sentence(pixels.size(), " pixels"));
    const auto pixel = [&](std::size_t row, std::size_t column) {
        return row < rows ? std::clamp(pixels[row * columns + column], 0.0f, 1.0f) : 0.0f;
    };
    constexpr std::array<const char*, 4> halves = {" ", "▀", "▄", "█"};
    constexpr std::string_view shades = " .:-=+*#%@";
    std::vector<std::string> lines;
    for (std::size_t row = 0; row < rows; row += 2) {
        std::string line;
        for (std::size_t column = 0; column < columns; ++column) {
            const float upper = pixel(row, column), lower = pixel(row + 1, column);
            if (utf8) line += halves[(upper > 0.4f ? 1u : 0u) + (lower > 0.4f ? 2u : 0u)];
            else line += shades[static_cast<std::size_t>(std::lround((upper + lower) / 2 * 9))];
        }
        lines.push_back(line);
    }
    return lines;
}

SIGMA_IMPL std::string draw_digit(std::span<const float> pixels, std::size_t rows, std::size_t columns, bool utf8) {
    std::string text;
    for (const std::string& line : draw_lines(pixels, rows, columns, utf8)) text += line + "\n";
    return text;
}

SIGMA_IMPL std::vector<std::string> probability_lines(std::span<const float> probabilities,
                                                      std::span<const std::string> names, bool utf8,
                                                      std::size_t bar_width) {
    const auto best = std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
    std::size_t width = 1;
    for (const std::string& name : names) width = std::max(width, name.size());
    std::vector<std::string> lines;
    for (std::size_t c = 0; c < probabilities.size(); ++c) {
        std::string name = c < names.size() ? names[c] : sentence(c);
        name.resize(std::max(width, name.size()), ' ');
        const auto p = static_cast<double>(probabilities[c]);
        lines.push_back(sentence(name, " |", bar(p, bar_width, utf8), "| ", detail::fixed_text(100 * p, 1, 5), " %",
                                 static_cast<std::ptrdiff_t>(c) == best ? " <" : ""));
    }
    return lines;
}

SIGMA_IMPL std::string draw_prediction(std::span<const float> pixels, std::size_t rows, std::size_t columns,
                                       std::span<const float> probabilities, std::size_t actual,
                                       std::span<const std::string> names, bool utf8) {
    const auto picture = draw_lines(pixels, rows, columns, utf8);
    const auto bars = probability_lines(probabilities, names, utf8);
    const std::size_t first = picture.size() > bars.size() ? (picture.size() - bars.size()) / 2 : 0;
    std::string text;
    for (std::size_t i = 0; i < std::max(picture.size(), first + bars.size()); ++i) {
        text += i < picture.size() ? picture[i] : std::string(columns, ' ');
        if (i >= first && i - first < bars.size()) text += sentence("   ", bars[i - first]);
        text += "\n";
    }
    const auto best =
        static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
    const auto name = [&](std::size_t c) { return c < names.size() ? names[c] : sentence(c); };
    return text + sentence("predicted ", name(best), ", actual ", name(actual), best == actual ? "\n" : ": wrong\n");
}

}  // namespace sigma::terminal
