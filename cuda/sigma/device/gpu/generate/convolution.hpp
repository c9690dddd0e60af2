// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/generate/geometry.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/kernels/convolution.hpp>
#include <sigma/device/gpu/kernels/convolution_by_channel.hpp>
#include <sigma/device/gpu/kernels/image.hpp>
#include <sigma/tape/geometry.hpp>

#include <algorithm>
#include <numeric>

namespace sigma::on_gpu {

/// Extents and layouts of a convolution, as simd::ConvolutionArguments. Elements.
struct ConvolutionGeometry {
    Convolution step;
    long long images;  ///< coded
    int height, width, channels, result_height, result_width, outputs, kernel_height, kernel_width;
    int pixel, y_pixel, weights_row;

    ConvolutionGeometry(const PlanView& plan, const Kernel& k)
        : step(Convolution::unpacked(k.stream)), images(k.extent[0]) {
        const auto arguments = plan.arguments_of(k);
        const bool input = k.operation == Operation::convolve_input,
                   weights = k.operation == Operation::convolve_weights;
        const int* const x = arguments[input ? 2 : 0].stride;
        const int* const y = arguments[input ? 0 : weights ? 1 : 2].stride;
        const int* const w = arguments[weights ? 2 : 1].stride;
        height = x[3], width = x[4], channels = x[5];
        result_height = k.extent[1], result_width = k.extent[2], outputs = k.extent[3];
        kernel_height = w[1];
        kernel_width = w[input && !by_channel() ? 3 : 2];  // turned weights are (kh, o, kw, c)
        pixel = x[2], y_pixel = y[2], weights_row = w[0];
    }
    bool by_channel() const { return Convolution::by_channel(step.groups, channels); }
    int group_channels() const { return channels / step.groups; }
    int group_outputs() const { return outputs / step.groups; }
    int positions() const { return result_height * result_width; }
    int lines() const { return kernel_height * kernel_width * group_channels(); }
    long long image() const { return static_cast<long long>(height) * width * pixel; }

    ConstantsText constants() const {
        ConstantsText text;
        text("height", height)("width", width)("channels", channels)("result_height", result_height);
        text("result_width", result_width)("outputs", outputs)("kernel_height", kernel_height);
        text("kernel_width", kernel_width)("stride0", step.stride[0])("stride1", step.stride[1]);
        text("dilation0", step.dilation[0])("dilation1", step.dilation[1])("groups", step.groups)("pixel", pixel);
        text("row", static_cast<long long>(width) * pixel)("y_pixel", y_pixel)("weights_row", weights_row);
        text.wide("image", image()).wide("y_image", static_cast<long long>(positions()) * y_pixel);
        return text;
    }
};

/// What a block computes at a time, and each of its threads.
struct ConvolutionTile {
    int rows, columns, terms, thread_rows, thread_columns;

    /// For a result with so many rows (many: -1) and columns; `packs`: is the left operand read in packs?
    ConvolutionTile(ElementType element, long long of_rows, int of_columns, bool packs) {
        const bool is_float = element == ElementType::float32;
        columns = of_columns > 32 ? 64 : of_columns > 16 ? 32 : of_columns > 8 ? 16 : 8;
        rows = of_rows < 0 || of_rows > 64 ? 128 : of_rows > 32 || columns == 8 ? 64 : 32;
        terms = is_float && packs
                    ? 16
                    : 8;  // tiles of both operands, twice, fit 48 KiB; what is loaded ahead, the registers
        thread_rows = thread_columns = 4;
        if (rows * columns >= 128 * 32) thread_rows = 8;
        if (rows * columns >= 128 * 64 && is_float) thread_columns = 8;  // as many doubles would not fit the registers
    }
    int threads() const { return rows / thread_rows * (columns / thread_columns); }
    void add_to(ConstantsText& text) const {
        text("bm", rows)("bn", columns)("bk", terms)("tm", thread_rows)("tn", thread_columns)("threads", threads());
    }
};

namespace detail {

inline long long divided(long long n, long long by) { return (n + by - 1) / by; }

/// Rows of a convolution's operands that can be read in packs: those of weights may be read up to their padding.
struct ConvolutionPacks {
    int pack;
    bool x, y_inner, y_columns, w;

