// SPDX-License-Identifier: BSL-1.0
// Convolution over images, channels last, and its two adjoints, on one thread. Reasons and measurements:
// docs/design/convolution.md
#pragma once

#include <cstddef>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/convolution_tile.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// The features that the convolutions of a program need. A caller that knows them omits code that never runs, most of it
// register tiles.
struct ConvolutionNeeds {
    bool each = true;   // convolutions with one kernel for each channel
    bool many = true;   // other convolutions
    bool tails = true;  // rows that do not end at whole vectors
};

namespace detail {

// Computes all columns of some rows. Columns that do not fill a vector are masked. If `paired`, two rows share a
// vector.
template <int widest, bool by_channel, bool tails, bool paired = false, class T>
void convolution_columns(const ConvolutionPart<T>& p, std::ptrdiff_t first, std::ptrdiff_t count,
                         std::ptrdiff_t columns) {
    constexpr std::ptrdiff_t width = lanes<T>;
    std::ptrdiff_t j = 0;
    const auto strip = [&]<int V>() {
        if constexpr (paired) paired_strip<V>(p, first, count, j);
        else convolution_strip<V, by_channel>(p, first, count, j, FullVector<T>{});
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

// Groups of channels and outputs: the columns of the result in each, and the strides from group to group.
struct ConvolutionGroups {
    bool each;            // one group, whose columns have a kernel each
    bool paired = false;  // each vector has columns in its lower half alone
    std::ptrdiff_t count, columns, a, b, c;

    // Columns of one group are rounded up to whole vectors if rows of b and c are whole vectors (and of a, with one
    // kernel for each channel). Rows of a and c are `a_pitch` and `c_pitch` apart.
    template <class T>
    ConvolutionGroups(const ConvolutionArguments<T>& g, std::ptrdiff_t of_group, std::ptrdiff_t a_pitch,
                      std::ptrdiff_t c_pitch, std::ptrdiff_t a_step, std::ptrdiff_t b_step)
        : each(g.one_each()), count(each ? 1 : g.groups), columns(each ? g.channels : of_group), a(a_step), b(b_step),
          c(of_group) {
        constexpr std::ptrdiff_t width = lanes<T>;
        const bool whole = c_pitch % width == 0 && g.weights_row % width == 0 && (!each || a_pitch % width == 0);
        paired = pairs_rows<T> && count == 1 && whole && !each && 2 * of_group <= width;
        if (count == 1 && whole) columns = (columns + width - 1) / width * width;
    }
};

// Computes some rows of all groups. All strips of some rows follow one another, so that these rows stay in the cache.
template <ConvolutionNeeds needs, class T>
void convolve_rows(const ConvolutionGroups& g, const ConvolutionPart<T>& p, std::ptrdiff_t first, std::ptrdiff_t end) {
    const bool one_strip = g.count == 1 && (g.each || g.columns <= convolution_vectors * lanes<T>);
    const std::ptrdiff_t chunk = one_strip ? end : 144;
    for (; first < end; first += chunk) {
        const std::ptrdiff_t rows = min_of(chunk, end - first);
        if constexpr (needs.each)
            if (g.each) {
                convolution_columns<1, true, needs.tails>(p, first, rows, g.columns);
                continue;
            }
        if constexpr (needs.many && pairs_rows<T>)
            if (g.paired) {
                convolution_columns<2, false, false, true>(p, first, rows, g.columns);
                continue;
            }
        if constexpr (needs.many)
            for (std::ptrdiff_t i = 0; i < g.count; ++i) {
                ConvolutionPart<T> q = p;
                q.a += i * g.a, q.b += i * g.b, q.c += i * g.c;
                convolution_columns<convolution_vectors, false, needs.tails>(q, first, rows, g.columns);
            }
    }
}

// Returns whether convolve_plane computes this convolution: there is one channel, and at most three quarters of the
// lanes of a vector are outputs.
template <class T>
bool is_plane(const ConvolutionArguments<T>& g) {
    return g.before[0] == 0 && g.before[1] == 0 && g.channels == 1 && g.pixel == 1 && g.stride[1] == 1 &&
           4 * g.outputs <= 3 * lanes<T> && g.y_pixel == lanes<T> && g.result_width >= lanes<T> &&
           g.kernel_height * g.kernel_width <= plane_terms;
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

// Calls f(first, end) for each vector of channels that have a kernel each.
template <bool tails, class T, class F>
void for_each_vector(std::ptrdiff_t columns, F f) {
    std::ptrdiff_t j = 0;
    for (; j + lanes<T> <= columns; j += lanes<T>) f(j, FullVector<T>{});
    if constexpr (tails)
        if (j < columns) f(j, MaskedVector<T>{static_cast<int>(columns - j)});
}

// Neighbouring positions of a result along an axis that sum over the same terms: first position, their number and
// distance; the same of terms; the element of the left operand at the first position and term, and its change to the
// next position and to the next term.
struct Span {
    std::ptrdiff_t first, count, step, term, terms, term_step, source, source_step, source_term;

    // Exchanges positions and terms.
    Span turned() const { return {term, terms, term_step, first, count, step, source, source_term, source_step}; }
    Span only(std::ptrdiff_t position) const {
        Span one = *this;
        one.first += position * step, one.count = 1, one.source += position * source_step;
        return one;
    }
};

// Position t and term m read element start + t * step + m * term_step of an axis of `size` elements, unless that lies
// outside: then it is padding, and does not count. Calls f(first t, count, first m, count) for each run of positions.
template <class F>
void for_each_run(std::ptrdiff_t start, std::ptrdiff_t step, std::ptrdiff_t term_step, std::ptrdiff_t positions,
                  std::ptrdiff_t terms, std::ptrdiff_t size, F f) {
    const auto steps = [](std::ptrdiff_t way, std::ptrdiff_t each) { return way <= 0 ? 0 : (way + each - 1) / each; };
    for (std::ptrdiff_t t = 0; t < positions;) {
        const std::ptrdiff_t to_begin = -start - t * step, to_end = to_begin + size;
        const std::ptrdiff_t first = min_of(terms, steps(to_begin, term_step)),
                             end = min_of(terms, steps(to_end, term_step));
        std::ptrdiff_t next = positions;  // or the first position with an earlier first or last term
        if (first > 0) next = min_of(next, steps(-start - (first - 1) * term_step, step));
        if (end > 0) next = min_of(next, steps(size - start - (end - 1) * term_step, step));
        f(t, next - t, first, max_of<std::ptrdiff_t>(0, end - first));
        t = next;
    }
}

// An axis of an image: position i of the result and element k of the kernel read pixel i * stride + k * dilation -
// before.
struct ImageAxis {
    std::ptrdiff_t image, result, kernel, stride, dilation, before;

    template <class T>
    ImageAxis(const ConvolutionArguments<T>& g, int axis)
        : image(axis ? g.width : g.height), result(axis ? g.result_width : g.result_height),
          kernel(axis ? g.kernel_width : g.kernel_height), stride(g.stride[axis]), dilation(g.dilation[axis]),
          before(g.before[axis]) {}

    // Spans of positions of the result, which sum over elements of the kernel.
    template <class F>
    void for_each_of_result(F f) const {
        for_each_run(-before, stride, dilation, result, kernel, image,
                     [&](std::ptrdiff_t t, std::ptrdiff_t count, std::ptrdiff_t m, std::ptrdiff_t terms) {
                         f(Span{t, count, 1, m, terms, 1, t * stride + m * dilation - before, stride, dilation});
                     });
    }
    // Spans of elements of the kernel, which sum over positions of the result.
    template <class F>
    void for_each_of_kernel(F f) const {
        ImageAxis turned = *this;
        turned.result = kernel, turned.kernel = result, turned.stride = dilation, turned.dilation = stride;
        turned.for_each_of_result(f);
    }
    // Spans of pixels, which sum over elements of the kernel, the last first: pixel u and element k read position
    // (u + before - k * dilation) / stride of the result. Every `stride`th pixel meets the same elements.
    template <class F>
    void for_each_of_image(F f) const {
        std::ptrdiff_t every = 1;
        while (every * dilation % stride != 0) ++every;
        const std::ptrdiff_t apart = every * dilation / stride;
        for (std::ptrdiff_t u = 0; u < min_of(stride, image); ++u) {
            std::ptrdiff_t k = 0;
            while (k < every && (u + before - k * dilation) % stride != 0) ++k;
            const std::ptrdiff_t terms = k < every && k < kernel ? (kernel - k + every - 1) / every : 0;
            const std::ptrdiff_t start = terms == 0 ? 0 : (u + before - k * dilation) / stride - (terms - 1) * apart;
            for_each_run(start, 1, apart, (image - u + stride - 1) / stride, terms, result,
                         [&](std::ptrdiff_t t, std::ptrdiff_t count, std::ptrdiff_t m, std::ptrdiff_t met) {
                             f(Span{u + t * stride, count, stride, k + (terms - 1 - m) * every, met, -every,
                                    start + t + m * apart, 1, apart});
                         });
        }
    }
};

// A tensor of images, or the kernel: the strides from column to column, row to row, and image to image.
template <class T>
struct ConvolutionSide {
    T* data;
    std::ptrdiff_t column, row, image;

    SIGMA_INLINE T* at(std::ptrdiff_t i, std::ptrdiff_t j) const { return data + i * row + j * column; }
};
template <bool image, class T, class U>
ConvolutionSide<U> side_of(const ConvolutionArguments<T>& g, U* data, std::ptrdiff_t n) {
    const std::ptrdiff_t pixel = image ? g.pixel : g.y_pixel, row = pixel * (image ? g.width : g.result_width);
    const std::ptrdiff_t all = row * (image ? g.height : g.result_height);
    return {data + n * all, pixel, row, all};
}

// Calls f(first, count) for blocks of images that stay in the cache. With one kernel for each channel, less is read
// twice.
template <class T, class F>
void for_each_block(const ConvolutionArguments<T>& g, F f) {
    const std::ptrdiff_t space = (g.one_each() ? 640 : 320) * 1024 / sizeof(T);
    const std::ptrdiff_t block = max_of<std::ptrdiff_t>(1, space / (g.image() + g.positions() * g.y_pixel));
    for (std::ptrdiff_t n = 0; n < g.images; n += block) f(n, min_of(block, g.images - n));
}

// c = a * w: y from x, or backwards x from y.
template <ConvolutionNeeds needs, bool backwards, class T>
void convolve_images(const ConvolutionArguments<T>& g, const T* from, const T* w, T* to) {
    const std::ptrdiff_t channels = g.group_channels(), outputs = g.one_each() ? 1 : g.group_outputs();
    const bool turned = backwards && (g.groups == 1 || channels > 1);
    // The terms of an element of the kernel are `inner` elements of a, `inner_row` apart in the kernel.
    const std::ptrdiff_t inner = backwards ? outputs : channels, row = g.weights_row;
    const std::ptrdiff_t inner_row = turned ? g.kernel_width * row : backwards ? 1 : row;
    const std::ptrdiff_t line = g.kernel_width * row * (turned ? g.outputs : channels);
    const ConvolutionSide<const T> kernel{w, turned ? row : channels * row, line, 0};
    const ConvolutionGroups groups(g, backwards ? channels : g.group_outputs(), backwards ? g.y_pixel : g.pixel,
                                   backwards ? g.pixel : g.y_pixel, inner,
                                   backwards ? inner * inner_row : g.group_outputs());
    for_each_block(g, [&](std::ptrdiff_t n, std::ptrdiff_t images) {
        const auto a = side_of<!backwards>(g, from, n);
        const auto c = side_of<backwards>(g, to, n);
        const auto compute = [&](const Span& i, const Span& j) {
            ConvolutionPart<T> p{{{j.count, i.count, images},
                                  {j.source_step * a.column, i.source_step * a.row, a.image},
                                  {j.step * c.column, i.step * c.row, c.image}},
                                 {{inner, j.terms, i.terms},
                                  {1, j.source_term * a.column, i.source_term * a.row},
                                  {inner_row, j.term_step * kernel.column, i.term_step * kernel.row}},
                                 a.at(i.source, j.source),
                                 kernel.at(i.term, j.term),
                                 c.at(i.first, j.first),
                                 TileResult::store};
            p.merge();
            if constexpr (needs.each)
                if (groups.each) {
                    for (std::ptrdiff_t o = 0; o < p.rows.count[2]; ++o)
                        for (std::ptrdiff_t r = 0; r < p.rows.count[1]; ++r)
                            for_each_vector<needs.tails, T>(groups.columns,
                                                            [&](auto v, auto end) { channel_strip(p, o, r, v, end); });
                    return;
                }
            if constexpr (needs.many) convolve_rows<needs>(groups, p, 0, j.count * i.count * images);
        };
        const auto each = [](const ImageAxis& axis, auto f) {
            if constexpr (backwards) axis.for_each_of_image(f);
            else axis.for_each_of_result(f);
        };
        each(ImageAxis(g, 0), [&](const Span& i) { each(ImageAxis(g, 1), [&](const Span& j) { compute(i, j); }); });
    });
}

// Returns whether one image has too few columns of each kind: most meet only some elements of the kernel. Groups,
// strides and padding are not handled.
template <class T>
bool is_narrow(const ConvolutionArguments<T>& g) {
    const std::ptrdiff_t across = (g.kernel_width - 1) * g.dilation[1], down = (g.kernel_height - 1) * g.dilation[0];
    return g.groups == 1 && g.stride[0] == 1 && g.stride[1] == 1 && g.before[0] == 0 && g.before[1] == 0 &&
           g.height >= g.result_height + down && g.width >= g.result_width + across &&
           2 * (g.result_width - across) < g.width;
}
// Computes each row of x from rows of y: contributions of all rows of y are summed before they are added to the pixels.
template <ConvolutionNeeds needs, class T>
void convolve_input_rows(const ConvolutionArguments<T>& g, const T* y, const T* w, T* x) {
    const std::ptrdiff_t w_step = g.kernel_width * g.weights_row, down = g.dilation[0],
                         y_row = g.result_width * g.y_pixel;
    // Pixels that are adjacent in both form one run of columns.
    const bool run = g.dilation[1] == 1 && g.weights_row == g.pixel;
    ConvolutionGroups columns(g, g.channels, g.y_pixel, g.pixel, 0, 0);
    if (run) columns.columns += (g.kernel_width - 1) * g.pixel;
    for (std::ptrdiff_t n = 0; n < g.images; ++n, x += g.image(), y += g.result_height * y_row) {
        fill(x, g.image(), T(0));
        for (std::ptrdiff_t row = 0; row < g.height; ++row) {
            const std::ptrdiff_t above = row - (g.result_height - 1);  // rows of the kernel that meet rows of y
            const std::ptrdiff_t first = above > 0 ? (above + down - 1) / down : 0;
            const std::ptrdiff_t count = min_of(g.kernel_height, row / down + 1) - first;
            for (std::ptrdiff_t kw = 0; count > 0 && kw < (run ? 1 : g.kernel_width); ++kw)
                convolve_rows<needs>(
                    columns,
                    ConvolutionPart<T>{{{g.result_width, 1, 1}, {g.y_pixel, 0, 0}, {g.pixel, 0, 0}},
                                       {{g.outputs, count, 1}, {1, -down * y_row - g.outputs, 0}, {w_step, 0, 0}},
                                       y + (row - first * down) * y_row,
                                       w + first * g.outputs * w_step + kw * g.weights_row,
                                       x + row * g.row() + kw * g.dilation[1] * g.pixel,
                                       TileResult::add},
                    0, g.result_width);
        }
    }
}

}  // namespace detail

// y[n, i, j, o] = sum over (kh, kw, c) of x[n, i*stride + kh*dilation - before, j*stride + kw*dilation - before, c] *
// w[kh, kw, c, o]. Pixels outside of x are 0.
template <ConvolutionNeeds needs = ConvolutionNeeds{}, class T>
void convolve(const ConvolutionArguments<T>& g, const T* x, const T* w, T* y) {
    if constexpr (needs.many && plane_possible<T>)
        if (detail::is_plane(g)) return detail::convolve_plane(g, x, w, y);
    detail::convolve_images<needs, false>(g, x, w, y);
}

// x = the sum of the contributions of each element of y to the elements it was computed from. w is turned, (kh, o, kw,
// c), unless there is one kernel for each channel.
template <ConvolutionNeeds needs = ConvolutionNeeds{}, class T>
void convolve_input(const ConvolutionArguments<T>& g, const T* y, const T* w, T* x) {
    if constexpr (needs.many)
        if (detail::is_narrow(g)) return detail::convolve_input_rows<needs>(g, y, w, x);
    detail::convolve_images<needs, true>(g, y, w, x);
}

// w[kh, kw, c, o] = sum over (n, i, j) of x[n, i*stride + kh*dilation - before, j*stride + kw*dilation - before, c] *
// y[n, i, j, o], for `count` rows (kh, kw, c) of w from `first` on. The results do not depend on how the rows are
// divided.
template <ConvolutionNeeds needs = ConvolutionNeeds{}, class T>
void convolve_weights(const ConvolutionArguments<T>& g, const T* x, const T* y, T* w, std::ptrdiff_t first,
                      std::ptrdiff_t count) {
    using detail::Span;
    const std::ptrdiff_t inner = g.group_channels(), row = g.weights_row, line = inner * g.kernel_width;
    const detail::ConvolutionGroups groups(g, g.group_outputs(), g.pixel, g.y_pixel, inner, g.group_outputs());
    const detail::ConvolutionSide<T> kernel{w, inner * row, line * row, 0};
    const detail::ImageAxis down(g, 0), right(g, 1);
    // With few channels, a tile takes all elements of the kernel that meet the same positions. Else it takes channels.
    const bool few = inner < 9;
    if (few) fill(w + first * row, count * row, T(0));
    detail::for_each_block(g, [&](std::ptrdiff_t n, std::ptrdiff_t images) {
        const auto a = detail::side_of<true>(g, x, n), b = detail::side_of<false>(g, y, n);
        // Computes the rows of some elements of the kernel, which begin at row `begin` of w.
        const auto compute = [&](const Span& i, const Span& j, std::ptrdiff_t begin) {
            const std::ptrdiff_t from = max_of<std::ptrdiff_t>(0, first - begin);
            const std::ptrdiff_t end = min_of(inner * j.count * i.count, first + count - begin);
            if (from >= end) return;
            ConvolutionPart<T> p{{{inner, j.count, i.count},
                                  {1, j.source_step * a.column, i.source_step * a.row},
                                  {row, j.step * kernel.column, i.step * kernel.row}},
                                 {{j.terms, i.terms, images},
                                  {j.source_term * a.column, i.source_term * a.row, a.image},
                                  {j.term_step * b.column, i.term_step * b.row, b.image}},
                                 a.at(i.source, j.source),
                                 b.at(i.term, j.term),
                                 kernel.at(i.first, j.first),
                                 few || n > 0 ? TileResult::go_on : TileResult::store};
            p.merge();
            if constexpr (needs.each)
                if (groups.each && channel_sums_slide(p) && end - from == channel_terms)
                    return detail::for_each_vector<needs.tails, T>(
                        groups.columns, [&](auto v, auto last) { channel_sums(p, v, last); });
            detail::convolve_rows<needs>(groups, p, from, end);
        };
        const auto compute_rows = [&](const Span& i, const Span& j) {
            if (first == 0 && count == g.kernel_height * line) return compute(i, j, 0);
            if (j.count == g.kernel_width) return compute(i, j, i.first * line);
            for (std::ptrdiff_t k = 0; k < i.count; ++k)  // rows of w that follow one another
                compute(i.only(k), j, (i.first + k) * line + j.first * inner);
        };
        if (few)
            down.for_each_of_result([&](const Span& i) {
                right.for_each_of_result([&](const Span& j) { compute_rows(i.turned(), j.turned()); });
            });
        else
            down.for_each_of_kernel(
                [&](const Span& i) { right.for_each_of_kernel([&](const Span& j) { compute_rows(i, j); }); });
    });
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
