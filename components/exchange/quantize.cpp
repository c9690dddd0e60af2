// SPDX-License-Identifier: BSL-1.0
#include "quantized/kernel.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/exchange/quantize.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <span>

namespace sigma::detail {

namespace {

using on_cpu::ConvolutionArguments;
using on_cpu::OtherProducts;
using on_cpu::ProductArguments;

/// Returns the functions for this CPU. SIGMA_INSTRUCTIONS selects others, as for other kernels.
const int8::Functions& functions() {
    static const int8::Functions& chosen = [&]() -> const int8::Functions& {
        [[maybe_unused]] const std::string_view floats = on_cpu::kernels<float>().instructions;
#if defined(__x86_64__) && !defined(SIGMA_WITHOUT_AVX512)
        if (floats == "AVX-512")
            return __builtin_cpu_supports("avx512vnni") ? int8::vnni::functions : int8::avx512::functions;
#endif
#if defined(__x86_64__) && !defined(SIGMA_WITHOUT_AVX2)
        if (floats == "AVX2") return int8::avx2::functions;
#endif
#if !defined(__x86_64__) || !defined(SIGMA_WITHOUT_SSE2)
        return int8::plain::functions;
#else
        __builtin_unreachable();  // the kernels of float are of one of these sets
#endif
    }();
    return chosen;
}

/// Returns whether integers are faster, although each pixel must be rounded first. Measured: not faster with
/// the one channel and six outputs of LeNet's first convolution, 1.4 times with the six and sixteen of its second.
bool is_worth_rounding(const ConvolutionArguments<float>& g) {
    const std::ptrdiff_t kernel = g.kernel_height * g.kernel_width;
    return g.groups == 1 && kernel * g.channels >= 32 && g.outputs >= 12 &&
           kernel * g.outputs >= 64 * g.stride[0] * g.stride[1];
}

/// Records the factors of weights, and lets the kernels compute the products.
class Ranges final : public OtherProducts<float> {
public:
    explicit Ranges(int parameters) : seen_(static_cast<std::size_t>(parameters)) {}

    /// Returns whether a parameter has been multiplied with anything.
    bool met(int parameter) const { return seen_[static_cast<std::size_t>(parameter)].met; }
    /// Returns the range of this percentage of the numbers other than 0. Returns 0 if there are none, or if
    /// 127 / range would be infinite.
    ClippedRange range(int parameter, double percentile) const {
        const Seen& s = seen_[static_cast<std::size_t>(parameter)];
        ClippedRange found{{}, s.greatest, s.greatest, 0, s.numbers};
        const double beyond = static_cast<double>(s.numbers) * (1 - percentile / 100) + 1e-6;
        for (std::size_t b = buckets; b-- > 0 && s.greatest > 0;) {
            const std::size_t here = s.count[b];
            if (here > 0 && static_cast<double>(found.clipped + here) > beyond) {
                found.range = std::min(s.greatest, std::bit_cast<float>(static_cast<std::uint32_t>(b + 1) << shift));
                break;
            }
            found.clipped += here;
        }
        if (found.clipped == 0) found.range = s.greatest;
        if (found.range < 1e-36f) found.range = 0;
        return found;
    }

    bool product(int parameter, const ProductArguments<float>& p) const override {
        for (std::ptrdiff_t i = 0; i < p.m; ++i) note(parameter, p.a + i * p.a_row, p.k);
        return false;
    }
    bool convolve(int parameter, const ConvolutionArguments<float>& g, const float* x, float*) const override {
        if (!is_worth_rounding(g)) return false;
        for (std::ptrdiff_t i = 0; i < g.images * g.height * g.width; ++i) note(parameter, x + i * g.pixel, g.channels);
        return false;
    }

private:
    /// Counts absolute values in buckets, by the exponent and the first seven bits of the mantissa.
    static constexpr int shift = 16;
    static constexpr std::size_t buckets = 0x7f80;
    struct Seen {
        float greatest = 0;
        bool met = false;         ///< True after any number, zeros included.
        std::size_t numbers = 0;  ///< Finite numbers other than 0; zeros are exact in any range.
        std::vector<std::size_t> count{};
    };
    mutable std::vector<Seen> seen_;
    mutable std::mutex mutex_{};

