// SPDX-License-Identifier: BSL-1.0
// Convolution over images, channels last, and its two adjoints, on one thread. Reasons and measurements:
// docs/design/convolution.md
#pragma once

#include <cstddef>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/convolution_tile.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Rows may be read and written up to whole vectors.
template <class T>
SIGMA_INLINE bool padded(const ConvolutionArguments<T>& g) {
    return g.groups == 1 && g.y_pixel % lanes<T> == 0 && g.weights_row % lanes<T> == 0;
}
template <class T>
SIGMA_INLINE bool padded_channels(const ConvolutionArguments<T>& g) {
    return g.pixel % lanes<T> == 0 && g.y_pixel % lanes<T> == 0 && g.weights_row % lanes<T> == 0;
}

// The features that the convolutions of a program need. A caller that knows them omits code that never runs, most of it
// register tiles.
struct ConvolutionNeeds {
    bool each = true;   // convolutions with one kernel for each channel
    bool many = true;   // other convolutions
    bool tails = true;  // rows that do not end at whole vectors
};

namespace detail {

// Computes all columns of some rows. Columns that do not fill a vector are masked.
template <int widest, bool by_channel, bool tails, class T>
void convolution_columns(const ConvolutionPart<T>& p, std::ptrdiff_t first, std::ptrdiff_t count,
                         std::ptrdiff_t columns) {
    constexpr std::ptrdiff_t width = lanes<T>;
    std::ptrdiff_t j = 0;
    const auto strip = [&]<int V>() {
        convolution_strip<V, by_channel>(p, first, count, j, FullVector<T>{});
        j += V * width;
    };
    while (columns - j >= width) {
        const std::ptrdiff_t left = (columns - j) / width;
        if constexpr (widest >= 3)
            if (left == 3 || left > 4) {
                strip.template operator()<3>();
                continue;
            }
        if constexpr (widest >= 2)
            if (left >= 2) {
                strip.template operator()<2>();
                continue;
            }
        strip.template operator()<1>();
    }
    if constexpr (tails)
        if (j < columns)
            convolution_strip<1, by_channel>(p, first, count, j, MaskedVector<T>{static_cast<int>(columns - j)});
}

SIGMA_INLINE std::ptrdiff_t whole_vectors(std::ptrdiff_t n, std::ptrdiff_t width) {
    return (n + width - 1) / width * width;
}

// Computes some rows of all groups.
template <ConvolutionNeeds needs, class T>
void convolution_groups(const ConvolutionArguments<T>& g, const ConvolutionPart<T>& p, std::ptrdiff_t first,
                        std::ptrdiff_t count) {
    if constexpr (needs.each)
        if (g.one_each()) {
            const std::ptrdiff_t columns = padded_channels(g) ? whole_vectors(g.channels, lanes<T>) : g.channels;
            return convolution_columns<1, true, needs.tails>(p, first, count, columns);
        }
    if constexpr (needs.many) {
        const std::ptrdiff_t columns = padded(g) ? whole_vectors(g.outputs, lanes<T>) : g.group_outputs();
        for (std::ptrdiff_t group = 0; group < g.groups; ++group) {
            ConvolutionPart<T> q = p;
            q.a += group * g.group_channels();
            q.b += group * g.group_outputs();
            q.c += group * g.group_outputs();
            convolution_columns<convolution_vectors, false, needs.tails>(q, first, count, columns);
        }
    }
}

// Returns whether there is one channel, and the outputs would leave lanes of a vector empty.
template <class T>
bool is_plane(const ConvolutionArguments<T>& g) {
    return g.channels == 1 && g.pixel == 1 && g.stride[1] == 1 && 4 * g.outputs <= 3 * lanes<T> &&
           g.y_pixel == lanes<T> && g.result_width >= lanes<T> && g.kernel_height * g.kernel_width <= plane_terms;
}
template <class T>
void convolve_plane(const ConvolutionArguments<T>& g, const T* x, const T* w, T* y) {
    constexpr std::ptrdiff_t width = lanes<T>;
    std::ptrdiff_t offsets[plane_terms], terms = 0;
    for (std::ptrdiff_t a = 0; a < g.kernel_height; ++a)
        for (std::ptrdiff_t b = 0; b < g.kernel_width; ++b)
            offsets[terms++] = a * g.dilation[0] * g.row() + b * g.dilation[1];
    for (std::ptrdiff_t n = 0; n < g.images; ++n)
        for (std::ptrdiff_t i = 0; i < g.result_height; ++i, y += g.result_width * g.y_pixel) {
            PlaneRow<T> p{nullptr, terms, offsets, w, g.weights_row};
            const T* row = x + n * g.image() + i * g.stride[0] * g.row();
            for (std::ptrdiff_t j = 0; j < g.result_width;) {
                const std::ptrdiff_t left = (g.result_width - j) / width;
                if (left == 0) j = g.result_width - width;  // computes some positions again
                p.x = row + j;
                T* to = y + j * g.y_pixel;
                if (left == 3 || left > 4) plane_strip<3>(p, g.outputs, to, g.y_pixel), j += 3 * width;
                else if (left >= 2) plane_strip<2>(p, g.outputs, to, g.y_pixel), j += 2 * width;
                else plane_strip<1>(p, g.outputs, to, g.y_pixel), j += width;
            }
        }
}

}  // namespace detail

