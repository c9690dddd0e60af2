// SPDX-License-Identifier: BSL-1.0
#include "quantized/kernel.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/exchange/quantize.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <utility>

namespace sigma::detail {

namespace {

using on_cpu::ConvolutionArguments;
using on_cpu::OtherProducts;
using on_cpu::ProductArguments;

/// Those for this processor; SIGMA_INSTRUCTIONS chooses lesser ones, as for other kernels.
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

/// Windows of an image, as rows of a matrix, from `first` on.
void rows_of_windows(const ConvolutionArguments<float>& g, const std::int16_t* x, std::ptrdiff_t first,
                     std::ptrdiff_t count, std::ptrdiff_t length, std::int16_t* to) {
    const bool runs = g.dilation[1] == 1 && g.pixel == g.channels;  // pixels of a row lie side by side
    const std::ptrdiff_t pieces = runs ? 1 : g.kernel_width, piece = runs ? g.kernel_width * g.channels : g.channels;
    std::ptrdiff_t y = first / g.result_width, z = first % g.result_width;
    for (std::ptrdiff_t i = 0; i < count; ++i, to += length) {
        std::int16_t* at = to;
        for (std::ptrdiff_t a = 0; a < g.kernel_height; ++a)
            for (std::ptrdiff_t b = 0; b < pieces; ++b)
                at = std::copy_n(
                    x + ((y * g.stride[0] + a * g.dilation[0]) * g.width + z * g.stride[1] + b * g.dilation[1]) *
                            g.pixel,
                    piece, at);
        std::fill(at, to + length, std::int16_t(0));
        if (++z == g.result_width) z = 0, ++y;
    }
}
/// Are there so many numbers side by side, and so many outputs, that whole numbers are faster?
bool is_worth_rounding(const ConvolutionArguments<float>& g) {
    return g.groups == 1 && g.channels * g.kernel_width >= 64 && g.outputs >= 32;
}

/// Looks at what weights are multiplied with, and leaves products to the kernels.
class Ranges final : public OtherProducts<float> {
public:
    explicit Ranges(int parameters) : range_(static_cast<std::size_t>(parameters)) {}

    float range(int parameter) const { return range_[static_cast<std::size_t>(parameter)].load(); }

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
    mutable std::vector<std::atomic<float>> range_;

    void note(int parameter, const float* x, std::ptrdiff_t count) const {
        float most = 0;
        for (std::ptrdiff_t i = 0; i < count; ++i) most = std::max(most, std::abs(x[i]));
        std::atomic<float>& known = range_[static_cast<std::size_t>(parameter)];
        float before = known.load();
        while (std::isfinite(most) && most > before && !known.compare_exchange_weak(before, most)) {}
    }
};

/// Rows and columns of a weight, as a product sees it.
struct Extents2 {
    std::ptrdiff_t rows, columns;
};
Extents2 extents_of(const Shape& s) {
    const auto columns = static_cast<std::ptrdiff_t>(s.last());
    return {static_cast<std::ptrdiff_t>(s.count()) / columns, columns};
}

/// Weights of 8 bits as kernels read them.
class Quantized final : public OtherProducts<float> {
public:
    Quantized(const NetworkTable& network, std::vector<QuantizedWeight> weights)
        : packed_(static_cast<std::size_t>(network.parameters.size())), weights_(std::move(weights)) {
        for (const QuantizedWeight& w : weights_) {
            const int parameter = parameter_at(network, w.name);
            pack(w, extents_of(network.parameters[parameter].shape), packed_[static_cast<std::size_t>(parameter)]);
        }
    }
    const std::vector<QuantizedWeight>& weights() const { return weights_; }

