// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/generate/geometry.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/kernels/convolution.hpp>
#include <sigma/device/gpu/kernels/convolution_by_channel.hpp>
#include <sigma/device/gpu/kernels/image.hpp>

#include <algorithm>
#include <numeric>

namespace sigma::on_gpu {

/// Returns the extents and layouts of a convolution as constants of a text.
inline ConstantsText constants_of(const sigma::detail::ConvolutionKernel& k) {
    const sigma::detail::Convolution& c = k.geometry;
    const long long row = static_cast<long long>(k.width) * k.pixel;
    ConstantsText text;
    text("height", k.height)("width", k.width)("channels", k.channels)("result_height", k.result_height);
    text("result_width", k.result_width)("outputs", k.outputs)("kernel_height", k.kernel_height);
    text("kernel_width", k.kernel_width)("stride0", c.stride[0])("stride1", c.stride[1]);
    text("dilation0", c.dilation[0])("dilation1", c.dilation[1])("groups", c.groups)("pixel", k.pixel);
    text("before0", k.before[0])("before1", k.before[1])("padded", k.padded());
    text("row", row)("y_pixel", k.y_pixel)("weights_row", k.weights_row);
    text.wide("image", k.height * row).wide("y_image", static_cast<long long>(k.positions()) * k.y_pixel);
    return text;
}

/// The tile that a block computes at a time, and the part of each thread.
struct ConvolutionTile {
    int rows, columns, terms, thread_rows, thread_columns;

    /// Chooses a tile for the rows (-1: many) and columns of a result. `packs` is true if the left operand is read in
    /// packs.
    ConvolutionTile(sigma::detail::ElementType element, long long of_rows, int of_columns, bool packs) {
        const bool is_float = element == sigma::detail::ElementType::float32;
        columns = of_columns > 32 ? 64 : of_columns > 16 ? 32 : of_columns > 8 ? 16 : 8;
        rows = of_rows < 0 || of_rows > 64 ? 128 : of_rows > 32 || columns == 8 ? 64 : 32;
        terms = is_float && packs
                    ? 16
                    : 8;  // two tiles of each operand fit 48 KiB, and prefetched elements fit the registers
        thread_rows = thread_columns = 4;
        if (rows * columns >= 128 * 32) thread_rows = 8;
        if (rows * columns >= 128 * 64 && is_float) thread_columns = 8;  // so many doubles would not fit the registers
    }
    int threads() const { return rows / thread_rows * (columns / thread_columns); }
    void add_to(ConstantsText& text) const {
        text("bm", rows)("bn", columns)("bk", terms)("tm", thread_rows)("tn", thread_columns)("threads", threads());
    }
};

namespace detail {

inline long long divided(long long n, long long by) { return (n + by - 1) / by; }

/// The operands of a convolution with rows that can be read in packs. Rows of weights may be read up to their padding.
struct ConvolutionPacks {
    int pack;
    bool x, y_inner, y_columns, w;