// y[n, i, j, o] = sum over (kh, kw, c) of x[n, i*stride + kh*dilation, j*stride + kw*dilation, c] * w[kh, kw, c, o].
template <ConvolutionNeeds needs = ConvolutionNeeds{}, class T>
void convolve(const ConvolutionArguments<T>& g, const T* x, const T* w, T* y) {
    const std::ptrdiff_t rows = g.images * g.positions();
    ConvolutionPart<T> p{
        {{g.result_width, g.result_height, g.images},
         {g.stride[1] * g.pixel, g.stride[0] * g.row(), g.image()},
         {g.y_pixel, g.result_width * g.y_pixel, g.positions() * g.y_pixel}},
        {{g.group_channels(), g.kernel_width, g.kernel_height}, {1, g.dilation[1] * g.pixel, g.dilation[0] * g.row()}},
        x,
        w,
        g.weights_row,
        y,
        TileResult::store};
    if constexpr (needs.many && plane_possible<T>)
        if (detail::is_plane(g)) return detail::convolve_plane(g, x, w, y);
    p.sums.merge();
    // All strips of some rows, one after the other, so that these rows of the image stay in the cache.
    const std::ptrdiff_t chunk = g.outputs <= convolution_vectors * lanes<T> && g.groups == 1 ? rows : 144;
    for (std::ptrdiff_t first = 0; first < rows; first += chunk)
        detail::convolution_groups<needs>(g, p, first, min_of(chunk, rows - first));
}

// w[kh, kw, c, o] = sum over (n, i, j) of x[n, i*stride + kh*dilation, j*stride + kw*dilation, c] * y[n, i, j, o], for
// `count` rows (kh, kw, c) of w from `first` on. The results do not depend on how the rows are divided.
template <ConvolutionNeeds needs = ConvolutionNeeds{}, class T>
void convolve_weights(const ConvolutionArguments<T>& g, const T* x, const T* y, T* w, std::ptrdiff_t first,
                      std::ptrdiff_t count) {
    ConvolutionPart<T> p{
        {{g.group_channels(), g.kernel_width, g.kernel_height},
         {1, g.dilation[1] * g.pixel, g.dilation[0] * g.row()},
         {g.weights_row, g.group_channels() * g.weights_row, g.kernel_width * g.group_channels() * g.weights_row}},
        {},
        x,
        y,
        g.y_pixel,
        w,
        TileResult::store};
    // Blocks of images that stay in the cache while all rows of w use them.
    constexpr std::ptrdiff_t space = 160 * 1024 / sizeof(T);
    const std::ptrdiff_t block = max_of<std::ptrdiff_t>(1, space / (g.image() + g.positions() * g.y_pixel));
    for (std::ptrdiff_t n = 0; n < g.images; n += block) {
        p.sums = {{g.result_width, g.result_height, min_of(block, g.images - n)},
                  {g.stride[1] * g.pixel, g.stride[0] * g.row(), g.image()}};
        p.sums.merge();
        p.a = x + n * g.image();
        p.b = y + n * g.positions() * g.y_pixel;
        p.result = n == 0 ? TileResult::store : TileResult::go_on;
        detail::convolution_groups<needs>(g, p, first, count);
    }
}