    bool product(int parameter, const ProductArguments<float>& p) const override {
        const Packed& w = of(parameter);
        if (w.values.empty() || p.k != w.rows || p.n != w.columns || p.alpha != 1) return false;
        if (p.accumulate && p.m > at_once && has_nan(p)) return false;  // before anything is added
        return multiply(w, p.m, p.c, p.c_row, p.accumulate,
                        [&](std::ptrdiff_t first, std::ptrdiff_t count, std::int16_t* to) {
                            for (std::ptrdiff_t i = 0; i < count; ++i) {
                                std::int16_t* const row = to + i * w.length();
                                if (!functions().round(p.a + (first + i) * p.a_row, p.k, w.scale, row)) return false;
                                std::fill(row + p.k, row + w.length(), std::int16_t(0));
                            }
                            return true;
                        });
    }
    bool convolve(int parameter, const ConvolutionArguments<float>& g, const float* x, float* y) const override {
        const Packed& w = of(parameter);
        if (w.values.empty() || !is_worth_rounding(g) || w.columns != g.outputs ||
            w.rows != g.kernel_height * g.kernel_width * g.channels)
            return false;
        thread_local std::vector<std::int16_t> rounded;
        rounded.resize(static_cast<std::size_t>(g.image()));
        for (std::ptrdiff_t i = 0; i < g.images; ++i) {
            const float* const image = x + i * g.image();
            // What is between pixels may be anything.
            if (!functions().round(image, g.image(), w.scale, rounded.data()) && has_nan(g, image)) return false;
            multiply(w, g.positions(), y + i * g.positions() * g.y_pixel, g.y_pixel, false,
                     [&](std::ptrdiff_t first, std::ptrdiff_t count, std::int16_t* to) {
                         rows_of_windows(g, rounded.data(), first, count, w.length(), to);
                         return true;
                     });
        }
        return true;
    }

private:
    struct Packed {
        std::ptrdiff_t rows = 0, columns = 0, pairs = 0;
        float scale = 0;  ///< of what it is multiplied with, to whole numbers
        std::vector<std::int8_t> values{};
        std::vector<float> scales{};  ///< of the results

        std::ptrdiff_t length() const { return 2 * pairs; }
    };
    std::vector<Packed> packed_;  // of each parameter; empty where it stays as it is
    std::vector<QuantizedWeight> weights_;

    static constexpr std::ptrdiff_t at_once = 48;  // rows that stay in the cache; a multiple of all tiles

    static bool has_nan(const ProductArguments<float>& p) {
        bool found = false;
        for (std::ptrdiff_t i = 0; i < p.m; ++i)
            for (std::ptrdiff_t k = 0; k < p.k; ++k) found = found || std::isnan(p.a[i * p.a_row + k]);
        return found;
    }
    static bool has_nan(const ConvolutionArguments<float>& g, const float* image) {
        bool found = false;
        for (std::ptrdiff_t i = 0; i < g.height * g.width; ++i)
            for (std::ptrdiff_t c = 0; c < g.channels; ++c) found = found || std::isnan(image[i * g.pixel + c]);
        return found;
    }
    const Packed& of(int parameter) const { return packed_[static_cast<std::size_t>(parameter)]; }

    static void pack(const QuantizedWeight& w, const Extents2& e, Packed& to) {
        constexpr std::ptrdiff_t width = int8::block_columns;
        const std::ptrdiff_t blocks = (e.columns + width - 1) / width;
        to = {e.rows, e.columns, (e.rows + 1) / 2, 127 / w.range, {}, {}};
        to.values.resize(static_cast<std::size_t>(blocks * width * to.length()));
        to.scales.resize(static_cast<std::size_t>(blocks * width));
        for (std::ptrdiff_t j = 0; j < e.columns; ++j)
            to.scales[static_cast<std::size_t>(j)] = w.scales[static_cast<std::size_t>(j)] * w.range / 127;
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::ptrdiff_t j = 0; j < e.columns; ++j)
                to.values[static_cast<std::size_t>(((j / width * to.pairs + k / 2) * width + j % width) * 2 + k % 2)] =
                    w.values[static_cast<std::size_t>(k * e.columns + j)];
    }

