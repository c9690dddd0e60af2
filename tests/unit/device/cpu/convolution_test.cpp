// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/convolution.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

using namespace sigma::on_cpu;

namespace {

using Index = std::ptrdiff_t;

/// Rows of `columns` elements, `row` apart, with NaN between them and guards around them.
template <class T>
struct Rows {
    static constexpr Index guard = 32;
    static constexpr T kept = 12345;
    Index count, columns, row;
    std::vector<T> memory;

    Rows(Index n, Index c, Index r)
        : count(n), columns(c), row(r), memory(static_cast<std::size_t>(n * r + 2 * guard), kept) {
        std::fill_n(data(), n * r, std::numeric_limits<T>::quiet_NaN());
    }
    T* data() { return memory.data() + guard; }
    const T* data() const { return memory.data() + guard; }
    T& at(Index i, Index j) { return data()[i * row + j]; }
    T at(Index i, Index j) const { return data()[i * row + j]; }
    bool guarded() const {
        for (Index i = 0; i < guard; ++i)
            if (memory[static_cast<std::size_t>(i)] != kept || data()[count * row + i] != kept) return false;
        return true;
    }
};

/// A random convolution, its arrays, and the sums of products one by one in double precision.
template <class T>
struct Trial {
    std::mt19937 random;
    ConvolutionArguments<T> g{};
    bool padded = false;

    Index below(int n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); }
    Index layout(Index columns) const {
        return padded && columns > 1 ? (columns + lanes<T> - 1) / lanes<T> * lanes<T> : columns;
    }
    void fill(Rows<T>& r) {
        for (Index i = 0; i < r.count; ++i)
            for (Index j = 0; j < r.columns; ++j) r.at(i, j) = static_cast<T>(below(2001) - 1000) / T(1000);
    }
    explicit Trial(unsigned seed) : random(seed) {
        const Index kind = below(6);  // by channel, several kernels per channel, groups, plain
        const Index few[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 33, 40, 70};
        g.images = 1 + below(3);
        g.kernel_height = 1 + below(4);
        g.kernel_width = 1 + below(5);
        for (int i = 0; i < 2; ++i) g.stride[i] = 1 + below(3), g.dilation[i] = below(3) == 0 ? 1 + below(3) : 1;
        g.result_height = 1 + below(6);
        g.result_width = 1 + below(9);
        // No kernel covers the rest at the right and at the bottom.
        g.height = (g.result_height - 1) * g.stride[0] + (g.kernel_height - 1) * g.dilation[0] + 1 + below(2);
        g.width = (g.result_width - 1) * g.stride[1] + (g.kernel_width - 1) * g.dilation[1] + 1 + below(2);
        if (below(2) == 0)  // zeros around the image, which may be smaller than what windows cover
            for (int i = 0; i < 2; ++i) {
                Index& size = i ? g.width : g.height;
                g.before[i] = std::min(below(4), size - 1);
                size = std::max<Index>(1, size - g.before[i] - below(4));
            }
        g.groups = 1;
        g.channels = few[below(16)];
        g.outputs = few[below(16)];
        if (kind == 0) g.groups = g.outputs = g.channels;
        if (kind == 1) g.groups = g.channels = few[below(6)], g.outputs = g.groups * (1 + below(3));
        if (kind == 2)
            g.groups = 1 + below(3), g.channels = g.groups * (1 + below(9)), g.outputs = g.groups * (1 + below(20));
        padded = below(2) == 0;
        g.pixel = layout(g.channels);
        g.y_pixel = layout(g.outputs);
    }
    Rows<T> image() const { return {g.images * g.height * g.width, g.channels, g.pixel}; }
    Rows<T> result() const { return {g.images * g.positions(), g.outputs, g.y_pixel}; }
    Rows<T> weights(bool turned) {
        const Index rows = turned ? g.kernel_height * g.outputs * g.kernel_width
                                  : g.kernel_height * g.kernel_width * g.group_channels();
        g.weights_row = layout(turned ? g.group_channels() : g.outputs);
        return {rows, turned ? g.group_channels() : g.outputs, g.weights_row};
    }
    bool turns() const { return !(g.groups > 1 && g.groups == g.channels); }

    /// Calls f(pixel of x, channel; kernel's row, column and channel in the group; position of y, output).
    template <class F>
    void for_each(F f) const {
        for (Index y = 0; y < g.images * g.positions(); ++y)
            for (Index o = 0; o < g.outputs; ++o)
                for (Index a = 0; a < g.kernel_height; ++a)
                    for (Index b = 0; b < g.kernel_width; ++b)
                        for (Index c = 0; c < g.group_channels(); ++c) {
                            const Index n = y / g.positions(), i = y / g.result_width % g.result_height,
                                        j = y % g.result_width;
                            const Index row = i * g.stride[0] + a * g.dilation[0] - g.before[0],
                                        column = j * g.stride[1] + b * g.dilation[1] - g.before[1];
                            if (row < 0 || row >= g.height || column < 0 || column >= g.width) continue;
                            const Index pixel = (n * g.height + row) * g.width + column;
                            f(pixel, o / g.group_outputs() * g.group_channels() + c, a, b, c, y, o);
                        }
    }
    Index plain_row(Index a, Index b, Index c) const { return (a * g.kernel_width + b) * g.group_channels() + c; }
};

