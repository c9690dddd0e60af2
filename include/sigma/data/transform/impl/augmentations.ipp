// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>

namespace sigma::data::detail {

/// An augmenter of two functions.
template <class Check, class Change>
class MadeAugmenter final : public Augmenter {
public:
    MadeAugmenter(std::string text, Check examine, Change change)
        : text_(std::move(text)), check_(std::move(examine)), change_(std::move(change)) {}
    std::string text() const override { return text_; }
    void examine(std::span<const std::size_t> shape) const override { check_(shape); }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override {
        change_(record, shape, random);
    }

private:
    std::string text_;
    Check check_;
    Change change_;
};

/// Makes an augmentation of records of any shape: change(record, shape, random).
template <class Check, class Change>
Augmentation made_augmentation(std::string text, Check examine, Change change) {
    return Augmentation(
        std::make_shared<const MadeAugmenter<Check, Change>>(std::move(text), std::move(examine), std::move(change)));
}

/// Makes an augmentation of images of at least so many pixels a side: change(record, image, random).
template <class Change>
Augmentation of_images(const std::string& text, Change change, std::size_t least = 0) {
    // Omits the default, as written in programs; checkpoints compare the whole text.
    const std::string called = text.ends_with(", 0)") ? text.substr(0, text.size() - 4) + ")" : text;
    const auto examine = [called, least](std::span<const std::size_t> shape) {
        ImageView::examine(called, shape);
        if (shape[0] < least || shape[1] < least)
            throw ShapeError(called, sentence("images of at least ", least, " pixels a side"),
                             sigma::detail::shape_text(shape));
    };
    return made_augmentation(text, examine,
                             [change](std::span<float> record, std::span<const std::size_t> shape, Philox random) {
                                 change(record, ImageView::of(shape), random);
                             });
}

SIGMA_IMPL void require_augmentation(const char* where, bool good, const char* wanted, double found) {
    if (!good) throw ArgumentError(where, wanted, sentence(found));
}

/// Copies a record, for augmenters that cannot work in place. Each thread keeps its memory.
SIGMA_IMPL std::span<const float> copy_of(std::span<const float> record) {
    thread_local std::vector<float> memory;
    memory.assign(record.begin(), record.end());
    return memory;
}

/// Writes the bilinear value at (y, x), between four pixels, for each channel. Outside of the image it is `fill`.
SIGMA_IMPL void between(const float* from, const ImageView& image, float y, float x, float fill, float* to) {
    const float top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
    // Positions far outside equal those just outside; as whole numbers they would overflow.
    const auto whole = [](float at, std::size_t extent) {
        const auto end = static_cast<float>(extent) + 1;
        return static_cast<std::ptrdiff_t>(at < -2 ? -2 : at > end ? end : at);
    };
    const std::ptrdiff_t v = whole(top, image.height), u = whole(left, image.width);
    const auto height = static_cast<std::ptrdiff_t>(image.height), width = static_cast<std::ptrdiff_t>(image.width);
    const auto row = static_cast<std::ptrdiff_t>(image.row()), channels = static_cast<std::ptrdiff_t>(image.channels);
    if (v >= 0 && u >= 0 && v + 1 < height && u + 1 < width) {
        const float* at = from + v * row + u * channels;
        for (std::ptrdiff_t c = 0; c < channels; ++c, ++at) {
            const float upper = at[0] + right * (at[channels] - at[0]);
            const float lower = at[row] + right * (at[row + channels] - at[row]);
            to[c] = upper + down * (lower - upper);
        }
        return;
    }
    const auto pixel = [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t c) {
        return i < 0 || j < 0 || i >= height || j >= width ? fill : from[i * row + j * channels + c];
    };
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const float a = pixel(v, u, c), b = pixel(v + 1, u, c);
        const float upper = right > 0 ? a + right * (pixel(v, u + 1, c) - a) : a;
        const float lower = right > 0 ? b + right * (pixel(v + 1, u + 1, c) - b) : b;
        to[c] = down > 0 ? upper + down * (lower - upper) : upper;
    }
}

