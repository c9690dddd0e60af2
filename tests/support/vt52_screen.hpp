// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::test {

/// What the screen of a DEC VT52, but one that knows UTF-8, shows of what was written to it. Each character takes one
/// column.
inline std::vector<std::string> vt52_screen_of(std::string_view written, std::size_t columns, std::size_t rows) {
    std::vector<std::vector<std::string>> cells(rows, std::vector<std::string>(columns, " "));
    std::size_t x = 0, y = 0;
    const auto erase = [&](std::size_t row, std::size_t from) {
        for (std::size_t i = from; i < columns; ++i) cells[row][i] = " ";
    };
    const auto down = [&] {
        if (++y < rows) return;
        y = rows - 1;
        cells.erase(cells.begin());
        cells.emplace_back(columns, " ");
    };
    while (!written.empty()) {
        const auto c = static_cast<unsigned char>(written.front());
        std::size_t length = 1;
        if (c == '\033' && written.size() >= 2) {
            length = 2;
            switch (written[1]) {
                case 'A': y -= std::min<std::size_t>(y, 1); break;
                case 'B': y = std::min(y + 1, rows - 1); break;
                case 'C': x = std::min(x + 1, columns - 1); break;
                case 'D': x -= std::min<std::size_t>(x, 1); break;
                case 'H': x = y = 0; break;
                case 'I': y -= std::min<std::size_t>(y, 1); break;
                case 'J':
                    erase(y, x);
                    for (std::size_t row = y + 1; row < rows; ++row) erase(row, 0);
                    break;
                case 'K': erase(y, x); break;
                case 'Y':
                    if (written.size() < 4) return {};
                    length = 4;
                    y = std::min<std::size_t>(static_cast<unsigned char>(written[2]) - 32u, rows - 1);
                    x = std::min<std::size_t>(static_cast<unsigned char>(written[3]) - 32u, columns - 1);
                    break;
                default: break;
            }
        } else if (c == '\r') x = 0;
        else if (c == '\n') down();
        else if (c == '\b') x -= std::min<std::size_t>(x, 1);
        else if (c == '\t') x = std::min(x / 8 * 8 + 8, columns - 1);
        else if (c >= 0x20) {
            length = c < 0x80 ? 1u : c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u;
            cells[y][x] = written.substr(0, length);
            x = std::min(x + 1, columns - 1);
        }
        written.remove_prefix(std::min(length, written.size()));
    }
    std::vector<std::string> lines;
    for (const auto& row : cells) {
        std::string line;
        for (const std::string& cell : row) line += cell;
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(line);
    }
    return lines;
}

}  // namespace sigma::test
