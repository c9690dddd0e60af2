// SPDX-License-Identifier: BSL-1.0
// Convolutions of volumes and transposed ones of sequences, by their definitions, and their gradients.
#include "support.hpp"

#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>

#include <array>

using namespace sigma;
using namespace sigma::test;

namespace {

template <auto layer, int... extents>
struct Of : Network<Input(extents...) + Elementwise() + layer + SquaredDiff()> {
    static constexpr auto tested = layer;
};

using Plain = Of<Conv3D(3, 2, tanh), 3, 4, 5, 2>;
using Flat = Of<Conv3D(2, {1, 3, 2}), 2, 4, 3>;
using Same = Of<Conv3D(2, {3, 2, 4}, {.stride = {2, 1, 3}, .padding = same}), 4, 3, 5, 2>;
using Sides = Of<Conv3D(2, 2, {.stride = 3, .padding = {1, 2, 0, 1, 2, 0}}), 5, 4, 3, 1>;
using Wide = Of<Conv3D(2, {3, 2, 2}, {.padding = {1, 0, 1}, .dilation = {2, 1, 2}, .bias = false}), 4, 3, 4, 2>;
using InGroups = Of<Conv3D(6, {2, 2, 1}, {.stride = {1, 2, 1}, .groups = 2}), 3, 4, 2, 4>;

static_assert(Plain::output == Shape{batch, 2, 3, 4, 3});
static_assert(Flat::output == Shape{batch, 2, 2, 2, 2});
static_assert(Same::output == Shape{batch, 2, 3, 2, 2});
static_assert(Sides::output == Shape{batch, 3, 2, 2, 2});
static_assert(Wide::output == Shape{batch, 2, 2, 4, 2});

/// One axis of a convolution: which source a kernel's element sees from a position, or -1 outside.
int seen(int position, int element, int stride, int dilation, int before, int extent) {
    const int i = position * stride + element * dilation - before;
    return i < 0 || i >= extent ? -1 : i;
}
/// What `same` puts before: half of what ceil(extent / stride) positions lack, rounded down.
int before_of(bool same_, int given, int extent, int reach, int stride) {
    if (!same_) return given;
    return std::max(0, ((extent + stride - 1) / stride - 1) * stride + reach - extent) / 2;
}

template <class N>
Values convolved(const Values& x, Model<N, double>& model, std::size_t records) {
    constexpr auto l = N::tested;
    constexpr auto o = l.options;
    const int in[] = {N::input[1], N::input[2], N::input[3]};
    const int channels = N::input.rank == 5 ? N::input[4] : 1, filters = l.filters;
    const int kernel[] = {l.kernel.depth, l.kernel.height, l.kernel.width};
    const int stride[] = {o.stride.depth, o.stride.height, o.stride.width};
    const int dilation[] = {o.dilation.depth, o.dilation.height, o.dilation.width};
    const int given[] = {o.padding.front, o.padding.plane.top, o.padding.plane.left};
    int before[3]{};
    for (int a = 0; a < 3; ++a)
        before[a] = before_of(o.padding.plane.same, given[a], in[a], (kernel[a] - 1) * dilation[a] + 1, stride[a]);
    const auto w = values(model.parameter(2));
    const auto b = o.bias ? values(model.parameter(3)) : Values(static_cast<std::size_t>(filters));
    const int each = channels / o.groups;
    Values y;
    for (std::size_t record = 0; record < records; ++record)
        for (int d = 0; d < N::output[1]; ++d)
            for (int r = 0; r < N::output[2]; ++r)
                for (int c = 0; c < N::output[3]; ++c)
                    for (int f = 0; f < filters; ++f) {
                        double sum = b[static_cast<std::size_t>(f)];
                        for (int i = 0; i < kernel[0]; ++i)
                            for (int j = 0; j < kernel[1]; ++j)
                                for (int k = 0; k < kernel[2]; ++k) {
                                    const int at[] = {seen(d, i, stride[0], dilation[0], before[0], in[0]),
                                                      seen(r, j, stride[1], dilation[1], before[1], in[1]),
                                                      seen(c, k, stride[2], dilation[2], before[2], in[2])};
                                    if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
                                    for (int e = 0; e < each; ++e) {
                                        const int channel = f / (filters / o.groups) * each + e;
                                        const int from = ((at[0] * in[1] + at[1]) * in[2] + at[2]) * channels + channel;
                                        const int with =
                                            (((i * kernel[1] + j) * kernel[2] + k) * each + e) * filters + f;
                                        sum += x[record * static_cast<std::size_t>(N::input.count()) +
                                                 static_cast<std::size_t>(from)] *
                                               w[static_cast<std::size_t>(with)];
                                    }
                                }
                        y.push_back(sum);
                    }
    return y;
}

template <class N>
void check_volumes(double (*function)(double) = [](double v) { return v; }) {
    constexpr std::size_t records = 3;
    Model<N, double> model(1);
    scramble(model, 3);
    for (auto& v : model.parameter(0)) v = 1;
    for (auto& v : model.parameter(1)) v = 0;
    const Values x = normal(static_cast<std::size_t>(N::input.count()) * records, 5);
    Values wanted = convolved<N>(x, model, records);
    for (double& v : wanted) v = function(v);
    CHECK(distance(predict(model, x), wanted) < 1e-13);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}

using Spread = Of<ConvTranspose1D(4, 3, tanh, {.stride = 2}), 5, 2>;
using SpreadSame = Of<ConvTranspose1D(4, 2, {.stride = 3, .padding = same, .groups = 2}), 4, 2>;
using SpreadCut = Of<ConvTranspose1D(2, 3, {.padding = {1, 2}, .dilation = 2, .bias = false}), 6, 3>;
using SpreadOne = Of<ConvTranspose1D(2, 4, {.stride = 2, .padding = same}), 5>;

static_assert(Spread::output == Shape{batch, 11, 4});
static_assert(SpreadSame::output == Shape{batch, 12, 4});
static_assert(SpreadCut::output == Shape{batch, 7, 2});
static_assert(SpreadOne::output == Shape{batch, 10, 2});

template <class N>
void check_spread(int cut, double (*function)(double) = [](double v) { return v; }) {
    constexpr std::size_t records = 3;
    constexpr auto l = N::tested;
    constexpr auto o = l.options;
    Model<N, double> model(1);
    scramble(model, 3);
    for (auto& v : model.parameter(0)) v = 1;
    for (auto& v : model.parameter(1)) v = 0;
    const Values x = normal(static_cast<std::size_t>(N::input.count()) * records, 5);
    const int times = N::input[1], channels = N::input.rank == 3 ? N::input[2] : 1, out = N::output[1];
    const auto w = model.parameter(2);
    CHECK(w.shape(0) == static_cast<std::size_t>(l.kernel));
    CHECK(w.shape(1) == static_cast<std::size_t>(channels));
    CHECK(w.shape(2) == static_cast<std::size_t>(l.filters / o.groups));
    const Values weights = values(w);
    const int each = l.filters / o.groups, of = channels / o.groups;
    Values wanted(static_cast<std::size_t>(N::output.count()) * records);
    for (int record = 0; record < static_cast<int>(records); ++record) {
        const auto at = [&](int t, int f) -> double& {
            return wanted[static_cast<std::size_t>((record * out + t) * l.filters + f)];
        };
        for (int t = 0; t < times; ++t)
            for (int k = 0; k < l.kernel; ++k)
                for (int c = 0; c < channels; ++c)
                    for (int e = 0; e < each; ++e) {
                        const int to = t * o.stride + k * o.dilation - cut;
                        if (to < 0 || to >= out) continue;
                        at(to, c / of * each + e) += x[static_cast<std::size_t>((record * times + t) * channels + c)] *
                                                     weights[static_cast<std::size_t>((k * channels + c) * each + e)];
                    }
        if constexpr (o.bias)
            for (int t = 0; t < out; ++t)
                for (int f = 0; f < l.filters; ++f) at(t, f) += values(model.parameter(3))[static_cast<std::size_t>(f)];
    }
    for (double& v : wanted) v = function(v);
    CHECK(distance(predict(model, x), wanted) < 1e-13);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}

}  // namespace

TEST_CASE("A convolution of volumes is the sum over its kernel") {
    check_volumes<Plain>([](double v) { return std::tanh(v); });
    check_volumes<Flat>();
    check_volumes<Same>();
    check_volumes<Sides>();
    check_volumes<Wide>();
    check_volumes<InGroups>();
    CHECK(Model<Wide, double>(1).parameter_count == 3);
}
TEST_CASE("A transposed convolution of sequences spreads each value over a window") {
    check_spread<Spread>(0, [](double v) { return std::tanh(v); });
    check_spread<SpreadSame>(0);
    check_spread<SpreadCut>(1);
    check_spread<SpreadOne>(1);
    CHECK(Model<SpreadCut, double>(1).parameter_count == 3);
}