SIGMA_IMPL void move_image(std::span<float> record, const ImageView& image, std::ptrdiff_t down, std::ptrdiff_t right,
                           float fill) {
    const auto height = static_cast<std::ptrdiff_t>(image.height);
    const std::size_t columns = std::min(static_cast<std::size_t>(right < 0 ? -right : right), image.width);
    const std::size_t hole = columns * image.channels, kept = image.row() - hole;
    for (std::ptrdiff_t i = 0; i < height; ++i) {
        // In this order no row is overwritten before it is read.
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

SIGMA_IMPL void turn_image(std::span<float> record, const ImageView& image, double radians, float fill) {
    const auto from = copy_of(record);
    const auto c = static_cast<float>(std::cos(radians)), s = static_cast<float>(std::sin(radians));
    const float middle_y = (static_cast<float>(image.height) - 1) / 2,
                middle_x = (static_cast<float>(image.width) - 1) / 2;
    float* to = record.data();
    for (std::size_t y = 0; y < image.height; ++y)
        for (std::size_t x = 0; x < image.width; ++x, to += image.channels) {
            const float v = static_cast<float>(y) - middle_y, u = static_cast<float>(x) - middle_x;
            between(from.data(), image, middle_y + c * v + s * u, middle_x + c * u - s * v, fill, to);
        }
}

SIGMA_IMPL Augmentation flip(const char* word, double probability, void (*mirror)(std::span<float>, const ImageView&)) {
    require_augmentation("flip", probability >= 0 && probability <= 1, "a probability from 0 to 1", probability);
    return of_images(sentence(word, "(", probability, ")"),
                     [probability, mirror](std::span<float> record, const ImageView& image, Philox random) {
                         if (random.uniform<double>(0) < probability) mirror(record, image);
                     });
}

/// Returns four normal numbers by the transform of G. E. P. Box and M. E. Muller (1958), in float: Philox::normal takes
/// twice as long, and 32 bits, up to 6.6 deviations, are plenty for noise.
SIGMA_IMPL std::array<float, 4> four_normal(const Philox::Block& words) {
    std::array<float, 4> all;
    for (std::size_t i = 0; i < 4; i += 2) {
        const float radius = std::sqrt(-2.0f * std::log((static_cast<float>(words[i]) + 1.0f) * 0x1p-32f));
        const float angle = 2 * std::numbers::pi_v<float> * Philox::unit(words[i + 1]);
        all[i] = radius * std::cos(angle);
        all[i + 1] = radius * std::sin(angle);
    }
    return all;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL void ImageView::examine(std::string_view who, std::span<const std::size_t> shape) {
    if (shape.size() != 2 && shape.size() != 3)
        throw ShapeError(std::string(who), "images (height, width) or (height, width, channels)",
                         sigma::detail::shape_text(shape));
}

SIGMA_IMPL Augmentation augment_by(std::string name, detail::AugmentFunction function) {
    std::string text = sentence("augment_by('", name, "')");
    if (!function) throw ArgumentError(text, "a function", "an empty function");
    return detail::made_augmentation(
        std::move(text), [](std::span<const std::size_t>) {},
        [function = std::move(function)](std::span<float> record, std::span<const std::size_t> shape, Philox random) {
            PhiloxSequence drawn{random};
            function(record, shape, drawn);
        });
}

SIGMA_IMPL Augmentation crop(int pixels) {
    detail::require_augmentation("crop", pixels >= 0, "at least 0 pixels", pixels);
    const auto less = static_cast<std::size_t>(pixels);
    const auto change = [less](std::span<float> record, const ImageView& image, Philox random) {
        const auto from = detail::copy_of(record);
        PhiloxSequence drawn{random};
        const auto top = static_cast<float>(drawn.below(less + 1)), left = static_cast<float>(drawn.below(less + 1));
        // Corners of the part that is kept become corners of the image.
        const auto step = [&](std::size_t extent) {
            return extent > 1 ? static_cast<float>(extent - less - 1) / static_cast<float>(extent - 1) : 0.0f;
        };
        const float down = step(image.height), right = step(image.width);
        float* to = record.data();
        for (std::size_t y = 0; y < image.height; ++y)
            for (std::size_t x = 0; x < image.width; ++x, to += image.channels)
                detail::between(from.data(), image, top + down * static_cast<float>(y),
                                left + right * static_cast<float>(x), 0, to);
    };
    return detail::of_images(sentence("crop(", pixels, ")"), change, less + 1);
}

SIGMA_IMPL Augmentation crop_resized(double least) {
    detail::require_augmentation("crop_resized", least > 0 && least <= 1, "a share above 0 and at most 1", least);
    const auto change = [least](std::span<float> record, const ImageView& image, Philox random) {
        if (record.empty()) return;
        PhiloxSequence drawn{random};
        const auto height = static_cast<double>(image.height), width = static_cast<double>(image.width);
        double high = height, wide = width;
        for (int attempt = 0; attempt < 10; ++attempt) {
            const double share = least + (1 - least) * drawn.uniform<double>();
            const double ratio = std::exp((2 * drawn.uniform<double>() - 1) * std::log(4.0 / 3.0));
            // Relative to the image: both are at most 1 if the part fits.
            const double h = std::sqrt(share / ratio), w = std::sqrt(share * ratio);
            if (h > 1 || w > 1) continue;
            high = std::max(1.0, h * height);
            wide = std::max(1.0, w * width);
            break;
        }
        const auto top = static_cast<float>((height - high) * drawn.uniform<double>());
        const auto left = static_cast<float>((width - wide) * drawn.uniform<double>());
        const auto from = detail::copy_of(record);
        // Corners of the part become corners of the image.
        const auto step = [](double part, std::size_t extent) {
            return extent > 1 ? static_cast<float>((part - 1) / static_cast<double>(extent - 1)) : 0.0f;
        };
        const float down = step(high, image.height), right = step(wide, image.width);
        float* to = record.data();
        for (std::size_t y = 0; y < image.height; ++y)
            for (std::size_t x = 0; x < image.width; ++x, to += image.channels) {
                // Rounding must not leave the image, whose outside is 0.
                const float v = std::min(top + down * static_cast<float>(y), static_cast<float>(image.height - 1));
                const float u = std::min(left + right * static_cast<float>(x), static_cast<float>(image.width - 1));
                detail::between(from.data(), image, v, u, 0, to);
            }
    };
    return detail::of_images(sentence("crop_resized(", least, ")"), change);
}

SIGMA_IMPL Augmentation color_jitter(ColorJitter options) {
    for (const double change : {options.brightness, options.contrast, options.saturation})
        detail::require_augmentation("color_jitter", change >= 0 && change <= 1, "changes from 0 to 1", change);
    detail::require_augmentation("color_jitter", options.most > 0 && std::isfinite(options.most),
                                 "a largest number above 0", options.most);
    const std::string text = sentence("color_jitter(", options.brightness, ", ", options.contrast, ", ",
                                      options.saturation, ", ", options.most, ")");
    const auto examine = [text, colors_only = options.saturation > 0](std::span<const std::size_t> shape) {
        ImageView::examine(text, shape);
        const std::size_t channels = ImageView::of(shape).channels;
        if (channels != 3 && (colors_only || channels != 1))
            throw ShapeError(text, colors_only ? "images of three channels" : "images of one or three channels",
                             sigma::detail::shape_text(shape));
    };
    const auto change = [options](std::span<float> record, std::span<const std::size_t> shape, Philox random) {
        PhiloxSequence drawn{random};
        const std::size_t channels = ImageView::of(shape).channels;
        const auto factor = [&](double most) {
            return static_cast<float>(1 + most * (2 * drawn.uniform<double>() - 1));
        };
        const float brightness = factor(options.brightness), contrast = factor(options.contrast),
                    saturation = factor(options.saturation), most = static_cast<float>(options.most);
        const auto limited = [most](float x) { return std::clamp(x, 0.0f, most); };
        const auto gray = [&](const float* pixel) {
            return channels == 1 ? pixel[0] : 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
        };
        if (options.brightness > 0)
            for (float& x : record) x = limited(brightness * x);
        if (options.contrast > 0 && !record.empty()) {
            double sum = 0;
            for (std::size_t i = 0; i < record.size(); i += channels) sum += static_cast<double>(gray(&record[i]));
            const auto mean = static_cast<float>(sum / static_cast<double>(record.size() / channels));
            for (float& x : record) x = limited(mean + contrast * (x - mean));
        }
        if (options.saturation > 0)
            for (std::size_t i = 0; i < record.size(); i += channels) {
                const float level = gray(&record[i]);
                for (std::size_t c = 0; c < channels; ++c)
                    record[i + c] = limited(level + saturation * (record[i + c] - level));
            }
    };
    return detail::made_augmentation(text, examine, change);
}

SIGMA_IMPL Augmentation erase(int pixels, float fill) {
    detail::require_augmentation("erase", pixels >= 1, "a square of at least 1 pixel", pixels);
    const std::ptrdiff_t wide = pixels;
    const auto change = [wide, fill](std::span<float> record, const ImageView& image, Philox random) {
        PhiloxSequence drawn{random};
        // The center is any pixel, so that squares may extend beyond the edges: those are smaller.
        const auto side = [&](std::size_t extent) {
            const auto first = static_cast<std::ptrdiff_t>(drawn.below(extent)) - wide / 2;
            const auto end = std::min(first + wide, static_cast<std::ptrdiff_t>(extent));
            return std::pair(static_cast<std::size_t>(std::max<std::ptrdiff_t>(first, 0)),
                             static_cast<std::size_t>(end));
        };
        if (record.empty()) return;
        const auto [top, bottom] = side(image.height);
        const auto [left, right] = side(image.width);
        for (std::size_t y = top; y < bottom; ++y)
            std::fill_n(image.at(record, y) + left * image.channels, (right - left) * image.channels, fill);
    };
    return detail::of_images(sentence("erase(", wide, ", ", fill, ")"), change);
}

SIGMA_IMPL Augmentation flip_horizontal(double probability) {
    return detail::flip("flip_horizontal", probability, [](std::span<float> record, const ImageView& image) {
        for (std::size_t y = 0; y < image.height; ++y)
            for (std::size_t a = 0, b = image.width; a + 1 < b; ++a) {
                --b;
                float* row = image.at(record, y);
                std::swap_ranges(row + a * image.channels, row + (a + 1) * image.channels, row + b * image.channels);
            }
    });
}

SIGMA_IMPL Augmentation flip_vertical(double probability) {
    return detail::flip("flip_vertical", probability, [](std::span<float> record, const ImageView& image) {
        for (std::size_t y = 0; y < image.height / 2; ++y)
            std::swap_ranges(image.at(record, y), image.at(record, y) + image.row(),
                             image.at(record, image.height - 1 - y));
    });
}

SIGMA_IMPL Augmentation noise(double deviation) {
    detail::require_augmentation("noise", deviation >= 0 && std::isfinite(deviation),
                                 "a finite deviation of at least 0", deviation);
    return detail::made_augmentation(
        sentence("noise(", deviation, ")"), [](std::span<const std::size_t>) {},
        [by = static_cast<float>(deviation)](std::span<float> record, std::span<const std::size_t>, Philox random) {
            for (std::size_t first = 0; first < record.size(); first += 4) {
                const auto four = detail::four_normal(random.block(first / 4));
                const std::size_t count = std::min<std::size_t>(4, record.size() - first);
                for (std::size_t i = 0; i < count; ++i) record[first + i] += by * four[i];
            }
        });
}

SIGMA_IMPL Augmentation rotate(double degrees, float fill) {
    detail::require_augmentation("rotate", degrees >= 0 && degrees <= 180, "0 to 180 degrees", degrees);
    const auto change = [degrees, fill](std::span<float> record, const ImageView& image, Philox random) {
        const double by = degrees * (2 * random.uniform<double>(0) - 1);
        detail::turn_image(record, image, by * std::numbers::pi / 180, fill);
    };
    return detail::of_images(sentence("rotate(", degrees, ", ", fill, ")"), change);
}

SIGMA_IMPL Augmentation shift(int pixels, float fill) { return shift_by(pixels, pixels, fill); }

SIGMA_IMPL Augmentation shift_by(int rows, int columns, float fill) {
    detail::require_augmentation("shift", rows >= 0, "at least 0 pixels", rows);
    detail::require_augmentation("shift", columns >= 0, "at least 0 pixels", columns);
    const auto change = [rows, columns, fill](std::span<float> record, const ImageView& image, Philox random) {
        PhiloxSequence drawn{random};
        const auto by = [&](int most) {
            return static_cast<std::ptrdiff_t>(drawn.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
        };
        const std::ptrdiff_t down = by(rows), right = by(columns);
        detail::move_image(record, image, down, right, fill);
    };
    return detail::of_images(sentence("shift(", rows, rows == columns ? "" : sentence(", ", columns), ", ", fill, ")"),
                             change);
}

}  // namespace sigma::data