    void note(int parameter, const float* x, std::ptrdiff_t count) const {
        const std::lock_guard lock(mutex_);
        Seen& s = seen_[static_cast<std::size_t>(parameter)];
        s.count.resize(buckets);
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            const float size = std::abs(x[i]);
            if (!std::isfinite(size)) continue;
            s.met = true;
            if (size == 0) continue;
            ++s.numbers;
            ++s.count[std::bit_cast<std::uint32_t>(size) >> shift];
            s.greatest = std::max(s.greatest, size);
        }
    }
};

/// Rows and columns of a weight in a product.
struct Extents2 {
    std::ptrdiff_t rows, columns;
};
Extents2 extents_of(const Shape& s) {
    const auto columns = static_cast<std::ptrdiff_t>(s.last());
    return {static_cast<std::ptrdiff_t>(s.count()) / columns, columns};
}

constexpr std::ptrdiff_t even(std::ptrdiff_t n) { return (n + 1) / 2 * 2; }

/// 8-bit weights in the layout of the kernels.
class Quantized final : public OtherProducts<float> {
public:
    Quantized(const NetworkTable& network, std::span<const QuantizedWeight> weights)
        : packed_(static_cast<std::size_t>(network.parameters.size())) {
        for (const QuantizedWeight& w : weights) {
            const int parameter = parameter_at(network, w.name);
            pack(w, network.parameters[parameter].shape, packed_[static_cast<std::size_t>(parameter)]);
        }
    }
    /// Returns the 8-bit weights in the order of the network.
    std::vector<QuantizedWeight> weights(const NetworkTable& network) const {
        std::vector<QuantizedWeight> all;
        for (int parameter = 0; parameter < network.parameters.size(); ++parameter) {
            if (!has(parameter)) continue;
            const Packed& w = of(parameter);
            QuantizedWeight& to = all.emplace_back(
                QuantizedWeight{std::string(network.parameters[parameter].name.view()), w.range, w.weight_scales, {}});
            to.values.reserve(static_cast<std::size_t>(w.rows * w.columns));
            for (std::ptrdiff_t k = 0; k < w.rows; ++k)
                for (std::ptrdiff_t j = 0; j < w.columns; ++j) to.values.push_back(w.value(k, j));
        }
        return all;
    }
    bool has(int parameter) const override { return !of(parameter).layouts.empty(); }
    bool replaces(int parameter, std::ptrdiff_t k, std::ptrdiff_t n) const override {
        return has(parameter) && k == of(parameter).rows && n == of(parameter).columns;
    }
    void write(int parameter, float* to, std::ptrdiff_t pitch) const override {
        const Packed& w = of(parameter);
        for (std::ptrdiff_t k = 0; k < w.rows; ++k)
            for (std::ptrdiff_t j = 0; j < w.columns; ++j)
                to[k * pitch + j] = static_cast<float>(w.value(k, j)) * w.weight_scales[static_cast<std::size_t>(j)];
    }

