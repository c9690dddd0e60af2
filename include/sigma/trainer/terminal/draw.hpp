// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sigma::terminal {

/// The lines of a grey picture of `rows` x `columns` pixels from 0 (background) to 1. One line shows two rows, since a
/// character is about twice as high as wide: by half blocks where the terminal knows UTF-8, else by ASCII shades.
std::vector<std::string> draw_lines(std::span<const float> pixels, std::size_t rows, std::size_t columns,
                                    bool utf8 = true);

std::string draw_digit(std::span<const float> pixels, std::size_t rows, std::size_t columns, bool utf8 = true);

/// One line for each class: its name, a bar, its probability; "<" marks the likeliest.
std::vector<std::string> probability_lines(std::span<const float> probabilities,
                                           std::span<const std::string> names = {}, bool utf8 = true,
                                           std::size_t bar_width = 20);

/// The picture with the probabilities beside it, and below: "predicted 7, actual 7" or "predicted 7, actual 1: wrong".
std::string draw_prediction(std::span<const float> pixels, std::size_t rows, std::size_t columns,
                            std::span<const float> probabilities, std::size_t actual,
                            std::span<const std::string> names = {}, bool utf8 = true);

}  // namespace sigma::terminal

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/draw.ipp>
#endif
