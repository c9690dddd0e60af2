// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Predictors with 8-bit integers: quantize. Included by `<sigma/exchange.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/exchange/quantized_weight.hpp>
#include <sigma/network/predictor.hpp>

#include <span>
#include <string>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_exchange_quantize_hpp);

namespace sigma {

/// The numbers of one input, or of the factor of one weight, that `quantize` has clipped.
/// @see QuantizeOptions
struct ClippedRange {
    std::string name;         ///< Name of the input or the parameter: "0-input", "1-dense.weights".
    float range = 0;          ///< Numbers outside of ± range are clipped.
    float greatest = 0;       ///< The greatest absolute value.
    std::size_t clipped = 0;  ///< Number of clipped numbers.
    std::size_t numbers = 0;  ///< Number of all numbers.
};

/// Options of `quantize`.
/// @see quantize
struct QuantizeOptions {
    std::string layers = "*";    ///< Layers to quantize, as a pattern of their names. Default: all.
    std::size_t records = 1000;  ///< Number of records, from the first, that determine the ranges.
    /// Percentage of the numbers inside the ranges, from 50 to 100. Numbers farther from 0 are clipped, so that one
    /// outlier does not determine the step of all. For inputs whole records count, by their greatest number. 100 clips
    /// nothing.
    double percentile = 99.99;
    /// Number of successive records that make one sequence of a network with states, at most the number of records that
    /// are read. States continue from record to record. Default: 0, the states start with zeros for each record. A
    /// network with one step a record needs a number.
    std::size_t sequence = 0;
    std::vector<ClippedRange>* clipped = nullptr;  ///< Receives the clipped ranges, if any. Default: null.
};

namespace detail {

/// The inputs of the first records of data, dense, without outliers: for each input `steps` parts, one after another,
/// with `count` records each.
struct FirstRecords {
    std::size_t count = 0, steps = 1;
    std::vector<std::vector<float>> values{};
};
/// Returns the inputs of the first records. Throws ShapeError if they do not match the network.
FirstRecords first_records(const NetworkTable& network, const Dataset& data, const QuantizeOptions& options);
/// Throws ArgumentError if the options do not fit the network.
void check_options(const NetworkTable& network, const QuantizeOptions& options);

/// Returns products that record the range of the factor of each weight.
SharedOwner<const on_cpu::OtherProducts<float>> ranges_of(const NetworkTable& network);
/// Returns products with the 8-bit weights of the matching layers, for the ranges that `noted` has recorded.
SharedOwner<const on_cpu::OtherProducts<float>> quantized(const ModelStore<float>& model,
                                                          const on_cpu::OtherProducts<float>& noted,
                                                          const QuantizeOptions& options);
/// Returns the 8-bit weights of a quantized model, or an empty list.
std::vector<QuantizedWeight> quantized_weights(const ModelStore<float>& model);
SharedOwner<const on_cpu::OtherProducts<float>> products_of(const NetworkTable& network,
                                                            std::span<const QuantizedWeight> weights);

}  // namespace detail

/// Returns a predictor that computes products and convolutions with 8-bit integers (Jacob et al. 2018).
///
/// Quantization is symmetric. Weights have a scale for each output. The range of their factors is measured on `data`.
/// Sums are exact, and biases and activations stay in float. A NaN in a factor stays NaN, and affects only results that
/// depend on it.
///
/// @param model    the model
/// @param data     data with the preprocessing of the training data, to measure ranges
/// @param options  layers, number of records, clipping
/// @param device   the device that predicts. Default: one thread of the CPU.
/// @return a predictor with a copy of the model
/// @throws ArgumentError  if no matching layer has weights, a weight is not finite, or all data are 0. Also if the
///                        network has states, takes one step per record, and `options.sequence` is 0.
/// @throws ShapeError     if the data do not match the network
///
/// @par Example
/// @code
/// const Predictor small = quantize(model, training);
/// Array<float> probabilities = small.predict(images);
/// @endcode
///
/// @see QuantizeOptions, Predictor, export_cpp
template <AnyNetwork N>
Predictor<N> quantize(const Model<N>& model, const Dataset& data, const QuantizeOptions& options = {},
                      Device device = cpu(1)) {
    Model<N> watched(model);
    detail::check_options(watched.network(), options);
    watched.compute_by(detail::ranges_of(watched.network()));
    const auto inputs = detail::first_records(watched.network(), data, options);
    typename Model<N>::InputPointers from{};
    if constexpr (Model<N>::counts_when_run) from.resize(inputs.values.size());
    auto results = Model<N>::Results::make(watched.records.costs.size());
    std::vector<std::vector<float>> predictions;
    for (int i = 0; i < watched.records.costs.size(); ++i)
        predictions.emplace_back(inputs.count * static_cast<std::size_t>(watched.records.costs[i].prediction.count()));
    for (std::size_t i = 0; i < predictions.size(); ++i) results[i] = predictions[i].data();
    watched.forget();
    for (std::size_t step = 0; step < inputs.steps; ++step) {
        for (std::size_t i = 0; i < inputs.values.size(); ++i)
            from[i] = inputs.values[i].data() + step * (inputs.values[i].size() / inputs.steps);
        if (options.sequence > 0) watched.predict(from, results, static_cast<std::ptrdiff_t>(inputs.count));
        else watched.predict_anew(from, results, static_cast<std::ptrdiff_t>(inputs.count));
    }
    watched.forget();
    watched.leave_to(detail::quantized(watched, *watched.other_products(), options));
    return Predictor<N>(watched, std::move(device));
}

}  // namespace sigma