    /// `fill(first, count, to)` makes rows of whole numbers, some at a time, which stay in the cache. False, and
    /// nothing is written, where one is no number.
    template <class F>
    static bool multiply(const Packed& w, std::ptrdiff_t rows, float* c, std::ptrdiff_t c_row, bool accumulate,
                         F fill) {
        thread_local std::vector<std::int16_t> a;
        a.resize(static_cast<std::size_t>(std::min(rows, at_once) * w.length()));
        for (std::ptrdiff_t first = 0; first < rows; first += at_once) {
            const std::ptrdiff_t count = std::min(at_once, rows - first);
            if (!fill(first, count, a.data())) return false;
            functions().product({count, w.columns, w.pairs, a.data(), w.values.data(), w.scales.data(),
                                 c + first * c_row, c_row, accumulate});
        }
        return true;
    }
};

}  // namespace

FirstRecords first_records(const NetworkTable& network, const Dataset& data, std::size_t most) {
    if (data.input_count() != static_cast<std::size_t>(network.inputs.size()))
        throw ShapeError("inputs of the data by which a network is quantized", sentence(network.inputs.size()),
                         sentence(data.input_count()));
    FirstRecords all{std::min(most, data.size()), {}};
    for (int which = 0; which < network.inputs.size(); ++which) {
        std::vector<float>& to = all.values.emplace_back();
        const auto elements = static_cast<std::size_t>(network.inputs[which].count());
        for (std::size_t i = 0; i < all.count; ++i) {
            const auto record = data.input(i, static_cast<std::size_t>(which));
            if (record.size() != elements)
                throw ShapeError("records of the data by which a network is quantized", sentence(elements, " numbers"),
                                 sentence(record.size()));
            to.insert(to.end(), record.begin(), record.end());
        }
    }
    return all;
}

SharedOwner<const OtherProducts<float>> ranges_of(const NetworkTable& network) {
    return SharedOwner<const Ranges>::make(network.parameters.size());
}

SharedOwner<const OtherProducts<float>> quantized(const ModelStore<float>& model, const OtherProducts<float>& noted,
                                                  std::string_view layers) {
    const auto& ranges = static_cast<const Ranges&>(noted);
    const NetworkTable& network = model.network();
    std::vector<QuantizedWeight> all;
    for (int p = 0; p < network.parameters.size(); ++p) {
        const ParameterRecord& r = network.parameters[p];
        const std::string_view name = r.name.view();
        if (ranges.range(p) == 0 || !matches(layers, name.substr(0, name.rfind('.')))) continue;
        const Extents2 e = extents_of(r.shape);
        const auto columns = static_cast<std::size_t>(e.columns);
        QuantizedWeight& w = all.emplace_back(QuantizedWeight{std::string(name), ranges.range(p), {}, {}});
        w.scales.assign(columns, 0);
        const auto row = [&](std::ptrdiff_t k) { return model.parameter_data(p) + k * model.pitch(p); };
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::size_t j = 0; j < columns; ++j) w.scales[j] = std::max(w.scales[j], std::abs(row(k)[j]) / 127);
        for (std::ptrdiff_t k = 0; k < e.rows; ++k)
            for (std::size_t j = 0; j < columns; ++j)
                w.values.push_back(static_cast<signed char>(w.scales[j] > 0 ? std::lrint(row(k)[j] / w.scales[j]) : 0));
    }
    if (all.empty())
        throw ArgumentError("layers to be quantized", "a pattern that matches one with weights",
                            sentence("'", layers, "', where there are ", parameter_names(network, false)));
    return products_of(network, std::move(all));
}

std::vector<QuantizedWeight> quantized_weights(const ModelStore<float>& model) {
    const auto* const known = dynamic_cast<const Quantized*>(model.other_products().get());
    return known != nullptr ? known->weights() : std::vector<QuantizedWeight>();
}
SharedOwner<const OtherProducts<float>> products_of(const NetworkTable& network, std::vector<QuantizedWeight> weights) {
    return SharedOwner<const Quantized>::make(network, std::move(weights));
}

}  // namespace sigma::detail