    bool product(int parameter, const ProductArguments<float>& p) const override {
        const Packed& w = of(parameter);
        if (!replaces(parameter, p.k, p.n) || p.alpha != 1) return false;
        const std::vector<std::int8_t>& values = w.in_runs_of(p.k);
        const std::ptrdiff_t length = even(p.k), begin = 0;
        thread_local std::vector<std::int16_t> rounded;
        rounded.resize(static_cast<std::size_t>(std::min(p.m, at_once) * length));
        const std::int16_t* rows[at_once];
        for (std::ptrdiff_t first = 0; first < p.m; first += at_once) {
            const std::ptrdiff_t end = std::min(first + at_once, p.m);
            std::ptrdiff_t count = 0;  // rows before this one that are rounded, but not yet multiplied
            const auto multiply = [&](std::ptrdiff_t behind) {
                if (count > 0)
                    functions().product({count, w.columns, 1, length / 2, rows, &begin, values.data(), w.scales.data(),
                                         p.c + (behind - count) * p.c_row, p.c_row, p.accumulate});
                count = 0;
            };
            for (std::ptrdiff_t i = first; i < end; ++i) {
                std::int16_t* const row = rounded.data() + count * length;
                if (functions().round(p.a + i * p.a_row, p.k, w.scale, row)) {
                    std::fill(row + p.k, row + length, std::int16_t(0));
                    rows[count++] = row;
                    continue;
                }
                multiply(i);
                by_floats(parameter, row_of(p, i));  // a NaN affects only its row
            }
            multiply(end);
        }
        return true;
    }
    bool convolve(int parameter, const ConvolutionArguments<float>& g, const float* x, float* y) const override {
        const Packed& w = of(parameter);
        if (g.groups != 1 || !replaces(parameter, g.kernel_height * g.kernel_width * g.channels, g.outputs))
            return false;
        // The image with its zeros around.
        const auto covered = [&](int i, auto n, auto k) { return (n - 1) * g.stride[i] + (k - 1) * g.dilation[i] + 1; };
        const std::ptrdiff_t tall = std::max(g.before[0] + g.height, covered(0, g.result_height, g.kernel_height)),
                             wide = std::max(g.before[1] + g.width, covered(1, g.result_width, g.kernel_width));
        const bool whole = g.dilation[1] == 1 && g.pixel == g.channels;  // rows of a window are contiguous
        const std::ptrdiff_t in_row = whole ? 1 : g.kernel_width,
                             run = whole ? g.kernel_width * g.channels : g.channels;
        const std::vector<std::int8_t>& values = w.in_runs_of(run);
        if (values.empty() || !is_worth_rounding(g)) return by_floats(parameter, g, x, y);
        thread_local std::vector<std::int16_t> rounded;
        thread_local std::vector<std::ptrdiff_t> run_at;
        if (tall != g.height || wide != g.width) rounded.clear();  // the zeros around are written only then
        rounded.resize(static_cast<std::size_t>(tall * wide * g.pixel + 1));
        const std::ptrdiff_t lines = wide == g.width ? 1 : g.height, length = g.image() / lines;  // contiguous in both
        run_at.clear();
        for (std::ptrdiff_t a = 0; a < g.kernel_height; ++a)
            for (std::ptrdiff_t b = 0; b < in_row; ++b)
                run_at.push_back((a * g.dilation[0] * wide + b * g.dilation[1]) * g.pixel);
        const auto runs = static_cast<std::ptrdiff_t>(run_at.size());
        const std::int16_t* rows[at_once];
        for (std::ptrdiff_t i = 0; i < g.images; ++i) {
            const float* const image = x + i * g.image();
            bool right = true;
            for (std::ptrdiff_t row = 0; row < lines; ++row)
                right &= functions().round(image + row * length, length, w.scale,
                                           rounded.data() + ((row + g.before[0]) * wide + g.before[1]) * g.pixel);
            // The memory between pixels may contain anything.
            if (!right && has_nan(g, image)) {
                ConvolutionArguments<float> alone = g;
                alone.images = 1;
                by_floats(parameter, alone, image, y + i * g.positions() * g.y_pixel);
                continue;
            }
            std::ptrdiff_t line = 0, column = 0;
            for (std::ptrdiff_t first = 0; first < g.positions(); first += at_once) {
                const std::ptrdiff_t count = std::min(at_once, g.positions() - first);
                for (std::ptrdiff_t k = 0; k < count; ++k) {
                    rows[k] = rounded.data() + (line * g.stride[0] * wide + column * g.stride[1]) * g.pixel;
                    if (++column == g.result_width) column = 0, ++line;
                }
                functions().product({count, w.columns, runs, even(run) / 2, rows, run_at.data(), values.data(),
                                     w.scales.data(), y + (i * g.positions() + first) * g.y_pixel, g.y_pixel, false});
            }
        }
        return true;
    }

private:
    /// A layout of rows in runs, each padded to an even number of rows.
    struct Layout {
        std::ptrdiff_t run = 0;
        std::vector<std::int8_t> values{};
    };
    struct Packed {
        std::ptrdiff_t rows = 0, columns = 0;
        float range = 0;                     ///< Range of the factor.
        float scale = 0;                     ///< Scale that converts the factor to integers.
        std::vector<float> weight_scales{};  ///< Scale of each column.
        std::vector<float> scales{};         ///< Scales of the results.
        std::vector<Layout>
            layouts{};  ///< Layouts in one run (also for several runs of even length), and others for convolutions.

