// SPDX-License-Identifier: BSL-1.0
// Convolutions and their two gradients on one thread: Sigma's kernels against oneDNN, in the layout of images that
// oneDNN prefers and in Sigma's own (channels last). Sizes are those of LeNet, residual networks, and networks with a
// kernel for each channel. `convolution [SECONDS [TEXT]]`: seconds for each library and row (default: 0.1); only rows
// that contain TEXT.
#include <sigma/benchmark.hpp>
#include <sigma/core/error.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

using namespace sigma;

namespace {

struct Sizes {
    std::string name;
    int images, height, width, channels, outputs, kernel, stride = 1, padding = 0, groups = 1;
};
const Sizes all[] = {{"LeNet 1", 64, 28, 28, 1, 6, 5},
                     {"LeNet 2", 64, 12, 12, 6, 16, 5},
                     {"3 x 3", 32, 32, 32, 16, 16, 3, 1, 1},
                     {"3 x 3", 1, 32, 32, 32, 32, 3, 1, 1},
                     {"3 x 3", 32, 32, 32, 32, 32, 3, 1, 1},
                     {"3 x 3", 1, 16, 16, 64, 64, 3, 1, 1},
                     {"3 x 3", 32, 16, 16, 64, 64, 3, 1, 1},
                     {"3 x 3", 32, 8, 8, 128, 128, 3, 1, 1},
                     {"3 x 3", 1, 14, 14, 256, 256, 3, 1, 1},
                     {"3 x 3", 1, 56, 56, 64, 64, 3, 1, 1},
                     {"3 x 3, stride 2", 32, 32, 32, 32, 64, 3, 2, 1},
                     {"3 x 3, stride 2", 1, 56, 56, 64, 128, 3, 2, 1},
                     {"7 x 7, stride 2", 1, 224, 224, 3, 64, 7, 2, 3},
                     {"3 x 3, colours", 32, 32, 32, 3, 32, 3, 1, 1},
                     {"1 x 1", 1, 56, 56, 64, 256, 1},
                     {"1 x 1", 1, 14, 14, 256, 256, 1},
                     {"1 x 1", 32, 16, 16, 64, 128, 1},
                     {"5 x 5", 32, 16, 16, 32, 64, 5, 1, 2},
                     {"each channel 3 x 3", 1, 56, 56, 128, 128, 3, 1, 1, 128},
                     {"each channel 3 x 3", 32, 32, 32, 32, 32, 3, 1, 1, 32},
                     {"each channel 3 x 3", 32, 16, 16, 64, 64, 3, 1, 1, 64},
                     {"each channel 3 x 3, stride 2", 32, 32, 32, 32, 32, 3, 2, 1, 32},
                     {"4 groups, 3 x 3", 32, 16, 16, 64, 64, 3, 1, 1, 4}};

std::shared_ptr<float[]> numbers(std::ptrdiff_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    std::shared_ptr<float[]> x(static_cast<float*>(std::aligned_alloc(64, (bytes + 511) / 64 * 64)),
                               [](float* p) { std::free(p); });
    for (std::ptrdiff_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 7919 % 1000) / 1000 - 0.5f;
    return x;
}

/// A primitive of oneDNN with its arguments.
struct Primitive {
    dnnl::primitive primitive;
    std::unordered_map<int, dnnl::memory> arguments;
    dnnl::stream stream;

    void operator()() {
        primitive.execute(stream, arguments);
        stream.wait();
    }
};

/// Returns the forward convolution, the gradient of its weights and that of its images.
std::vector<Primitive> primitives(const Sizes& s, int height, int width, dnnl::memory::format_tag images) {
    using dnnl::memory;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const memory::dims strides{s.stride, s.stride}, padding{s.padding, s.padding};
    const auto description = [](const memory::dims& extents, memory::format_tag tag) {
        return memory::desc(extents, memory::data_type::f32, tag);
    };
    const memory::dims grouped{s.groups, s.outputs / s.groups, s.channels / s.groups, s.kernel, s.kernel};
    const memory::desc x = description({s.images, s.channels, s.height, s.width}, images),
                       y = description({s.images, s.outputs, height, width}, images),
                       w = description(s.groups > 1 ? grouped : memory::dims(grouped.begin() + 1, grouped.end()),
                                       memory::format_tag::any);
    const auto kind = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, kind, x, w, y, strides, padding, padding}, engine);
    const dnnl::convolution_backward_weights::primitive_desc weights({kind, x, w, y, strides, padding, padding}, engine,
                                                                     forward);
    const dnnl::convolution_backward_data::primitive_desc input({kind, x, w, y, strides, padding, padding}, engine,
                                                                forward);
    const dnnl::stream stream(engine);
    const auto array = [&](const memory::desc& d) {
        memory m(d, engine);
        auto* const p = static_cast<float*>(m.get_data_handle());
        for (std::size_t i = 0; i < d.get_size() / sizeof(float); ++i) p[i] = static_cast<float>(i % 1000) / 1000;
        return m;
    };
    return {{dnnl::convolution_forward(forward),
             {{DNNL_ARG_SRC, array(forward.src_desc())},
              {DNNL_ARG_WEIGHTS, array(forward.weights_desc())},
              {DNNL_ARG_DST, array(forward.dst_desc())}},
             stream},
            {dnnl::convolution_backward_weights(weights),
             {{DNNL_ARG_SRC, array(weights.src_desc())},
              {DNNL_ARG_DIFF_DST, array(weights.diff_dst_desc())},
              {DNNL_ARG_DIFF_WEIGHTS, array(weights.diff_weights_desc())}},
             stream},
            {dnnl::convolution_backward_data(input),
             {{DNNL_ARG_DIFF_DST, array(input.diff_dst_desc())},
              {DNNL_ARG_WEIGHTS, array(input.weights_desc())},
              {DNNL_ARG_DIFF_SRC, array(input.diff_src_desc())}},
             stream}};
}

}  // namespace

