// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// Operators on images, sequences and volumes: (records, channels, …) in ONNX, channels last on the tape.
namespace sigma::detail {

namespace {

using Sizes1 = std::vector<int>;

/// The windows along the spatial axes.
struct Windows {
    Sizes1 kernel, stride, dilation, before, after;

    int reach(std::size_t i) const { return (kernel[i] - 1) * dilation[i] + 1; }
};
/// Returns the number of axes between the records and the channels.
int spatial_axes(OnnxCall& c) {
    const Shape s = c.shape(0);
    if (s.rank < 3 || s.rank > 5 || (s.batched() && s.batch_axis() != 0))
        c.refuse("records of 1 to 3 spatial axes", shape_text(c.in(0).dims()));
    return s.rank - 2;
}
/// Returns the attribute auto_pad, or NOTSET.
std::string padding_of(OnnxCall& c) {
    const std::string how = c.text("auto_pad", "NOTSET");
    if (how == "NOTSET" || how.empty()) return "NOTSET";
    if (how != "VALID" && how != "SAME_UPPER" && how != "SAME_LOWER")
        c.refuse("auto_pad NOTSET, VALID, SAME_UPPER or SAME_LOWER", how);
    const Numbers pads = c.list("pads");
    if (std::any_of(pads.begin(), pads.end(), [](long long p) { return p != 0; })) c.refuse("pads or auto_pad", "both");
    return how;
}
Windows windows_of(OnnxCall& c, Sizes1 kernel, const Shape& image) {
    const int n = image.rank - 2;
    const Numbers given = c.list("kernel_shape");
    if (kernel.empty()) kernel = c.spatial("kernel_shape", n, 1);
    else if (!given.empty() && !std::equal(given.begin(), given.end(), kernel.begin(), kernel.end()))
        c.refuse("a kernel_shape equal to that of the weights", shape_text(given));
    Windows w{std::move(kernel), c.spatial("strides", n, 1), c.spatial("dilations", n, 1),
              Sizes1(static_cast<std::size_t>(n)), Sizes1(static_cast<std::size_t>(n))};
    const std::string how = padding_of(c);
    for (std::size_t i = 0; i < w.kernel.size(); ++i)
        if (static_cast<long long>(w.kernel[i] - 1) * w.dilation[i] >= most_onnx_elements)
            c.refuse("kernels within images", sentence(w.kernel[i]));
    if (how == "NOTSET") {
        const Sizes1 pads = c.spatial("pads", 2 * n, 0, 0, 1 << 20);
        for (std::size_t i = 0; i < w.kernel.size(); ++i) w.before[i] = pads[i], w.after[i] = pads[i + w.kernel.size()];
    } else if (how != "VALID") {
        for (std::size_t i = 0; i < w.kernel.size(); ++i) {
            const int length = image[static_cast<int>(i) + 1];
            const int positions = (length + w.stride[i] - 1) / w.stride[i];
            const int all = std::max((positions - 1) * w.stride[i] + w.reach(i) - length, 0);
            w.before[i] = how == "SAME_UPPER" ? all / 2 : all - all / 2;
            w.after[i] = all - w.before[i];
        }
    }
    return w;
}
Tensor padded(OnnxCall& c, Tensor x, const Windows& w, double value = 0) {
    for (std::size_t i = 0; i < w.kernel.size(); ++i)
        if (w.before[i] > 0 || w.after[i] > 0)
            x = c.checked(pad(x, axis(static_cast<int>(i) + 1), w.before[i], w.after[i], value));
    return x;
}
/// Reshapes (n, length, c) to images of one row. The next function does the reverse.
Tensor as_rows(Tensor x) { return {reshape(x.variable, x.shape().inserted(1, 1))}; }
Tensor as_sequence(Tensor x) { return {reshape(x.variable, x.shape().without(1))}; }

// ---- convolutions ----

Tensor convolved(OnnxCall& c, Tensor x, Tensor w, const Windows& by, int groups) {
    const Shape s = x.shape(), k = w.shape();
    const std::size_t n = by.kernel.size();
    const auto plane = [&](std::size_t first) {
        return Convolution{
            {by.stride[first], by.stride[first + 1]}, {by.dilation[first], by.dilation[first + 1]}, groups};
    };
    if (n == 1)
        return as_sequence(convolve(as_rows(x), {reshape(w.variable, k.inserted(0, 1))},
                                    Convolution{{1, by.stride[0]}, {1, by.dilation[0]}, groups}));
    if (n == 2) return convolve(x, w, plane(0));
    if (by.reach(0) > s[1] || by.kernel[0] > 4095) c.refuse("kernels within volumes", shape_text(c.in(0).dims()));
    const int positions = (s[1] - by.reach(0)) / by.stride[0] + 1;
    Tensor y{};
    for (int i = 0; i < by.kernel[0]; ++i) {
        const Tensor images = planes_as_images(x, i * by.dilation[0], positions, by.stride[0]);
        const Tensor part = convolve(images, {reshape(slice(w.variable, 0, i, 1), k.without(0))}, plane(1));
        y = i == 0 ? part : y + part;
    }
    const Shape t = y.shape();
    return reshape(y, {s[0], positions, t[1], t[2], t[3]});
}
/// Returns the order of (outputs, channels, …) as (…, channels, outputs), or as (…, outputs, channels).
std::uint64_t kernel_order(int rank, bool outputs_last) {
    std::uint64_t order = 0;
    for (int i = 0; i < rank; ++i) {
        const int from = i < rank - 2 ? i + 2 : (i == rank - 1) == outputs_last ? 0 : 1;
        order |= static_cast<std::uint64_t>(from) << (4 * i);
    }
    return order;
}
Sizes1 leading(const Shape& s, int n) { return {s.extent, s.extent + n}; }
Tensor with_biases(OnnxCall& c, Tensor y, int i) {
    if (!c.has(i)) return y;
    if (c.in(i).dims() != Numbers{y.shape().last()}) c.refuse("one bias for each channel", shape_text(c.in(i).dims()));
    return y + c.weight(i, "biases");
}

Tensor convolution_of(OnnxCall& c, Tensor x, Tensor w) {
    const Shape image = x.shape(), k = w.shape();
    const int n = image.rank - 2;
    if (k.rank != image.rank || k.batched()) c.refuse(sentence("weights of ", image.rank, " axes"), sentence(k.rank));
    const int groups = c.small("group", 1, 1, 65535);
    if (static_cast<long long>(k[n]) * groups != image.last() || k[n + 1] % groups != 0)
        c.refuse(sentence("weights for ", image.last(), " channels in ", groups, " groups"),
                 shape_text(Numbers(k.extent, k.extent + k.rank)));
    const Windows by = windows_of(c, leading(k, n), image);
    return convolved(c, padded(c, x, by), w, by, groups);
}
void conv(OnnxCall& c) {
    const int n = spatial_axes(c);
    if (c.rank(1) != n + 2) c.refuse(sentence("weights of ", n + 2, " axes"), sentence(c.rank(1)));
    const Tensor x = c.images(0);
    const Tensor y = convolution_of(c, x, c.weight(1, "weights", kernel_order(n + 2, true)));
    c.give(with_biases(c, y, 2), c.type(), true);
}

/// Inserts zeros between the elements of an axis.
Tensor spread(Tensor x, int along, int stride) {
    const Shape s = x.shape();
    if (stride == 1) return x;
    int behind = 1;
    for (int i = along + 1; i < s.rank; ++i) behind *= s[i];
    const Tensor three = reshape(x, {s[0], s[along], 1, behind});
    const Tensor more = reshape(zero_pad(three, axis(2), 0, stride - 1), s.with(along, s[along] * stride));
    return slice(more, axis(along), 0, (s[along] - 1) * stride + 1);
}
Tensor convolved_back(OnnxCall& c, Tensor x, Tensor w, const Windows& by, int groups) {
    const Shape s = x.shape(), k = w.shape();
    const std::size_t n = by.kernel.size();
    if (n == 1)
        return as_sequence(convolve_transposed(as_rows(x), {reshape(w.variable, k.inserted(0, 1))},
                                               Convolution{{1, by.stride[0]}, {1, by.dilation[0]}, groups}));
    const Convolution g{{by.stride[n - 2], by.stride[n - 1]}, {by.dilation[n - 2], by.dilation[n - 1]}, groups};
    if (n == 2) return convolve_transposed(x, w, g);
    const Tensor planes = reshape(x, {s[0] * s[1], s[2], s[3], s[4]});
    Tensor y{};
    for (int i = 0; i < by.kernel[0]; ++i) {
        const Tensor part =
            c.checked(convolve_transposed(planes, {reshape(slice(w.variable, 0, i, 1), k.without(0))}, g));
        const Shape t = part.shape();
        const Tensor deep = spread(reshape(part, {s[0], s[1], t[1], t[2], t[3]}), 1, by.stride[0]);
        const Tensor placed = zero_pad(deep, axis(1), i * by.dilation[0], (by.kernel[0] - 1 - i) * by.dilation[0]);
        y = i == 0 ? placed : y + placed;
    }
    return y;
}
void conv_transposed(OnnxCall& c) {
    const int n = spatial_axes(c);
    if (c.rank(1) != n + 2) c.refuse(sentence("weights of ", n + 2, " axes"), sentence(c.rank(1)));
    const Tensor x = c.images(0), w = c.weight(1, "weights", kernel_order(n + 2, false));
    const Shape image = x.shape(), k = w.shape();
    const int groups = c.small("group", 1, 1, 65535);
    if (k[n] != image.last() || k.batched())
        c.refuse(sentence("weights for ", image.last(), " channels"), shape_text(c.in(1).dims()));
    if (k[n] % groups != 0) c.refuse("groups that divide the channels", sentence(groups));
    Windows by{leading(k, n), c.spatial("strides", n, 1), c.spatial("dilations", n, 1), {}, {}};
    if (n == 3 && k[0] > 4095) c.refuse("kernels of at most 4095 planes", sentence(k[0]));
    const Numbers given = c.list("kernel_shape");
    if (!given.empty() && !std::equal(given.begin(), given.end(), by.kernel.begin(), by.kernel.end()))
        c.refuse("a kernel_shape equal to that of the weights", shape_text(given));
    const Sizes1 more = c.spatial("output_padding", n, 0, 0, 4095);
    const Sizes1 pads = c.spatial("pads", 2 * n, 0, 0, 1 << 20);
    const Numbers wanted = c.list("output_shape");
    const std::string how = padding_of(c);
    Numbers extents{image[0]};
    std::vector<std::pair<int, int>> cuts;
    for (std::size_t i = 0; i < by.kernel.size(); ++i) {
        const long long full = static_cast<long long>(image[static_cast<int>(i) + 1] - 1) * by.stride[i] +
                               static_cast<long long>(by.kernel[i] - 1) * by.dilation[i] + 1;
        long long before = pads[i], after = pads[i + by.kernel.size()];
        const bool same = how == "SAME_UPPER" || how == "SAME_LOWER";
        if (!wanted.empty() || same) {
            if (!wanted.empty() && wanted.size() != by.kernel.size() && wanted.size() != by.kernel.size() + 2)
                c.refuse("an output_shape of the spatial axes", shape_text(wanted));
            const long long out = wanted.empty() ? static_cast<long long>(image[static_cast<int>(i) + 1]) * by.stride[i]
                                                 : wanted[i + wanted.size() - by.kernel.size()];
            const long long all = full + more[i] - out;
            const bool front = how != "SAME_UPPER";  // more padding in front
            before = all < 0 ? 0 : front ? all - all / 2 : all / 2;
            after = all - before;
        }
        const long long end = full + more[i] - after;
        if (before >= end || end > most_onnx_elements)
            c.refuse("pads that leave at least one element", sentence(before, " and ", after));
        extents.push_back(full + more[i] + (after < 0 ? -after : 0));
        cuts.emplace_back(static_cast<int>(before), static_cast<int>(end));
    }
    c.shape_of(extents);
    Tensor y = convolved_back(c, x, w, by, groups);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        const auto at = axis(static_cast<int>(i) + 1);
        const int length = y.shape()[static_cast<int>(i) + 1];
        if (cuts[i].second > length) y = zero_pad(y, at, 0, cuts[i].second - length);
        y = slice(y, at, cuts[i].first, cuts[i].second);
    }
    c.give(with_biases(c, y, 2), c.type(), true);
}

// ---- poolings ----

/// Applies f(images, Pooling) to the spatial axes, the last two at once.
template <class F>
Tensor over_windows(Tensor x, const Windows& by, F f) {
    const std::size_t n = by.kernel.size();
    const Shape s = x.shape();
    const auto plane = [](int height, int width, int down, int right) {
        return Pooling{{height, width}, {down, right}, {0, 0}};
    };
    if (n == 1) return as_sequence(f(as_rows(x), plane(1, by.kernel[0], 1, by.stride[0])));
    if (n == 2) return f(x, plane(by.kernel[0], by.kernel[1], by.stride[0], by.stride[1]));
    const Tensor images =
        f(reshape(x, {s[0] * s[1], s[2], s[3], s[4]}), plane(by.kernel[1], by.kernel[2], by.stride[1], by.stride[2]));
    const Shape t = images.shape();
    const Tensor deep =
        f(reshape(images, {s[0], s[1], 1, t[1] * t[2] * t[3]}), plane(by.kernel[0], 1, by.stride[0], 1));
    return reshape(deep, {s[0], deep.shape()[1], t[1], t[2], t[3]});
}
/// Extends the padding for ceil_mode, so that the last window that begins inside is complete.
void round_up(OnnxCall& c, Windows& by, const Shape& image, bool ceil) {
    for (std::size_t i = 0; i < by.kernel.size(); ++i) {
        const int length = image[static_cast<int>(i) + 1] + by.before[i] + by.after[i], reach = by.reach(i);
        if (reach > length) c.refuse("windows within padded images", sentence(by.kernel[i]));
        const int rest = (length - reach) % by.stride[i];
        const int start = (length - reach) / by.stride[i] * by.stride[i] + by.stride[i];
        if (ceil && rest != 0 && start < image[static_cast<int>(i) + 1] + by.before[i])
            by.after[i] += by.stride[i] - rest;
    }
}
Windows pool_windows(OnnxCall& c, const Shape& image) {
    if (c.attribute("kernel_shape") == nullptr) c.refuse("a kernel_shape", "no kernel_shape");
    const Windows w = windows_of(c, {}, image);
    for (std::size_t i = 0; i < w.kernel.size(); ++i) {
        const int length = image[static_cast<int>(i) + 1], reach = w.reach(i), all = w.before[i] + length + w.after[i];
        const int last = std::max(all - reach, 0) / w.stride[i] * w.stride[i];
        if (w.before[i] >= reach || w.after[i] > reach || last >= w.before[i] + length)
            c.refuse(sentence("pads that leave each window of ", reach, " an element"),
                     sentence(w.before[i], " and ", w.after[i]));
    }
    return w;
}
void max_pooled(OnnxCall& c) {
    spatial_axes(c);
    Tensor x = c.images(0);
    Windows by = pool_windows(c, x.shape());
    round_up(c, by, x.shape(), c.whole("ceil_mode", 0) != 0);
    bool plain = by.kernel.size() <= 2;
    for (std::size_t i = 0; i < by.kernel.size(); ++i)
        plain =
            plain && by.dilation[i] == 1 && by.before[i] < std::min(by.kernel[i], 256) && by.after[i] < by.kernel[i];
    if (plain) {
        const std::size_t n = by.kernel.size() - 1;
        const auto two = [&](const Sizes1& of, int otherwise) { return n == 1 ? of[0] : otherwise; };
        const Pooling p{
            {two(by.kernel, 1), by.kernel[n]}, {two(by.stride, 1), by.stride[n]}, {two(by.before, 0), by.before[n]}};
        const Tensor y = max_pool(n == 0 ? as_rows(x) : x, p, two(by.after, 0), by.after[n]);
        return c.give(n == 0 ? as_sequence(y) : y, c.type(), true);
    }
    x = padded(c, x, by, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < by.kernel.size(); ++i) {  // dilated axis: maximum of shifted values
        if (by.dilation[i] == 1) continue;
        const int at = static_cast<int>(i) + 1, n = x.shape()[at] - by.reach(i) + 1;
        Tensor y = slice(x, axis(at), 0, n);
        for (int k = 1; k < by.kernel[i]; ++k) {
            const Tensor z = slice(x, axis(at), k * by.dilation[i], k * by.dilation[i] + n);
            y = max(y, z);
        }
        x = y, by.kernel[i] = 1;
    }
    c.give(over_windows(x, by, [](Tensor t, const Pooling& p) { return max_pool(t, p); }), c.type(), true);
}
Tensor averages(Tensor x, Windows by) {
    for (std::size_t i = 0; i < by.kernel.size(); ++i) {  // dilated axis: sum of shifted values
        if (by.dilation[i] == 1) continue;
        const int at = static_cast<int>(i) + 1, n = x.shape()[at] - by.reach(i) + 1;
        Tensor y = slice(x, axis(at), 0, n);
        for (int k = 1; k < by.kernel[i]; ++k) y = y + slice(x, axis(at), k * by.dilation[i], k * by.dilation[i] + n);
        x = y / static_cast<double>(by.kernel[i]), by.kernel[i] = 1;
    }
    return over_windows(x, by, [](Tensor t, const Pooling& p) { return average_pool(t, p); });
}
void average_pooled(OnnxCall& c) {
    spatial_axes(c);
    const Tensor x = c.images(0);
    const Shape image = x.shape();
    Windows by = pool_windows(c, image);
    if (c.opset() < 19) by.dilation.assign(by.dilation.size(), 1);
    const Windows given = by;
    round_up(c, by, image, c.whole("ceil_mode", 0) != 0);
    const Tensor y = averages(padded(c, x, by), by);
    const bool counts_padding = c.whole("count_include_pad", 0) != 0;
    if (counts_padding ? by.after == given.after : by.before == Sizes1(by.before.size()) && by.after == by.before)
        return c.give(y, c.type(), true);
    Shape one = all_ones(image);
    Windows outside = by;
    for (std::size_t i = 0; i < by.kernel.size(); ++i) {
        const int at = static_cast<int>(i) + 1;
        one.extent[at] = image[at];
        if (!counts_padding) continue;
        one.extent[at] += given.before[i] + given.after[i];
        outside.before[i] = 0, outside.after[i] = by.after[i] - given.after[i];
    }
    const Tensor counted = averages(padded(c, {expand(c.constant(1).variable, one)}, outside), by);
    c.give(y / counted, c.type(), true);
}
void norm_pooled(OnnxCall& c) {
    spatial_axes(c);
    const Tensor x = c.images(0);
    Windows by = pool_windows(c, x.shape());
    if (c.opset() < 18) by.dilation.assign(by.dilation.size(), 1);
    round_up(c, by, x.shape(), c.whole("ceil_mode", 0) != 0);
    const double p = c.small("p", 2, 1, 64);
    double count = 1;
    for (const int k : by.kernel) count *= k;
    const Tensor all = count * averages(padded(c, pow(abs(x), p), by), by);
    c.give(p == 1 ? all : p == 2 ? sqrt(all) : pow(all, 1 / p), c.type(), true);
}
Axes inner(const Shape& s) {
    Axes all;
    for (int i = 1; i + 1 < s.rank; ++i) all.add(i);
    return all;
}
template <class F>
void over_all(OnnxCall& c, F f) {
    spatial_axes(c);
    const Tensor x = c.images(0);
    c.give(f(x, inner(x.shape())), c.type(), true);
}
void global_average(OnnxCall& c) {
    over_all(c, [](Tensor x, const Axes& a) { return mean(x, a, keep); });
}
void global_greatest(OnnxCall& c) {
    over_all(c, [](Tensor x, const Axes& a) { return max(x, a, keep); });
}
void global_norm(OnnxCall& c) {
    const double p = c.small("p", 2, 1, 64);
    over_all(c, [&](Tensor x, const Axes& a) { return pow(sum(pow(abs(x), p), a, keep), 1 / p); });
}

// ---- resizing ----

/// Maps positions of an output axis to positions of the input. Scales are floats: in double the position
/// 3 / 0.6f would lie below 5, and 10 · 1.3f below 13.
struct Coordinates {
    std::string mode;
    float scale = 1, first = 0, end = 1;  ///< Begin and end of the region.
    long long in = 1, out = 1;
    double shift = 0;  ///< Offset of all positions, for half_pixel_symmetric.

