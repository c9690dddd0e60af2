// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// What stands between the given positions: copies of the nearest one, or what lies on the line between the two
/// neighbours, in each direction.
enum class Interpolation { nearest, bilinear };

inline constexpr Fault error_Upsample_factors_must_be_positive{"Upsample: factors must be positive"};

namespace detail {

/// `factor` positions for each of axis 1 of (outer…, positions, inner), the centres of the pixels evenly spaced. The
/// result's position factor·i + r lies at i + d, d = (r + ½) / factor - ½, hence between i and the neighbour at the
/// side of d; at the ends it is the end itself.
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

/// Images (batch, height, width, channels) made larger by whole factors, or sequences (batch, time, features) along
/// time. Pixels are areas: the corners of both images agree, as with PyTorch's `align_corners = false`.
///   Upsample(2)    Upsample({1, 3})    Upsample(2, Interpolation::bilinear)
struct Upsample : Layer {
    Sizes factor;
    Interpolation mode;

    constexpr explicit Upsample(Sizes f, Interpolation m = Interpolation::nearest) : factor(f), mode(m) {}

    static constexpr Text kind = "upsample";

    constexpr Tensor forward(Context&, Tensor x) const {
        if (!factor.positive()) return x.refused(error_Upsample_factors_must_be_positive, factor.given());
        const int rank = x.shape().rank;
        if (rank == 4) return enlarged(x, factor);
        if (rank != 3) return detail::needs_images(x);
        if (!detail::sizes_along_time(x, factor)) return x;
        return detail::as_sequence(enlarged(detail::as_image(x), {1, factor.width}));
    }

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