        /// Returns the integer in row k, column j.
        std::int8_t value(std::ptrdiff_t k, std::ptrdiff_t j) const {
            return layouts[0].values[place(even(rows) / 2, k, j)];
        }

        /// Returns the integers in this layout, or an empty list if they were not packed so.
        const std::vector<std::int8_t>& in_runs_of(std::ptrdiff_t run) const {
            static const std::vector<std::int8_t> none;
            for (const Layout& each : layouts)
                if (each.run == run || (run % 2 == 0 && each.run == rows)) return each.values;
            return none;
        }
    };
    std::vector<Packed> packed_;  // one for each parameter; empty if the parameter is not quantized

    /// Returns the place of a number by its padded row and its column, for `pairs` pairs of rows.
    static std::size_t place(std::ptrdiff_t pairs, std::ptrdiff_t row, std::ptrdiff_t column) {
        constexpr std::ptrdiff_t width = int8::block_columns;
        return static_cast<std::size_t>(((column / width * pairs + row / 2) * width + column % width) * 2 + row % 2);
    }
    /// Returns the weights as floats, for factors that cannot be rounded because they contain NaN.
    std::vector<float> floats(int parameter, std::ptrdiff_t pitch) const {
        std::vector<float> all(static_cast<std::size_t>(of(parameter).rows * pitch));
        write(parameter, all.data(), pitch);
        return all;
    }
    bool by_floats(int parameter, ProductArguments<float> p) const {
        // Pads to whole vectors of any machine, as `padded` may require.
        const int pitch = round_up(static_cast<int>(p.n), on_cpu::most_lanes<float>);
        const std::vector<float> weights = floats(parameter, pitch);
        p.b = weights.data(), p.b_row = pitch, p.packed = nullptr;
        on_cpu::kernels<float>().product(p);
        return true;
    }
    bool by_floats(int parameter, const ConvolutionArguments<float>& g, const float* x, float* y) const {
        on_cpu::kernels<float>().convolve(g, x, floats(parameter, g.weights_row).data(), y);
        return true;
    }

    static constexpr std::ptrdiff_t at_once = 48;  // rows that stay in the cache; a multiple of all tiles

    static ProductArguments<float> row_of(ProductArguments<float> p, std::ptrdiff_t i) {
        p.m = 1, p.a += i * p.a_row, p.c += i * p.c_row;
        return p;
    }
    static bool has_nan(const ConvolutionArguments<float>& g, const float* image) {
        bool found = false;
        for (std::ptrdiff_t i = 0; i < g.height * g.width; ++i)
            for (std::ptrdiff_t c = 0; c < g.channels; ++c) found = found || std::isnan(image[i * g.pixel + c]);
        return found;
    }
    const Packed& of(int parameter) const { return packed_[static_cast<std::size_t>(parameter)]; }