template <class T>
bool agree(const Rows<T>& found, const std::vector<double>& wanted, const std::vector<double>& sizes) {
    bool good = found.guarded();
    for (Index i = 0; i < found.count; ++i)
        for (Index j = 0; j < found.columns; ++j) {
            const auto at = static_cast<std::size_t>(i * found.columns + j);
            // each of the products and sums rounds once, relative to what was summed
            const double tolerance = 4 * std::numeric_limits<T>::epsilon() * (1 + sizes[at]);
            good = good && std::abs(static_cast<double>(found.at(i, j)) - wanted[at]) <= tolerance * 8;
        }
    return good;
}
struct Sums {
    std::vector<double> total, size;
    explicit Sums(Index n) : total(static_cast<std::size_t>(n)), size(static_cast<std::size_t>(n)) {}
    void add(Index i, double x) {
        total[static_cast<std::size_t>(i)] += x;
        size[static_cast<std::size_t>(i)] += std::abs(x);
    }
};

}  // namespace

TEMPLATE_TEST_CASE("a convolution and its adjoints are the sums of products that they should be", "[cpu]", float,
                   double) {
    using T = TestType;
    for (unsigned seed = 1; seed <= 400; ++seed) {
        Trial<T> t(seed);
        const auto& g = t.g;
        INFO("seed " << seed << ": " << g.images << " images " << g.height << "x" << g.width << "x" << g.channels
                     << ", " << g.outputs << " outputs, kernel " << g.kernel_height << "x" << g.kernel_width
                     << ", strides " << g.stride[0] << " " << g.stride[1] << ", dilations " << g.dilation[0] << " "
                     << g.dilation[1] << ", zeros before " << g.before[0] << " " << g.before[1] << ", groups "
                     << g.groups << (t.padded ? ", padded" : ""));
        {
            Rows<T> x = t.image(), y = t.result(), w = t.weights(false);
            t.fill(x), t.fill(w);
            Sums sums(y.count * y.columns);
            t.for_each([&](Index p, Index channel, Index a, Index b, Index c, Index i, Index o) {
                sums.add(i * g.outputs + o,
                         static_cast<double>(x.at(p, channel)) * static_cast<double>(w.at(t.plain_row(a, b, c), o)));
            });
            convolve(g, x.data(), w.data(), y.data());
            CHECK(agree(y, sums.total, sums.size));
        }
        {
            Rows<T> x = t.image(), y = t.result(), w = t.weights(false);
            t.fill(x), t.fill(y);
            Sums sums(w.count * w.columns);
            t.for_each([&](Index p, Index channel, Index a, Index b, Index c, Index i, Index o) {
                sums.add(t.plain_row(a, b, c) * g.outputs + o,
                         static_cast<double>(x.at(p, channel)) * static_cast<double>(y.at(i, o)));
            });
            convolve_weights(g, x.data(), y.data(), w.data(), 0, w.count);
            CHECK(agree(w, sums.total, sums.size));
            Rows<T> parts = t.weights(false);  // divided: bit-identical
            for (Index first = 0, n = 0; first < w.count; first += n) {
                n = std::min(w.count - first, 1 + t.below(11));
                convolve_weights(g, x.data(), y.data(), parts.data(), first, n);
            }
            bool same = true;
            for (Index i = 0; i < w.count; ++i)
                for (Index j = 0; j < w.columns; ++j) same = same && parts.at(i, j) == w.at(i, j);
            CHECK(same);
        }
        {
            Rows<T> x = t.image(), y = t.result(), w = t.weights(t.turns());
            t.fill(y), t.fill(w);
            Sums sums(x.count * x.columns);
            t.for_each([&](Index p, Index channel, Index a, Index b, Index c, Index i, Index o) {
                const T v =
                    t.turns() ? w.at((a * g.outputs + o) * g.kernel_width + b, c) : w.at(t.plain_row(a, b, c), o);
                sums.add(p * g.channels + channel, static_cast<double>(y.at(i, o)) * static_cast<double>(v));
            });
            convolve_input(g, y.data(), w.data(), x.data());
            CHECK(agree(x, sums.total, sums.size));
        }
    }
}

TEST_CASE("weights' sums go on over blocks of images without another rounding", "[cpu]") {
    // 40 images of 32 x 32 x 3 fill several blocks; one chain over all of them in the order of images.
    ConvolutionArguments<float> g{40, 32, 32, 3, 30, 30, 8, 3, 3, {1, 1}, {1, 1}, 1, 3, 8, 8};
    std::mt19937 random(5);
    std::vector<float> x(static_cast<std::size_t>(g.images * g.image())),
        y(static_cast<std::size_t>(g.images * g.positions() * 8)), w(27 * 8);
    for (float& v : x) v = static_cast<float>(random() % 2001) / 1000 - 1;
    for (float& v : y) v = static_cast<float>(random() % 2001) / 1000 - 1;
    convolve_weights(g, x.data(), y.data(), w.data(), 0, 27);
#if defined(__FMA__) || defined(__AVX512F__)
    for (Index r : {0, 13, 26})
        for (Index o : {0, 5}) {
            float sum = 0;
            for (Index i = 0; i < g.images * g.positions(); ++i) {
                const Index n = i / 900, row = i / 30 % 30 + r / 9, column = i % 30 + r / 3 % 3;
                sum = std::fma(x[static_cast<std::size_t>(((n * 32 + row) * 32 + column) * 3 + r % 3)],
                               y[static_cast<std::size_t>(i * 8 + o)], sum);
            }
            CHECK(w[static_cast<std::size_t>(r * 8 + o)] == sum);
        }
#endif
}