int main(int count, char** words) {
    const on_cpu::Kernels<float>& kernels = on_cpu::kernels<float>();
    const auto whole = [&](std::ptrdiff_t n) { return (n + kernels.lanes - 1) / kernels.lanes * kernels.lanes; };
    const char* const operations[] = {"forward", "weights", "input"};
    const double seconds = count > 1 ? std::atof(words[1]) : 0.1;
    double sums[3]{};
    int rows[3]{};
    std::printf("| convolution | operation | Sigma us | GFLOP/s | oneDNN / Sigma |\n|---|---|---|---|---|\n");
    for (const Sizes& s : all) {
        const int height = (s.height + 2 * s.padding - s.kernel) / s.stride + 1,
                  width = (s.width + 2 * s.padding - s.kernel) / s.stride + 1, inner = s.channels / s.groups;
        const bool each = s.groups > 1;
        // As in networks: data has no gaps between pixels, other tensors have whole vectors.
        const std::ptrdiff_t pixel = s.channels > 3 ? whole(s.channels) : s.channels, taps = s.kernel * s.kernel;
        const auto x = numbers(s.images * s.height * s.width * whole(s.channels)),
                   y = numbers(s.images * height * width * whole(s.outputs)),
                   w = numbers(taps * whole(s.outputs) * whole(std::max(inner, 1)));
        on_cpu::ConvolutionArguments<float> g{s.images,
                                              s.height,
                                              s.width,
                                              s.channels,
                                              height,
                                              width,
                                              s.outputs,
                                              s.kernel,
                                              s.kernel,
                                              {s.stride, s.stride},
                                              {1, 1},
                                              s.groups,
                                              pixel,
                                              whole(s.outputs),
                                              whole(s.outputs),
                                              {s.padding, s.padding}};
        on_cpu::ConvolutionArguments<float> back = g;
        back.pixel = whole(s.channels);
        if (!each || inner > 1) back.weights_row = whole(inner);
        std::vector<Primitive> best = primitives(s, height, width, dnnl::memory::format_tag::any),
                               last = primitives(s, height, width, dnnl::memory::format_tag::nhwc);
        for (std::size_t i = 0; i < (s.channels > 3 ? 3u : 2u); ++i) {  // data has no gradient
            const std::string name = sentence(s.name, ", ", s.images, " of ", s.height, " x ", s.width, " x ",
                                              s.channels, " to ", s.outputs);
            if (count > 2 && (name + " " + operations[i]).find(words[2]) == std::string::npos) continue;
            Comparison comparison(name, {.seconds = seconds});
            const Amount work{.operations =
                                  2.0 * s.images * height * width * static_cast<double>(taps) * inner * s.outputs};
            comparison.add(
                "Sigma",
                [&, i] {
                    if (i == 0) kernels.convolve(g, x.get(), w.get(), y.get());
                    else if (i == 1) kernels.convolve_weights(g, x.get(), y.get(), w.get(), 0, taps * inner);
                    else kernels.convolve_input(back, y.get(), w.get(), x.get());
                },
                work);
            comparison.add("oneDNN, its layout", [&, i] { best[i](); }, work);
            comparison.add("oneDNN, channels last", [&, i] { last[i](); }, work);
            const ComparisonReport report = comparison.run();
            const Timing& own = report["Sigma"];
            double ratio = 1e9;
            for (const Timing& t : report.timings)
                if (t.name != "Sigma") ratio = std::min(ratio, 1 / t.ratio);
            std::printf("| %s | %s | %.1f | %.0f | %.2f |\n", name.c_str(), operations[i], own.median * 1e6,
                        work.operations / own.median * 1e-9, ratio);
            std::fflush(stdout);
            sums[i] += std::log(ratio);
            ++rows[i];
        }
    }
    for (std::size_t i = 0; i < 3; ++i)
        if (rows[i] > 0)
            std::printf("%s: geometric mean of %d rows %.3f\n", operations[i], rows[i], std::exp(sums[i] / rows[i]));
}
