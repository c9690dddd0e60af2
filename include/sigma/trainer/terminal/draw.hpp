// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Pictures on a terminal: draw_lines, draw_digit, draw_prediction. Include it yourself:
/// `<sigma/trainer/terminal/draw.hpp>`, or `<sigma/trainer/terminal.hpp>`.
#include <sigma/core/error.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sigma::terminal {

/// Returns the lines of a grey picture. A line shows two rows, since a character is about twice as high as wide.
/// @param pixels   rows · columns numbers from 0 (background) to 1
/// @param rows     number of rows
/// @param columns  number of columns
/// @param utf8     draws with half blocks if true, with ASCII shades otherwise
/// @throws ShapeError  if the number of pixels is not rows · columns
///
/// @par Example
/// @code{.txt}
/// for (const std::string& line : terminal::draw_lines(std::span(images.data(), 784), 28, 28)) std::puts(line.c_str());
/// @endcode
std::vector<std::string> draw_lines(std::span<const float> pixels, std::size_t rows, std::size_t columns,
                                    bool utf8 = true);

/// Returns a grey picture as one text, see `draw_lines`.
/// @param pixels   rows · columns numbers from 0 (background) to 1
/// @param rows     number of rows
/// @param columns  number of columns
/// @param utf8     draws with half blocks if true, with ASCII shades otherwise
/// @throws ShapeError  if the number of pixels differs from rows · columns
/// @see draw_lines
std::string draw_digit(std::span<const float> pixels, std::size_t rows, std::size_t columns, bool utf8 = true);

/// Returns a line for each class: its name, a bar and its probability. "<" marks the class with the highest
/// probability.
/// @param probabilities  one number from 0 to 1 for each class
/// @param names          names of the classes; default: their numbers
/// @param utf8           draws bars with blocks if true, with ASCII characters otherwise
/// @param bar_width      columns of a full bar
/// @see draw_prediction
std::vector<std::string> probability_lines(std::span<const float> probabilities,
                                           std::span<const std::string> names = {}, bool utf8 = true,
                                           std::size_t bar_width = 20);

/// Returns a picture with probabilities beside it, and a line "predicted 7, actual 7" or "predicted 7, actual 1:
/// wrong".
/// @param pixels         rows · columns numbers from 0 (background) to 1
/// @param rows           number of rows
/// @param columns        number of columns
/// @param probabilities  one number from 0 to 1 for each class
/// @param actual         number of the actual class
/// @param names          names of the classes; default: their numbers
/// @param utf8           draws with blocks if true, with ASCII characters otherwise
/// @throws ShapeError  if the number of pixels differs from rows · columns
/// @see draw_lines
std::string draw_prediction(std::span<const float> pixels, std::size_t rows, std::size_t columns,
                            std::span<const float> probabilities, std::size_t actual,
                            std::span<const std::string> names = {}, bool utf8 = true);

}  // namespace sigma::terminal

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/draw.ipp>
#endif
