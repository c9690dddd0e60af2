// SPDX-License-Identifier: BSL-1.0
// Upsample beside PyTorch's definition, one output at a time, and its gradient.
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/upsample.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr Interpolation bilinear = Interpolation::bilinear;

template <Sizes factor, Interpolation mode>
struct Image : Network<Input(3, 4, 2) + Elementwise() + Upsample(factor, mode) + SquaredDiff()> {};
template <int factor, Interpolation mode>
struct Line : Network<Input(5, 3) + Elementwise() + Upsample(factor, mode) + SquaredDiff()> {};
struct Point : Network<Input(1, 1, 2) + Elementwise() + Upsample(3, bilinear) + SquaredDiff()> {};

static_assert(Image<Sizes{2, 3}, Interpolation::nearest>::output == Shape{batch, 6, 12, 2});
static_assert(Image<Sizes{3, 1}, bilinear>::output == Shape{batch, 9, 4, 2});
static_assert(Line<4, bilinear>::output == Shape{batch, 20, 3});

/// Where a position of the result lies between two of the source, and how far from the first.
struct Place {
    std::size_t first, second;
    double far;
};
/// `area_pixel_compute_source_index` of PyTorch, without aligned corners.
Place place_of(std::size_t out, int factor, std::size_t n, bool linear) {
    const auto f = static_cast<double>(factor);
    if (!linear) return {out / static_cast<std::size_t>(factor), 0, 0};
    const double source = std::max(0.0, (static_cast<double>(out) + 0.5) / f - 0.5);
    const auto first = static_cast<std::size_t>(source);
    return {first, std::min(first + 1, n - 1), source - static_cast<double>(first)};
}
Values enlarged(const Values& x, std::size_t h, std::size_t w, std::size_t c, Sizes f, bool linear) {
    Values y;
    for (std::size_t image = 0; image < x.size() / (h * w * c); ++image)
        for (std::size_t i = 0; i < h * static_cast<std::size_t>(f.height); ++i)
            for (std::size_t j = 0; j < w * static_cast<std::size_t>(f.width); ++j)
                for (std::size_t k = 0; k < c; ++k) {
                    const Place down = place_of(i, f.height, h, linear), across = place_of(j, f.width, w, linear);
                    const auto at = [&](std::size_t a, std::size_t b) { return x[((image * h + a) * w + b) * c + k]; };
                    const auto along = [&](std::size_t a) {
                        return (1 - across.far) * at(a, across.first) + across.far * at(a, across.second);
                    };
                    y.push_back((1 - down.far) * along(down.first) + down.far * along(down.second));
                }
    return y;
}

template <class N>
void examine(Sizes factor, Interpolation mode) {
    constexpr std::ptrdiff_t images = 3;
    constexpr bool line = N::input.rank == 3;
    Model<N, double> model(1);
    const Values x = normal(static_cast<std::size_t>(N::input.count() * images), 5);
    const auto extent = [](int i) { return static_cast<std::size_t>(N::input[i]); };
    const Values wanted = enlarged(x, line ? 1 : extent(1), extent(line ? 1 : 2), extent(line ? 2 : 3),
                                   {line ? 1 : factor.height, factor.width}, mode == bilinear);
    CHECK(distance(predict(model, x), wanted) < 1e-14);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}
template <Sizes factor, Interpolation mode>
void check_image() {
    examine<Image<factor, mode>>(factor, mode);
}

}  // namespace

TEST_CASE("Upsample repeats, or interpolates between the centres of pixels") {
    check_image<Sizes{2}, Interpolation::nearest>();
    check_image<Sizes{1, 3}, Interpolation::nearest>();
    check_image<Sizes{2}, bilinear>();
    check_image<Sizes{3, 4}, bilinear>();
    check_image<Sizes{1, 2}, bilinear>();
    check_image<Sizes{5, 1}, bilinear>();
    examine<Line<3, Interpolation::nearest>>(3, Interpolation::nearest);
    examine<Line<3, bilinear>>(3, bilinear);
    examine<Point>(3, bilinear);
}
