// SPDX-License-Identifier: BSL-1.0
#include "generated_kernels.hpp"

#include <sigma/device/cpu/image_kernels.hpp>
#include <sigma/device/gpu/generate/convolution.hpp>
#include <sigma/device/gpu/generate/pooling.hpp>

#include <nvrtc.h>
#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace sigma;
using generated_kernels::OneKernel;

namespace {

constexpr int guard = 32;  // elements around each array that must not change

struct Random {
    std::mt19937 engine;
    int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

/// One kernel of a plan, the memory of its arguments, and the results of the processor.
template <class T>
struct Trial {
    OneKernel one;
    std::vector<std::vector<T>> memory, expected;  // with guards
    std::vector<int> rows, columns;                // for each argument, for the comparison
    int records = 1;
    std::string text;

    T* data(int i) { return memory[static_cast<std::size_t>(i)].data() + guard; }
    /// Adds an argument. Returns the distance of its rows.
    int array(Random& random, int row_count, int column_count, bool padded, bool few) {
        const int row = padded && column_count > 1 ? detail::round_up(column_count, on_cpu::lanes<T>) : column_count;
        one.argument({});
        std::vector<T> x(static_cast<std::size_t>(row_count * row + 2 * guard), std::numeric_limits<T>::quiet_NaN());
        for (int i = 0; i < row_count; ++i)
            for (int j = 0; j < column_count; ++j)
                x[static_cast<std::size_t>(guard + i * row + j)] =
                    few ? static_cast<T>(random.below(7) - 3) : static_cast<T>(random.below(2001) - 1000) / T(1000);
        memory.push_back(std::move(x));
        rows.push_back(row_count);
        columns.push_back(column_count);
        return row;
    }
    int image(Random& random, int images, int height, int width, int channels, bool padded, bool few = false) {
        return array(random, images * height * width, channels, padded, few);
    }
    int weights(Random& random, std::array<int, 4> shape, bool padded) {
        return array(random, shape[0] * shape[1] * shape[2], shape[3], padded, false);
    }
    void compute() {
        std::vector<T*> p;
        one.kernel.arguments = static_cast<short>(one.arguments.size());
        for (int a = 0; a < one.kernel.arguments; ++a) p.push_back(data(a));
        std::fill(memory.back().begin(), memory.back().end(), T(12345));  // must not change between rows
        const std::vector<std::vector<T>> before = memory;
        if (one.kernel.kind == detail::Kernel::Kind::pooling)
            on_cpu::run_pooling(on_cpu::kernels<T>(), one.kernel.pooling, p.data(), records);
        else
            on_cpu::run_convolution(on_cpu::kernels<T>(), one.kernel.convolution, p.data(), records, 0,
                                    one.kernel.convolution.weights_rows());
        expected = memory;
        memory = before;
    }
    /// Returns the number of elements of the result that differ, and of elements outside that were written.
    int differences(const std::vector<T>& found, double tolerance) const {
        const std::vector<T>&wanted = expected.back(), &before = memory.back();
        const int row_count = rows.back(), column_count = columns.back();
        const int row = (static_cast<int>(found.size()) - 2 * guard) / row_count;
        int n = 0;
        for (int i = 0; i < static_cast<int>(found.size()); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const bool inside = i >= guard && i < guard + row_count * row && (i - guard) % row < column_count;
            if (!inside) n += std::memcmp(&found[at], &before[at], sizeof(T)) != 0;
            else if (std::isnan(wanted[at])) n += !std::isnan(found[at]);
            else n += !(std::abs(static_cast<double>(found[at]) - static_cast<double>(wanted[at])) <= tolerance);
        }
        return n;
    }
};

template <class T>
on_gpu::GeneratedKernel generated(Trial<T>& t) {
    const detail::PlanView plan = t.one.view(detail::element_type<T>);
    const bool pools = t.one.kernel.kind == detail::Kernel::Kind::pooling;
    return pools ? on_gpu::generate_pooling(plan, t.one.kernel) : on_gpu::generate_convolution(plan, t.one.kernel);
}

/// Compiles all trials at once, and runs them in blocks of all shapes; for one shape also at addresses without
/// alignment for packs.
template <class T>
void examine(std::vector<Trial<T>>& trials, double tolerance) {
    generated_kernels::Kernels kernels;
    for (Trial<T>& t : trials) {
        kernels.add(generated(t));
        t.compute();
    }
    for (const auto& device : generated_kernels::devices())
        for (std::size_t i = 0; i < trials.size(); ++i) {
            const Trial<T>& t = trials[i];
            for (std::size_t shift = 0; shift < (device->threads(256) == 12 ? 2u : 1u); ++shift) {
                INFO(t.text << ", " << device->name() << ", " << device->threads(256) << " threads, moved by "
                            << shift);
                std::vector<std::vector<T>> memory = t.memory;
                std::vector<generated_kernels::Array<T>> arguments;
                for (std::vector<T>& x : memory) arguments.emplace_back(x, std::size_t{guard}, shift);
                kernels.run<T>(*device, i, arguments, t.records);
                REQUIRE(t.differences(memory.back(), tolerance) == 0);
            }
        }
}

template <class T>
std::vector<Trial<T>> convolutions(unsigned first, unsigned count) {
    std::vector<Trial<T>> trials;
    for (unsigned seed = first; seed < first + count; ++seed) {
        Random random{std::mt19937(seed)};
        const int few[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 33, 40, 70};
        const int sort = static_cast<int>(seed % 5);  // by channel, several kernels per channel, groups, plain
        detail::Convolution c;
        const int images = 1 + random.below(3), kernel[2] = {1 + random.below(4), 1 + random.below(5)};
        int result[2] = {1 + random.below(6), 1 + random.below(9)}, extent[2], before[2]{};
        for (int i = 0; i < 2; ++i) {
            c.stride[i] = 1 + random.below(3);
            c.dilation[i] = random.below(3) == 0 ? 1 + random.below(4) : 1;
            extent[i] = (result[i] - 1) * c.stride[i] + c.reach(i, kernel[i]) + random.below(c.stride[i]);
            if (seed % 2 == 0) {  // zeros around the image
                before[i] = std::min(random.below(4), extent[i] - 1);
                extent[i] = std::max(1, extent[i] - before[i] - random.below(4));
            }
        }
        int channels = few[random.below(16)], outputs = few[random.below(16)];
        if (sort == 0) c.groups = outputs = channels;
        if (sort == 1) c.groups = channels = few[random.below(6)], outputs = channels * (1 + random.below(3));
        if (sort == 2)
            c.groups = 1 + random.below(3), channels = c.groups * few[random.below(9)],
            outputs = c.groups * few[random.below(16)];
        const bool padded = random.below(2) == 0;
        const bool turned = !detail::Convolution::by_channel(c.groups, channels);
        for (const detail::Operation o :
             {detail::Operation::convolve, detail::Operation::convolve_input, detail::Operation::convolve_weights}) {
            Trial<T> t;
            t.records = images;
            const std::array<int, 4> plain{kernel[0], kernel[1], channels / c.groups, outputs};
            detail::ConvolutionKernel k;
            k.operation = o;
            k.geometry = c;
            k.images = -1, k.height = extent[0], k.width = extent[1], k.channels = channels;
            k.result_height = result[0], k.result_width = result[1], k.outputs = outputs;
            k.kernel_height = kernel[0], k.kernel_width = kernel[1];
            k.before[0] = before[0], k.before[1] = before[1];
            const auto x = [&] { k.pixel = t.image(random, images, extent[0], extent[1], channels, padded); };
            const auto y = [&] { k.y_pixel = t.image(random, images, result[0], result[1], outputs, padded); };
            const auto w = [&](const std::array<int, 4>& shape) { k.weights_row = t.weights(random, shape, padded); };
            if (o == detail::Operation::convolve) x(), w(plain), y();
            if (o == detail::Operation::convolve_input)
                y(), w(turned ? std::array<int, 4>{plain[0], plain[3], plain[1], plain[2]} : plain), x();
            if (o == detail::Operation::convolve_weights) x(), y(), w(plain);
            t.one.kernel = detail::Kernel(k);
            t.text =
                sentence("seed ", static_cast<int>(seed), ", ", name(o), ": ", images, " images ", extent[0], " x ",
                         extent[1], " x ", channels, ", kernel ", kernel[0], " x ", kernel[1], " x ", outputs,
                         ", strides ", c.stride[0], " ", c.stride[1], ", dilations ", c.dilation[0], " ", c.dilation[1],
                         ", zeros before ", before[0], " ", before[1], ", groups ", c.groups, padded ? ", padded" : "");
            trials.push_back(std::move(t));
        }
    }
    return trials;
}

template <class T>
std::vector<Trial<T>> poolings(unsigned first, unsigned count) {
    std::vector<Trial<T>> trials;
    for (unsigned seed = first; seed < first + count; ++seed) {
        Random random{std::mt19937(seed)};
        const int few[] = {1, 2, 3, 6, 8, 9, 16, 21};
        const int images = 1 + random.below(3), size[2] = {1 + random.below(8), 1 + random.below(8)},
                  channels = few[random.below(8)];
        detail::Pooling pool;
        int windows[2];
        for (int i = 0; i < 2; ++i) {
            pool.window[i] = 1 + random.below(std::min(size[i], 3));
            pool.stride[i] = 1 + random.below(3);
            pool.before[i] = random.below(pool.window[i]);
            windows[i] =
                (size[i] + pool.before[i] + random.below(pool.window[i]) - pool.window[i]) / pool.stride[i] + 1;
        }
        const bool padded = random.below(2) == 0, with_nan = random.below(3) == 0;
        std::vector<T> x_memory, y_memory;
        for (const detail::Operation o :
             {detail::Operation::pool_max, detail::Operation::unpool, detail::Operation::pool_select}) {
            Trial<T> t;
            t.records = images;
            const auto x = [&] { return t.image(random, images, size[0], size[1], channels, padded, true); };
            const auto y = [&] { return t.image(random, images, windows[0], windows[1], channels, padded, true); };
            const int pixel = x();
            y();
            detail::PoolingKernel k{o, pool, -1, size[0], size[1], channels, windows[0], windows[1], {}};
            std::fill_n(k.pixel, 4, pixel);
            t.one.kernel = detail::Kernel(k);
            if (o == detail::Operation::pool_max) {
                if (with_nan) *(t.data(0)) = std::numeric_limits<T>::quiet_NaN();
                t.compute();
                x_memory = t.memory[0], y_memory = t.expected[1];
            } else {
                t.memory[0] = x_memory, t.memory[1] = y_memory;
                if (o == detail::Operation::unpool) y(), x();
                else x(), y();
            }
            t.text = sentence("seed ", static_cast<int>(seed), ", ", name(o), ": ", images, " images ", size[0], " x ",
                              size[1], " x ", channels, ", windows ", pool.window[0], " x ", pool.window[1],
                              ", strides ", pool.stride[0], " ", pool.stride[1], ", before ", pool.before[0], " ",
                              pool.before[1], padded ? ", padded" : "");
            trials.push_back(std::move(t));
        }
    }
    return trials;
}

/// Returns the errors of NVRTC for these kernels and an H100; empty if there are none.
template <class T>
std::string complaints(std::vector<Trial<T>> trials) {
    std::string text = on_gpu::language;
    int number = 0;
    for (Trial<T>& t : trials)
        for (const on_gpu::Generated& launch : generated(t).launches) {
            const std::string own = sentence("k", number++);
            for (const char c : launch.text) c == '@' ? text += own : text += c;
        }
    nvrtcProgram program = nullptr;
    if (nvrtcCreateProgram(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
        return "no program";
    const char* const options[] = {"--gpu-architecture=sm_90", "--std=c++17"};
    const nvrtcResult result = nvrtcCompileProgram(program, 2, options);
    std::size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    std::string log(size, ' ');
    nvrtcGetProgramLog(program, log.data());
    nvrtcDestroyProgram(&program);
    return result == NVRTC_SUCCESS ? "" : log;
}

}  // namespace

TEMPLATE_TEST_CASE("generated convolutions are those of the processor", "[gpu]", float, double) {
    auto trials = convolutions<TestType>(1, std::is_same_v<TestType, float> ? 20 : 10);
    examine(trials, 200 * static_cast<double>(std::numeric_limits<TestType>::epsilon()));
}

TEMPLATE_TEST_CASE("generated poolings are those of the processor", "[gpu]", float, double) {
    auto trials = poolings<TestType>(1, std::is_same_v<TestType, float> ? 12 : 5);
    examine(trials, 0);
}

TEST_CASE("generated kernels over images are programs of CUDA", "[gpu]") {
    CHECK(complaints(convolutions<float>(3, 1)) == "");
    CHECK(complaints(convolutions<double>(5, 1)) == "");  // by channel
    CHECK(complaints(poolings<float>(1, 2)) == "");
}