    ConvolutionPacks(const ConvolutionGeometry& g, ElementType element) : pack(pack_of(bytes_of(element))) {
        x = g.pixel % pack == 0 && g.group_channels() % pack == 0;
        y_inner = g.y_pixel % pack == 0 && g.group_outputs() % pack == 0;
        y_columns = g.y_pixel % pack == 0 && (g.step.groups == 1 || y_inner);
        w = g.weights_row % pack == 0;
    }
    int of(bool possible) const { return possible ? pack : 1; }
};

/// Into how many parts sums over positions are cut: enough to fill a large device, whatever the device, so that all get
/// the same sums.
inline int convolution_parts(const ConvolutionGeometry& g, long long blocks_a_part, long long wanted, long long rows,
                             long long least) {
    const long long all = rows * (g.images < 0 ? -g.images * 64 : g.images);  // for batches of usual size
    return static_cast<int>(std::max(1LL, std::min(divided(wanted, blocks_a_part), all / least)));
}

inline std::string convolution_text(ElementType element, const ConstantsText& constants, int threads,
                                    const std::string& call) {
    std::string text = image_kernels;
    text += convolution_kernels;
    text += convolution_by_channel_kernels;
    text += constants.named("@_geometry");
    text += words_text(element, 3);
    text += sentence("SIGMA_KERNEL(@, ", threads, ", @_words) { ");
    text += call;
    return text += " }\n";
}
/// "sigma_forward<float, @_geometry"
inline std::string convolution_call(const char* function, ElementType element) {
    std::string text = function;
    text += "<";
    text += type_text(element);
    return text += ", @_geometry>";
}

/// Weights' sums that were cut into parts.
inline Generated add_parts(const ConvolutionGeometry& g, ElementType element, int parts, int part_row) {
    Generated result;
    std::string call = "sigma_add_parts<";
    call += type_text(element);
    for (const int n : {parts, g.lines(), g.outputs, part_row, g.weights_row}) call += sentence(", ", n);
    call += ">(w.scratch, w.p2);";
    result.text = convolution_text(element, ConstantsText{}, result.threads, call);
    result.items = static_cast<long long>(g.lines()) * g.outputs;
    result.items_a_block = parts <= 32 ? result.threads : result.threads / 32;
    return result;
}

inline GeneratedKernel generate_convolution_by_channel(const ConvolutionGeometry& g, const Kernel& k,
                                                       ElementType element) {
    GeneratedKernel result;
    Generated launch;
    const int pack = pack_of(bytes_of(element));
    const bool packs =
        g.channels == g.outputs && g.pixel % pack == 0 && g.y_pixel % pack == 0 && g.weights_row % pack == 0;
    const int vc = packs ? pack : 1;
    const long long output_packs = divided(g.outputs, vc), channel_packs = divided(g.channels, vc);
    ConstantsText constants = g.constants();
    constants("vc", vc);
    launch.items_a_block = launch.threads;
    std::string images = coded_text(g.images), call;
    if (k.operation == Operation::convolve_weights) {
        const long long items = static_cast<long long>(g.kernel_height) * g.kernel_width * output_packs;
        const int parts = convolution_parts(g, items, 132 * 2048, g.result_height, 8);
        const int part_row = parts > 1 ? static_cast<int>(divided(g.outputs, pack)) * pack : g.weights_row;
        const long long part = parts > 1 ? static_cast<long long>(g.lines()) * part_row : 0;
        constants("parts", parts)("result_row", part_row).wide("part", part);
        launch.items = items * parts;
        call = convolution_call("sigma_weights_by_channel", element);
        call += parts > 1 ? "(w.p0, w.p1, w.scratch, " : "(w.p0, w.p1, w.p2, ";
        call += images + ");";
        launch.text = convolution_text(element, constants, launch.threads, call);
        result.launches.push_back(launch);
        if (parts > 1) result.launches.push_back(add_parts(g, element, parts, part_row));
        result.scratch = part * parts;
        return result;
    }
    const bool forward = k.operation == Operation::convolve;
    launch.items = g.images * (forward ? g.positions() * output_packs
                                       : static_cast<long long>(g.height) * g.width * channel_packs);
    call = convolution_call(forward ? "sigma_forward_by_channel" : "sigma_backward_by_channel", element);
    call += "(w.p0, w.p1, w.p2, " + images + ");";
    launch.text = convolution_text(element, constants, launch.threads, call);
    result.launches.push_back(launch);
    return result;
}

/// A launch of one of the matrix products.
inline Generated convolution_tiles(const ConvolutionGeometry& g, ElementType element, const ConvolutionTile& tile,
                                   ConstantsText constants, const char* problem, const char* to) {
    Generated launch;
    launch.threads = tile.threads();
    tile.add_to(constants);
    std::string call = "sigma_tiles<";
    call += type_text(element);
    call += ", @_geometry>(";
    call += convolution_call(problem, element);
    call += "(w.p0, w.p1, ";
    call += to;
    call += sentence(", ", coded_text(g.images)) + "));";
    launch.text = convolution_text(element, constants, launch.threads, call);
    return launch;
}

inline GeneratedKernel generate_convolution_weights(const ConvolutionGeometry& g, ElementType element) {
    GeneratedKernel result;
    const ConvolutionPacks packs(g, element);
    const ConvolutionTile tile(element, g.lines(), g.group_outputs(), packs.x);
    const long long tiles = divided(g.lines(), tile.rows) * divided(g.group_outputs(), tile.columns) * g.step.groups;
    const int parts = convolution_parts(g, tiles, 512, g.positions(), 4 * tile.terms);
    const int part_row = parts > 1 ? static_cast<int>(divided(g.outputs, packs.pack)) * packs.pack : g.weights_row;
    const long long part = parts > 1 ? static_cast<long long>(g.lines()) * part_row : 0;
    ConstantsText constants = g.constants();
    constants("va", packs.of(packs.x))("vb", packs.of(packs.y_columns))("parts", parts)("result_row", part_row);
    constants("packs", part_row % packs.pack == 0 && (g.step.groups == 1 || g.group_outputs() % packs.pack == 0));
    constants.wide("part", part);
    Generated launch =
        convolution_tiles(g, element, tile, constants, "sigma_weights", parts > 1 ? "w.scratch" : "w.p2");
    launch.items = tiles * parts;
    result.launches.push_back(launch);
    if (parts > 1) result.launches.push_back(add_parts(g, element, parts, part_row));
    result.scratch = part * parts;
    return result;
}

}  // namespace detail

/// A convolution or one of its adjoints. Arguments: x, w, y; y, turned w, x; x, y, w.
inline GeneratedKernel generate_convolution(const PlanView& plan, const Kernel& k) {
    const ConvolutionGeometry g(plan, k);
    if (g.by_channel()) return detail::generate_convolution_by_channel(g, k, plan.element);
    if (k.operation == Operation::convolve_weights) return detail::generate_convolution_weights(g, plan.element);
    const detail::ConvolutionPacks packs(g, plan.element);
    const int* const stride = g.step.stride;
    GeneratedKernel result;
    ConstantsText constants = g.constants();
    const bool forward = k.operation == Operation::convolve;
    const int columns = forward ? g.group_outputs() : g.group_channels();
    const auto whole = [&](int n) { return g.step.groups == 1 || n % packs.pack == 0; };
    constants("va", packs.of(forward ? packs.x : packs.y_inner));
    constants("vb", packs.of(packs.w && (!forward || whole(g.group_outputs()))));
    constants("packs", (forward ? g.y_pixel : g.pixel) % packs.pack == 0 && whole(columns));
    long long rows = g.positions(), phases = 1;
    if (!forward) {
        // Taps of the kernel that meet positions of y from the same pixels are so far apart.
        constants("every0", stride[0] / std::gcd(stride[0], g.step.dilation[0]));
        constants("every1", stride[1] / std::gcd(stride[1], g.step.dilation[1]));
        phases = static_cast<long long>(stride[0]) * stride[1];
        rows = detail::divided(g.height, stride[0]) * detail::divided(g.width, stride[1]);
    }
    const ConvolutionTile tile(plan.element, g.images < 0 ? -1 : g.images * rows, columns,
                               forward ? packs.x : packs.y_inner);
    Generated launch = detail::convolution_tiles(g, plan.element, tile, constants,
                                                 forward ? "sigma_forward" : "sigma_backward", "w.p2");
    launch.items = g.images * rows * phases * g.step.groups * detail::divided(columns, tile.columns);
    launch.items_a_block = tile.rows;
    result.launches.push_back(launch);
    return result;
}

}  // namespace sigma::on_gpu