    double operator()(long long i) const { return static_cast<double>(at(static_cast<float>(i))); }

private:
    float at(float x) const {
        const auto n = static_cast<float>(in), m = static_cast<float>(out);
        if (mode == "align_corners") return m == 1 ? 0 : x * (n - 1) / (m - 1);
        if (mode == "asymmetric") return x / scale;
        if (mode == "pytorch_half_pixel") return m > 1 ? (x + 0.5f) / scale - 0.5f : 0;
        if (mode == "tf_half_pixel_for_nn") return (x + 0.5f) / scale;
        if (mode == "tf_crop_and_resize")
            return m > 1 ? first * (n - 1) + x * (end - first) * (n - 1) / (m - 1) : 0.5f * (first + end) * (n - 1);
        return (x + 0.5f) / scale - 0.5f;
    }
};
double nearest(double x, const std::string& mode) {
    if (mode == "floor") return std::floor(x);
    if (mode == "ceil") return std::ceil(x);
    return mode == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}
double cubic(double distance, double a) {
    const double d = std::abs(distance);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}
void resize_axis(OnnxCall& c, Tensor& y, int at, const Coordinates& where_at, const std::string& mode,
                 const std::string& rounding) {
    const long long n = where_at.in, m = where_at.out;
    if (n * m > most_folded_elements) c.refuse("smaller images", sentence("sides of ", n, " and ", m));
    Elements table;
    table.type = OnnxType::FLOAT;
    const auto within = [&](double k) {
        return static_cast<std::size_t>(std::clamp(k, 0.0, static_cast<double>(n - 1)));
    };
    if (mode == "nearest") {
        for (long long i = 0; i < m; ++i)
            table.numbers.push_back(static_cast<double>(within(nearest(where_at(i) + where_at.shift, rounding))));
        bool repeats = m % n == 0;
        for (long long i = 0; repeats && i < m; ++i)
            repeats = table.numbers[static_cast<std::size_t>(i)] == static_cast<double>(i / (m / n));
        const Shape s = y.shape();
        if (repeats) {
            Numbers front{1}, back{1};
            for (int i = 0; i < s.rank; ++i) (i < at ? front : back)[0] *= i == at ? 1 : s[i];
            const Tensor four = reshape(y, c.shape_of({front[0], n, 1, back[0]}));
            y = reshape(broadcast_to(four, c.shape_of({front[0], n, m / n, back[0]})), s.with(at, static_cast<int>(m)));
            return;
        }
        table.dims.assign(static_cast<std::size_t>(s.rank), 1);
        table.dims[static_cast<std::size_t>(at)] = m;
        y = gather(y, c.table(std::move(table), "positions"), axis(at));
        return;
    }
    // A matrix (in, out) of the weights of elements.
    table.dims = {n, m};
    table.numbers.assign(static_cast<std::size_t>(n * m), 0);
    const bool excludes = c.whole("exclude_outside", 0) != 0;
    const double a = c.real("cubic_coeff_a", -0.75);
    // Antialiasing: the filter is as wide as the elements that become one.
    const double narrow = c.whole("antialias", 0) != 0
                              ? std::clamp(static_cast<double>(where_at.scale), 1.0 / static_cast<double>(n), 1.0)
                              : 1;
    bool outside = false;
    for (long long i = 0; i < m; ++i) {
        const double x = where_at(i) + where_at.shift, low = std::floor(x);
        outside = outside || (where_at.mode == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(n - 1)));
        const double reach = std::ceil((mode == "cubic" ? 2 : 1) / narrow);
        double total = 0;
        const auto share = [&](double k) {
            const double d = narrow * (x - k);
            return mode == "cubic" ? cubic(d, a) : std::max(1 - std::abs(d), 0.0);
        };
        const auto counts = [&](double k) { return !excludes || (k >= 0 && k <= static_cast<double>(n - 1)); };
        for (double k = low + 1 - reach; k <= low + reach; ++k)
            if (counts(k)) total += share(k);
        for (double k = low + 1 - reach; k <= low + reach; ++k)
            if (counts(k))
                table.numbers[within(k) * static_cast<std::size_t>(m) + static_cast<std::size_t>(i)] +=
                    share(k) / total;
    }
    if (outside) c.refuse("a region inside the image", "a region across its border");
    const Tensor w = c.table(std::move(table), "shares");
    const Variable moved = exchanged(y.variable, at);
    y = {exchanged(dot(Tensor{moved}, w).variable, at)};
}
/// Extends scales or sizes of some axes to all axes. If the sizes must keep the aspect ratio, returns the common scale,
/// else 0.
double of_all_axes(OnnxCall& c, const Numbers& dims, std::vector<float>& scales, Numbers& sizes) {
    std::vector<std::size_t> at;
    for (const int a : c.axes(static_cast<int>(c.inputs.size()), static_cast<int>(dims.size()), true))
        at.push_back(static_cast<std::size_t>(a));
    const std::size_t given = sizes.empty() ? scales.size() : sizes.size();
    if (given != at.size()) c.refuse(sentence(at.size(), " scales or sizes"), sentence(given));
    const std::string policy = c.text("keep_aspect_ratio_policy", "stretch");
    double common = 0;
    if (policy == "not_larger" || policy == "not_smaller") {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const long long n = dims[at[i]];
            if (n < 0) c.refuse("axes without the axis of records (attribute axes)", sentence(at[i]));
            const double one = static_cast<double>(sizes[i]) / static_cast<double>(n);
            common = i == 0 ? one : policy == "not_larger" ? std::min(common, one) : std::max(common, one);
        }
        for (std::size_t i = 0; i < sizes.size(); ++i)
            sizes[i] = static_cast<long long>(std::floor(common * static_cast<double>(dims[at[i]]) + 0.5));
    } else if (policy != "stretch") c.refuse("keep_aspect_ratio_policy stretch, not_larger or not_smaller", policy);
    std::vector<float> all_scales(sizes.empty() ? dims.size() : 0, 1);
    Numbers all_sizes = sizes.empty() ? Numbers{} : dims;
    for (std::size_t i = 0; i < at.size(); ++i)
        if (sizes.empty()) all_scales[at[i]] = scales[i];
        else all_sizes[at[i]] = sizes[i];
    scales = all_scales, sizes = all_sizes;
    return common;
}
void resize(OnnxCall& c) {
    const bool old = c.opset() < 11 || c.node.op_type() == "Upsample";
    const std::string mode = c.text("mode", "nearest");
    if (mode != "nearest" && mode != "linear" && mode != "cubic") c.refuse("mode nearest, linear or cubic", mode);
    const std::string how = old ? "asymmetric" : c.text("coordinate_transformation_mode", "half_pixel");
    const std::string rounding = c.text("nearest_mode", "round_prefer_floor");
    const Numbers dims = c.in(0).dims();
    const std::size_t rank = dims.size();
    const int scales_at = old ? 1 : 2;
    std::vector<float> scales;
    Numbers sizes;
    if (old && c.opset() < 9) {
        if (const auto* const a = c.attribute("scales")) scales.assign(a->floats().begin(), a->floats().end());
    } else if (c.has(scales_at)) {
        const OnnxValue& v = c.in(scales_at);
        if (!v.known) c.refuse("constant scales", "scales that depend on inputs");
        for (long long i = 0; i < std::min(v.known->count(), 16ll); ++i)
            scales.push_back(static_cast<float>(v.known->at(i)));
    }
    if (!old && c.has(3) && c.in(3).known && c.in(3).known->count() > 0) sizes = c.extents(3), scales.clear();
    const double common = old ? 0 : of_all_axes(c, dims, scales, sizes);
    if (scales.size() != rank && sizes.size() != rank)
        c.refuse(sentence(rank, " scales or sizes"), sentence(scales.size()));
    std::vector<float> region;
    if (how == "tf_crop_and_resize") {
        if (!c.has(1) || !c.in(1).known || c.in(1).known->count() != static_cast<long long>(2 * rank))
            c.refuse("a region", "no region");
        for (std::size_t i = 0; i < 2 * rank; ++i) {
            region.push_back(static_cast<float>(c.in(1).known->at(static_cast<long long>(i))));
            if (!(std::abs(region.back()) < 1e6f)) c.refuse("a region of the image", sentence(region.back()));
        }
    }
    c.shape(0);
    Tensor y = c.passed(0);
    for (std::size_t i = 0; i < rank; ++i) {
        const float scale = sizes.empty() ? scales[i] : static_cast<float>(sizes[i]) / static_cast<float>(dims[i]);
        if (dims[i] < 0) {
            if (scale != 1 && !(sizes.size() == rank && sizes[i] == c.walk.model.file_batch))
                c.refuse("a scale of 1 for the axis of records", sentence(scale));
            continue;
        }
        const float extent =
            sizes.empty() ? std::floor(static_cast<float>(dims[i]) * scale) : static_cast<float>(sizes[i]);
        if (!(extent >= 1 && extent < static_cast<float>(most_folded_elements)))
            c.refuse("extents of at least 1", sentence(extent));
        Coordinates where_at{how, scale, 0, 1, dims[i], static_cast<long long>(extent)};
        if (how == "half_pixel_symmetric")
            where_at.shift = 0.5 * static_cast<double>(dims[i]) * (1 - extent / (static_cast<double>(dims[i]) * scale));
        if (common > 0 && dims[i] != where_at.out) where_at.scale = static_cast<float>(common);
        if (!region.empty()) where_at.first = region[i], where_at.end = region[i + rank];
        if (scale != 1 || (!region.empty() && (region[i] != 0 || region[i + rank] != 1)))
            resize_axis(c, y, static_cast<int>(i), where_at, mode, !old ? rounding : scale < 1 ? "ceil" : "floor");
        const Shape s = y.shape();
        c.shape_of({s.extent, s.extent + s.rank});
    }
    c.give(y);
}

constexpr OnnxOperator rows[] = {
    {"Conv", conv},
    {"ConvTranspose", conv_transposed},
    {"MaxPool", max_pooled},
    {"AveragePool", average_pooled},
    {"LpPool", norm_pooled},
    {"GlobalAveragePool", global_average},
    {"GlobalMaxPool", global_greatest},
    {"GlobalLpPool", global_norm},
    {"Resize", resize},
    {"Upsample", resize},
};

}  // namespace

std::span<const OnnxOperator> onnx_images() { return rows; }

void give_convolution(OnnxCall& c, Tensor x, Tensor w) {
    const int n = spatial_axes(c);
    if (w.shape().rank != n + 2) c.refuse(sentence("weights of ", n + 2, " axes"), sentence(w.shape().rank));
    const Variable images = permute(x.variable, channels_last(n + 2)),
                   kernel = permute(w.variable, kernel_order(n + 2, true));
    c.give(convolution_of(c, {images}, {kernel}), c.type(), true);
}

}  // namespace sigma::detail
