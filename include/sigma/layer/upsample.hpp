// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/image.hpp>

namespace sigma {

/// What stands between the given positions: copies of the nearest one, or what lies on the line between the two
/// neighbours, in each direction.
enum class Interpolation { nearest, bilinear };

template <class>
struct error_Upsample_factors_must_be_positive;

namespace detail {

/// `factor` positions for each of axis 1 of (outer…, positions, inner), the centres of the pixels evenly spaced. The
/// result's position factor·i + r lies at i + d, d = (r + ½) / factor - ½, hence between i and the neighbour at the
/// side of d; at the ends it is the end itself.
template <int factor, Shape A>
constexpr auto interpolated(Tensor<A> x) {
    constexpr int n = A[2];
    const auto around = pad<2, 1, 1, PadMode::edge>(x);
    const auto at = [&]<int first>(std::integral_constant<int, first>) {
        return reshape<A[0], A[1], n, 1, A[3]>(slice<2, first, first + n>(around));
    };
    const auto r = reshape<factor, 1>(iota_beside<factor>(x));
    const auto d = (1.0 / factor) * r + (0.5 / factor - 0.5);
    const auto left = max(-d, 0.0);
    const auto right = max(d, 0.0);
    const auto before = at(std::integral_constant<int, 0>{}) * left;
    const auto centre = at(std::integral_constant<int, 1>{});
    const auto here = centre * (1.0 - abs(d));
    const auto after = at(std::integral_constant<int, 2>{}) * right;
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

    static constexpr auto check(auto self) {
        return MistakeIf<!self().factor.positive(),
                         error_Upsample_factors_must_be_positive<detail::SizesGiven<self().factor>>>{};
    }
    static constexpr auto forward(auto self, Context&, auto x) {
        constexpr Sizes f = self().factor;
        if constexpr (x.shape.rank == 3 && !detail::sizes_along_time(f)) return detail::SizesHaveRows<f>{};
        else if constexpr (x.shape.rank == 3)
            return detail::as_sequence(enlarged<Sizes{1, f.width}, self().mode>(detail::as_image(x)));
        else if constexpr (x.shape.rank == 4) return enlarged<f, self().mode>(x);
        else return detail::NeedsImages<x.shape>{};
    }

private:
    template <Sizes f, Interpolation mode, Shape A>
    static constexpr auto enlarged(Tensor<A> x) {
        constexpr int images = A[0], height = A[1], width = A[2], channels = A[3];
        if constexpr (mode == Interpolation::nearest) {
            const auto each = reshape<images, height, 1, width, 1, channels>(x);
            const auto copies = broadcast_to<images, height, f.height, width, f.width, channels>(each);
            return reshape<images, f.height * height, f.width * width, channels>(copies);
        } else if constexpr (f.width > 1) {
            const auto wider = detail::interpolated<f.width>(x);
            return enlarged<Sizes{f.height, 1}, mode>(reshape<images, height, f.width * width, channels>(wider));
        } else if constexpr (f.height > 1) {
            const auto higher = detail::interpolated<f.height>(reshape<images, 1, height, width * channels>(x));
            return reshape<images, f.height * height, width, channels>(higher);
        } else {
            return x;
        }
    }
};

}  // namespace sigma
