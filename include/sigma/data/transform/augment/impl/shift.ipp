// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/shift.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL void move_image(std::span<float> record, const ImageView& image, std::ptrdiff_t down, std::ptrdiff_t right,
                           float fill) {
    const auto height = static_cast<std::ptrdiff_t>(image.height);
    const std::size_t columns = std::min(static_cast<std::size_t>(right < 0 ? -right : right), image.width);
    const std::size_t hole = columns * image.channels, kept = image.row() - hole;
    for (std::ptrdiff_t i = 0; i < height; ++i) {
        // In the order in which no row is overwritten before it is read.
        const std::ptrdiff_t y = down > 0 ? height - 1 - i : i, source = y - down;
        float* to = image.at(record, static_cast<std::size_t>(y));
        if (source < 0 || source >= height) {
            std::fill_n(to, image.row(), fill);
            continue;
        }
        const float* from = image.at(record, static_cast<std::size_t>(source));
        std::memmove(right > 0 ? to + hole : to, right > 0 ? from : from + hole, kept * sizeof(float));
        std::fill_n(right > 0 ? to : to + kept, hole, fill);
    }
}

SIGMA_IMPL Shift::Shift(int rows, int columns, float fill) : rows_(rows), columns_(columns), fill_(fill) {
    require_augmentation("shift", rows >= 0, "at least 0 pixels", rows);
    require_augmentation("shift", columns >= 0, "at least 0 pixels", columns);
}

SIGMA_IMPL std::string Shift::text() const {
    return sentence("shift(", rows_, rows_ == columns_ ? "" : sentence(", ", columns_), ", ", fill_, ")");
}

SIGMA_IMPL void Shift::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    PhiloxSequence drawn{random};
    const auto by = [&](int most) {
        return static_cast<std::ptrdiff_t>(drawn.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
    };
    const std::ptrdiff_t down = by(rows_), right = by(columns_);
    move_image(record, ImageView::of(shape), down, right, fill_);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation shift(int pixels, float fill) {
    return Augmentation(std::make_shared<const detail::Shift>(pixels, pixels, fill));
}

SIGMA_IMPL Augmentation shift_by(int rows, int columns, float fill) {
    return Augmentation(std::make_shared<const detail::Shift>(rows, columns, fill));
}

}  // namespace sigma::data