namespace detail {

// One kernel for each channel, `outputs / channels` of them: w is (kh, kw, 1, o), and y spreads over x.
template <class T>
void convolve_input_by_channel(const ConvolutionArguments<T>& g, const T* y, const T* w, T* x) {
    constexpr std::ptrdiff_t width = lanes<T>;
    const std::ptrdiff_t each = g.group_outputs();
    for (std::ptrdiff_t i = 0; i < g.result_height; ++i)
        for (std::ptrdiff_t j = 0; j < g.result_width; ++j, y += g.y_pixel)
            for (std::ptrdiff_t kh = 0; kh < g.kernel_height; ++kh)
                for (std::ptrdiff_t kw = 0; kw < g.kernel_width; ++kw) {
                    T* to = x + (i * g.stride[0] + kh * g.dilation[0]) * g.row() +
                            (j * g.stride[1] + kw * g.dilation[1]) * g.pixel;
                    const T* v = w + (kh * g.kernel_width + kw) * g.weights_row;
                    std::ptrdiff_t c = 0;
                    const auto step = [&](auto end) {
                        end.store(to + c, fused_multiply_add<T>(end.load(y + c), end.load(v + c), end.load(to + c)));
                    };
                    if (each == 1) {
                        for (; c + width <= g.channels; c += width) step(FullVector<T>{});
                        if (c < g.channels) step(MaskedVector<T>{static_cast<int>(g.channels - c)});
                    } else {
                        for (; c < g.outputs; ++c) to[c / each] += y[c] * v[c];
                    }
                }
}

// Processes one image, row of x after row: contributions of all rows of y are summed before they are added to the
// pixels.
template <bool tails, class T>
void convolve_input_rows(const ConvolutionArguments<T>& g, const T* y, const T* w, T* x, bool run,
                         std::ptrdiff_t columns) {
    const std::ptrdiff_t w_step = g.kernel_width * g.weights_row, outputs = g.group_outputs(), down = g.dilation[0];
    const std::ptrdiff_t y_row = g.result_width * g.y_pixel;
    for (std::ptrdiff_t row = 0; row < g.height; ++row) {
        const std::ptrdiff_t above = row - (g.result_height - 1);  // rows of the kernel that meet rows of y
        const std::ptrdiff_t first = above > 0 ? (above + down - 1) / down : 0;
        const std::ptrdiff_t end = min_of(g.kernel_height, row / down + 1);
        if (first >= end) continue;
        for (std::ptrdiff_t group = 0; group < g.groups; ++group)
            for (std::ptrdiff_t kw = 0; kw < (run ? 1 : g.kernel_width); ++kw) {
                const bool one = g.groups == 1;  // kernel rows follow one another only then
                for (std::ptrdiff_t kh = first; kh < end; kh += one ? end - first : 1) {
                    const ConvolutionPart<T> p{
                        {{g.result_width, 1, 1}, {g.y_pixel, 0, 0}, {g.stride[1] * g.pixel, 0, 0}},
                        {{outputs, one ? end - first : 1, 1}, {1, -down * y_row, 0}},
                        y + (row - kh * down) * y_row + group * outputs,
                        w + (kh * g.outputs + group * outputs) * w_step + kw * g.weights_row,
                        w_step,
                        x + row * g.row() + kw * g.dilation[1] * g.pixel + group * g.group_channels(),
                        TileResult::add};
                    convolution_columns<3, false, tails>(p, 0, g.result_width, columns);
                }
            }
    }
}

// Processes one image, tile after tile of y.
template <bool tails, class T>
void convolve_input_tiles(const ConvolutionArguments<T>& g, const T* y, const T* w, T* x, bool run,
                          std::ptrdiff_t columns) {
    if (g.stride[0] == 1) return convolve_input_rows<tails>(g, y, w, x, run, columns);
    const std::ptrdiff_t each = g.group_channels(), w_row = g.weights_row, w_step = g.kernel_width * w_row;
    constexpr std::ptrdiff_t chunk = 144;
    for (std::ptrdiff_t first = 0; first < g.positions(); first += chunk)
        for (std::ptrdiff_t group = 0; group < g.groups; ++group)
            for (std::ptrdiff_t kh = 0; kh < g.kernel_height; ++kh)
                for (std::ptrdiff_t kw = 0; kw < (run ? 1 : g.kernel_width); ++kw) {
                    const std::ptrdiff_t outputs = g.group_outputs();
                    const ConvolutionPart<T> p{
                        {{g.result_width, g.result_height, 1},
                         {g.y_pixel, g.result_width * g.y_pixel, 0},
                         {g.stride[1] * g.pixel, g.stride[0] * g.row(), 0}},
                        {{outputs, 1, 1}, {1, 0, 0}},
                        y + group * outputs,
                        w + (kh * g.outputs + group * outputs) * w_step + kw * w_row,
                        w_step,
                        x + kh * g.dilation[0] * g.row() + kw * g.dilation[1] * g.pixel + group * each,
                        TileResult::add};
                    convolution_columns<3, false, tails>(p, first, min_of(chunk, g.positions() - first), columns);
                }
}

}  // namespace detail

// x = the sum of the contributions of each element of y to the elements it was computed from. w is transposed, (kh, o,
// kw, c), unless there is one kernel for each channel.
template <ConvolutionNeeds needs = ConvolutionNeeds{}, class T>
void convolve_input(const ConvolutionArguments<T>& g, const T* y, const T* w, T* x) {
    const std::ptrdiff_t each = g.group_channels(), w_row = g.weights_row;
    const bool whole = g.groups == 1 && g.pixel % lanes<T> == 0 && w_row % lanes<T> == 0;
    // Pixels that are adjacent in both form one run of columns.
    const bool run = g.groups == 1 && g.dilation[1] == 1 && w_row == g.pixel;
    const std::ptrdiff_t columns =
        (run ? (g.kernel_width - 1) * g.pixel : 0) + (whole ? detail::whole_vectors(each, lanes<T>) : each);
    for (std::ptrdiff_t n = 0; n < g.images; ++n, x += g.image(), y += g.positions() * g.y_pixel) {
        fill(x, g.image(), T(0));
        if (g.groups > 1 && each == 1) {
            detail::convolve_input_by_channel(g, y, w, x);
            continue;
        }
        if constexpr (needs.many) detail::convolve_input_tiles<needs.tails>(g, y, w, x, run, columns);
    }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