    ConvolutionPacks(const sigma::detail::ConvolutionKernel& k, sigma::detail::ElementType element)
        : pack(pack_of(bytes_of(element))) {
        x = k.pixel % pack == 0 && k.group_channels() % pack == 0;
        y_inner = k.y_pixel % pack == 0 && k.group_outputs() % pack == 0;
        y_columns = k.y_pixel % pack == 0 && (k.geometry.groups == 1 || y_inner);
        w = k.weights_row % pack == 0;
    }
    int of(bool possible) const { return possible ? pack : 1; }
};

/// Returns the number of parts of sums over positions: enough for a large device, and the same on all devices, so that
/// all compute the same sums.
inline int convolution_parts(const sigma::detail::ConvolutionKernel& k, long long blocks_a_part, long long wanted,
                             long long rows, long long least) {
    const long long all = rows * (k.images < 0 ? -k.images * 64 : k.images);  // assumes batches of usual size
    return static_cast<int>(std::max(1LL, std::min(divided(wanted, blocks_a_part), all / least)));
}

inline std::string convolution_text(sigma::detail::ElementType element, const ConstantsText& constants, int threads,
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
/// Returns the beginning of a call: "sigma_forward<float, @_geometry".
inline std::string convolution_call(const char* function, sigma::detail::ElementType element) {
    std::string text = function;
    text += "<";
    text += type_text(element);
    return text += ", @_geometry>";
}

/// Returns the launch that adds the parts of sums of weights.
inline Generated add_parts(const sigma::detail::ConvolutionKernel& k, sigma::detail::ElementType element, int parts,
                           int part_row) {
    Generated result;
    std::string call = "sigma_add_parts<";
    call += type_text(element);
    for (const int n : {parts, k.weights_rows(), k.outputs, part_row, k.weights_row}) call += sentence(", ", n);
    call += ">(w.scratch, w.p2);";
    result.text = convolution_text(element, ConstantsText{}, result.threads, call);
    result.items = static_cast<long long>(k.weights_rows()) * k.outputs;
    result.items_a_block = parts <= 32 ? result.threads : result.threads / 32;
    return result;
}

inline GeneratedKernel generate_convolution_by_channel(const sigma::detail::ConvolutionKernel& k,
                                                       sigma::detail::ElementType element) {
    GeneratedKernel result;
    Generated launch;
    const int pack = pack_of(bytes_of(element));
    const bool packs =
        k.channels == k.outputs && k.pixel % pack == 0 && k.y_pixel % pack == 0 && k.weights_row % pack == 0;
    const int vc = packs ? pack : 1;
    const long long output_packs = divided(k.outputs, vc), channel_packs = divided(k.channels, vc);
    ConstantsText constants = constants_of(k);
    constants("vc", vc);
    launch.items_a_block = launch.threads;
    std::string images = coded_text(k.images), call;
    if (k.operation == sigma::detail::Operation::convolve_weights) {
        const long long items = static_cast<long long>(k.kernel_height) * k.kernel_width * output_packs;
        const int parts = convolution_parts(k, items, 132 * 2048, k.result_height, 8);
        const int part_row = parts > 1 ? static_cast<int>(divided(k.outputs, pack)) * pack : k.weights_row;
        const long long part = parts > 1 ? static_cast<long long>(k.weights_rows()) * part_row : 0;
        constants("parts", parts)("result_row", part_row).wide("part", part);
        launch.items = items * parts;
        call = convolution_call("sigma_weights_by_channel", element);
        call += parts > 1 ? "(w.p0, w.p1, w.scratch, " : "(w.p0, w.p1, w.p2, ";
        call += images + ");";
        launch.text = convolution_text(element, constants, launch.threads, call);
        result.launches.push_back(launch);
        if (parts > 1) result.launches.push_back(add_parts(k, element, parts, part_row));
        result.scratch = part * parts;
        return result;
    }
    const bool forward = k.operation == sigma::detail::Operation::convolve;
    launch.items = k.images * (forward ? k.positions() * output_packs
                                       : static_cast<long long>(k.height) * k.width * channel_packs);
    call = convolution_call(forward ? "sigma_forward_by_channel" : "sigma_backward_by_channel", element);
    call += "(w.p0, w.p1, w.p2, " + images + ");";
    launch.text = convolution_text(element, constants, launch.threads, call);
    result.launches.push_back(launch);
    return result;
}

/// Returns the launch of one of the matrix products.
inline Generated convolution_tiles(const sigma::detail::ConvolutionKernel& k, sigma::detail::ElementType element,
                                   const ConvolutionTile& tile, ConstantsText constants, const char* problem,
                                   const char* to) {
    Generated launch;
    launch.threads = tile.threads();
    tile.add_to(constants);
    std::string call = "sigma_tiles<";
    call += type_text(element);
    call += ", @_geometry>(";
    call += convolution_call(problem, element);
    call += "(w.p0, w.p1, ";
    call += to;
    call += sentence(", ", coded_text(k.images)) + "));";
    launch.text = convolution_text(element, constants, launch.threads, call);
    return launch;
}

inline GeneratedKernel generate_convolution_weights(const sigma::detail::ConvolutionKernel& k,
                                                    sigma::detail::ElementType element) {
    GeneratedKernel result;
    const ConvolutionPacks packs(k, element);
    const ConvolutionTile tile(element, k.weights_rows(), k.group_outputs(), packs.x);
    const long long tiles =
        divided(k.weights_rows(), tile.rows) * divided(k.group_outputs(), tile.columns) * k.geometry.groups;
    const int parts = convolution_parts(k, tiles, 512, k.positions(), 4 * tile.terms);
    const int part_row = parts > 1 ? static_cast<int>(divided(k.outputs, packs.pack)) * packs.pack : k.weights_row;
    const long long part = parts > 1 ? static_cast<long long>(k.weights_rows()) * part_row : 0;
    ConstantsText constants = constants_of(k);
    constants("va", packs.of(packs.x))("vb", packs.of(packs.y_columns))("parts", parts)("result_row", part_row);
    constants("packs", part_row % packs.pack == 0 && (k.geometry.groups == 1 || k.group_outputs() % packs.pack == 0));
    constants.wide("part", part);
    Generated launch =
        convolution_tiles(k, element, tile, constants, "sigma_weights", parts > 1 ? "w.scratch" : "w.p2");
    launch.items = tiles * parts;
    result.launches.push_back(launch);
    if (parts > 1) result.launches.push_back(add_parts(k, element, parts, part_row));
    result.scratch = part * parts;
    return result;
}

}  // namespace detail

/// Returns the launches of a convolution or one of its adjoints. Arguments: x, w, y; y, transposed w, x; x, y, w.
inline GeneratedKernel generate_convolution(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel) {
    const sigma::detail::ConvolutionKernel& k = kernel.convolution;
    if (k.by_channel()) return detail::generate_convolution_by_channel(k, plan.element);
    if (k.operation == sigma::detail::Operation::convolve_weights)
        return detail::generate_convolution_weights(k, plan.element);
    const detail::ConvolutionPacks packs(k, plan.element);
    const int* const stride = k.geometry.stride;
    GeneratedKernel result;
    ConstantsText constants = constants_of(k);
    const bool forward = k.operation == sigma::detail::Operation::convolve;
    const int columns = forward ? k.group_outputs() : k.group_channels();
    const auto whole = [&](int n) { return k.geometry.groups == 1 || n % packs.pack == 0; };
    constants("va", packs.of(forward ? packs.x : packs.y_inner));
    constants("vb", packs.of(packs.w && (!forward || whole(k.group_outputs()))));
    constants("packs", (forward ? k.y_pixel : k.pixel) % packs.pack == 0 && whole(columns));
    long long rows = k.positions(), phases = 1;
    if (!forward) {
        // The distance of taps of the kernel that reach positions of y from the same pixels.
        constants("every0", stride[0] / std::gcd(stride[0], k.geometry.dilation[0]));
        constants("every1", stride[1] / std::gcd(stride[1], k.geometry.dilation[1]));
        phases = static_cast<long long>(stride[0]) * stride[1];
        rows = detail::divided(k.height, stride[0]) * detail::divided(k.width, stride[1]);
    }
    const ConvolutionTile tile(plan.element, k.images < 0 ? -1 : k.images * rows, columns,
                               forward ? packs.x : packs.y_inner);
    Generated launch = detail::convolution_tiles(k, plan.element, tile, constants,
                                                 forward ? "sigma_forward" : "sigma_backward", "w.p2");
    launch.items = k.images * rows * phases * k.geometry.groups * detail::divided(columns, tile.columns);
    launch.items_a_block = tile.rows;
    result.launches.push_back(launch);
    return result;
}

}  // namespace sigma::on_gpu