    static void pack(const QuantizedWeight& w, const Shape& shape, Packed& to) {
        const Extents2 e = extents_of(shape);
        to = {e.rows, e.columns, w.range, 127 / w.range, w.scales, {}, {}};
        to.scales.resize(static_cast<std::size_t>((e.columns + int8::block_columns - 1) / int8::block_columns *
                                                  int8::block_columns));
        for (std::ptrdiff_t j = 0; j < e.columns; ++j)
            to.scales[static_cast<std::size_t>(j)] = w.scales[static_cast<std::size_t>(j)] * w.range / 127;
        to.layouts.push_back(in_runs(w, e, e.rows));
        if (shape.rank != 4) return;
        for (const std::ptrdiff_t run : {shape[1] * shape[2], shape[2]})  // a row of the kernel, a pixel
            if (run % 2 == 1 && to.in_runs_of(run).empty()) to.layouts.push_back(in_runs(w, e, run));
    }
    static Layout in_runs(const QuantizedWeight& w, const Extents2& e, std::ptrdiff_t run) {
        constexpr std::ptrdiff_t width = int8::block_columns;
        const std::ptrdiff_t blocks = (e.columns + width - 1) / width, pairs = e.rows / run * even(run) / 2;
        Layout to{run, std::vector<std::int8_t>(static_cast<std::size_t>(blocks * width * 2 * pairs))};
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::ptrdiff_t j = 0; j < e.columns; ++j) {
                const std::ptrdiff_t row = k / run * even(run) + k % run;
                to.values[place(pairs, row, j)] = w.values[static_cast<std::size_t>(k * e.columns + j)];
            }
        return to;
    }
};

/// Clips the records that are farthest from 0, so that this percentage stays unchanged. Clips none of fewer than 1,000
/// records. The limit is the greatest number of the other records.
void clip_outliers(std::vector<float>& values, std::size_t width, std::string name, const QuantizeOptions& options) {
    constexpr std::size_t fewest = 1000;
    const std::size_t records = values.size() / std::max<std::size_t>(width, 1);
    if (records < fewest || options.percentile == 100) return;
    std::vector<float> sizes;
    for (std::size_t r = 0; r < records; ++r) {
        float most = 0;
        for (std::size_t k = 0; k < width; ++k)
            if (const float size = std::abs(values[r * width + k]); std::isfinite(size)) most = std::max(most, size);
        sizes.push_back(most);
    }
    std::ranges::sort(sizes);
    const double kept = static_cast<double>(records) * options.percentile / 100;
    ClippedRange found{std::move(name), sizes[std::min(records - 1, static_cast<std::size_t>(kept) - 1)], sizes.back(),
                       0, values.size()};
    for (float& x : values)
        if (std::abs(x) > found.range) x = std::copysign(found.range, x), ++found.clipped;
    if (found.clipped > 0 && options.clipped != nullptr) options.clipped->push_back(std::move(found));
}

}  // namespace

void check_options(const NetworkTable& network, const QuantizeOptions& options) {
    if (!(options.percentile >= 50 && options.percentile <= 100))
        throw ArgumentError("percentile of quantize", "a percentage from 50 to 100", sentence(options.percentile));
    if (options.sequence > 0 && network.states.empty())
        throw ArgumentError("sequence of quantize", "a network with stateful layers",
                            "a network without stateful layers");
    bool one_step = !network.states.empty();
    for (int i = 0; i < network.inputs.size(); ++i) {
        const Shape& input = network.inputs[i];
        const int without_steps = network.ids[i].rows > 0 ? 2 : 3;  // ids are (batch, time)
        one_step = one_step && (input.rank < without_steps || input[1] == 1);
    }
    if (one_step && options.sequence == 0)
        throw ArgumentError("quantize of a network with states and one step per record",
                            "the number of consecutive records in one sequence, such as {.sequence = 24} (1 if each "
                            "record is a sequence of its own)",
                            "no .sequence");
    if (options.clipped != nullptr) options.clipped->clear();
}

