// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Upsampling of images and sequences: Upsample. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// Ways to compute the new positions of `Upsample`.
///
/// @see Upsample
enum class Interpolation {
    nearest,  ///< Copies of the nearest position.
    bilinear  ///< Values on the line between two neighbours, along each axis.
};

inline constexpr Fault error_Upsample_factors_must_be_positive{"Upsample: factors must be positive"};

namespace detail {

/// Returns `factor` positions for each position of axis 1 of (outer…, positions, inner), with evenly spaced centres of
/// pixels. Position factor·i + r of the result lies at i + d, d = (r + ½) / factor - ½: between i and its neighbour on
/// the side of d. At the ends it is the end itself.
constexpr Tensor interpolated(Tensor x, int factor) {
    const Shape s = x.shape();
    const int n = s[2];
    const Tensor around = pad(x, axis(2), 1, 1, PadMode::edge);
    const auto at = [&](int first) {
        return reshape(slice(around, axis(2), first, first + n), {s[0], s[1], n, 1, s[3]});
    };
    const Tensor r = reshape(iota_beside(x, factor), {factor, 1});
    const Tensor d = (1.0 / factor) * r + (0.5 / factor - 0.5);
    const Tensor left = max(-d, 0.0);
    const Tensor right = max(d, 0.0);
    const Tensor before = at(0) * left;
    const Tensor centre = at(1);
    const Tensor here = centre * (1.0 - abs(d));
    const Tensor after = at(2) * right;
    return before + here + after;
}

}  // namespace detail

/// A layer that makes images or sequences larger by whole factors.
///
/// Pixels are areas: the corners of both images agree, as with `align_corners=False` of PyTorch.
///
/// @par Shape
/// Input (batch, height, width, channels) or (batch, time, features). Output (batch, f·height, f·width, channels) or
/// (batch, f·time, features), for a factor f.
///
/// @par Errors
/// `error_Upsample_factors_must_be_positive`, `error_layer_needs_images`, `error_sizes_of_sequences_have_no_rows`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Finer : Network<Input(7, 7, 3) + Upsample(2, Interpolation::bilinear) + Conv2D(3, 3, {.padding = same}) +
///                        SquaredDiff()> {};  // (7, 7, 3) -> (14, 14, 3)
/// @endcode
///
/// @see ConvTranspose2D
struct Upsample : Layer {
    Sizes factor;        ///< Factors of height and width; for sequences, a number for time.
    Interpolation mode;  ///< Way to compute new positions.

    /// Constructs the layer.
    /// @param factor_  factor, at least 1: a number or `{height, width}`
    /// @param mode_  way to compute new positions
    constexpr explicit Upsample(Sizes factor_, Interpolation mode_ = Interpolation::nearest)
        : factor(factor_), mode(mode_) {}

    /// @cond internal
    static constexpr Text kind = "upsample";

    constexpr Tensor forward(Context&, Tensor x) const {
        if (!factor.positive()) return x.refused(error_Upsample_factors_must_be_positive, factor.given());
        const int rank = x.shape().rank;
        if (rank == 4) return enlarged(x, factor);
        if (rank != 3) return detail::needs_images(x);
        if (!detail::sizes_along_time(x, factor)) return x;
        return detail::as_sequence(enlarged(detail::as_image(x), {1, factor.width}));
    }
    /// @endcond

private:
    constexpr Tensor enlarged(Tensor x, Sizes f) const {
        const Shape s = x.shape();
        const int images = s[0], height = s[1], width = s[2], channels = s[3];
        const int higher = f.height * height, wider = f.width * width;
        if (mode == Interpolation::nearest) {
            const Tensor each = reshape(x, {images, height, 1, width, 1, channels});
            const Tensor copies = broadcast_to(each, {images, height, f.height, width, f.width, channels});
            return reshape(copies, {images, higher, wider, channels});
        }
        if (f.width > 1) x = reshape(detail::interpolated(x, f.width), {images, height, wider, channels});
        if (f.height == 1) return x;
        const Tensor rows = detail::interpolated(reshape(x, {images, 1, height, wider * channels}), f.height);
        return reshape(rows, {images, higher, wider, channels});
    }
};

}  // namespace sigma