FirstRecords first_records(const NetworkTable& network, const Dataset& data, const QuantizeOptions& options) {
    if (data.input_count() != static_cast<std::size_t>(network.inputs.size()))
        throw ShapeError("inputs of the data for quantization", sentence(network.inputs.size()),
                         sentence(data.input_count()));
    FirstRecords all{std::min(options.records, data.size()), 1, {}};
    if (options.sequence > 0) {
        all.steps = options.sequence;
        if (all.count < all.steps)
            throw ArgumentError("sequence of quantize", sentence("at most ", all.count, " (the records that are read)"),
                                sentence(all.steps));
        all.count /= all.steps;
    }
    for (int which = 0; which < network.inputs.size(); ++which) {
        std::vector<float>& to = all.values.emplace_back();
        const auto elements = static_cast<std::size_t>(network.inputs[which].count());
        for (std::size_t k = 0; k < all.count * all.steps; ++k) {
            // Step by step, one record of each sequence.
            const std::size_t i = k % all.count * all.steps + k / all.count;
            const auto record = data.input(i, static_cast<std::size_t>(which));
            if (record.size() != elements)
                throw ShapeError("records of the data for quantization", sentence(elements, " numbers"),
                                 sentence(record.size()));
            to.insert(to.end(), record.begin(), record.end());
        }
        if (network.ids[which].rows == 0)
            clip_outliers(to, elements, std::string(network.layers[which].name.view()), options);
    }
    return all;
}

SharedOwner<const OtherProducts<float>> ranges_of(const NetworkTable& network) {
    return SharedOwner<const Ranges>::make(network.parameters.size());
}

SharedOwner<const OtherProducts<float>> quantized(const ModelStore<float>& model, const OtherProducts<float>& noted,
                                                  const QuantizeOptions& options) {
    const std::string_view layers = options.layers;
    const auto& ranges = static_cast<const Ranges&>(noted);
    const NetworkTable& network = model.network();
    std::vector<QuantizedWeight> all;
    bool zeros = false;
    for (int p = 0; p < network.parameters.size(); ++p) {
        const ParameterRecord& r = network.parameters[p];
        const std::string_view name = r.name.view();
        if (!ranges.met(p) || !matches(layers, name.substr(0, name.rfind('.')))) continue;
        ClippedRange range = ranges.range(p, options.percentile);
        zeros = zeros || range.range == 0;
        if (range.range == 0) continue;
        const Extents2 e = extents_of(r.shape);
        const auto columns = static_cast<std::size_t>(e.columns);
        QuantizedWeight& w = all.emplace_back(QuantizedWeight{std::string(name), range.range, {}, {}});
        range.name = w.name;
        if (range.clipped > 0 && options.clipped != nullptr) options.clipped->push_back(std::move(range));
        w.scales.assign(columns, 0);
        const auto row = [&](std::ptrdiff_t k) { return model.parameter_data(p) + k * model.pitch(p); };
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::size_t j = 0; j < columns; ++j)
                if (!std::isfinite(row(k)[j]))
                    throw ArgumentError(sentence("parameter '", name, "' to quantize"), "finite numbers",
                                        sentence(row(k)[j], " in row ", k, ", column ", j));
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::size_t j = 0; j < columns; ++j) w.scales[j] = std::max(w.scales[j], std::abs(row(k)[j]) / 127);
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::size_t j = 0; j < columns; ++j)
                w.values.push_back(static_cast<signed char>(w.scales[j] > 0 ? std::lrint(row(k)[j] / w.scales[j]) : 0));
    }
    if (all.empty() && zeros)
        throw ArgumentError("data for quantization", "inputs of the layers that are not all 0",
                            sentence("only zeros in the inputs of layers that match '", layers, "'"));
    if (all.empty())
        throw ArgumentError("layers to quantize", "a pattern that matches a layer with weights",
                            sentence("'", layers, "'; parameters: ", parameter_names(network, false)));
    return products_of(network, all);
}

std::vector<QuantizedWeight> quantized_weights(const ModelStore<float>& model) {
    const auto* const known = dynamic_cast<const Quantized*>(model.other_products().get());
    return known != nullptr ? known->weights(model.network()) : std::vector<QuantizedWeight>();
}
SharedOwner<const OtherProducts<float>> products_of(const NetworkTable& network,
                                                    std::span<const QuantizedWeight> weights) {
    return SharedOwner<const Quantized>::make(network, weights);
}

}  // namespace sigma::detail
