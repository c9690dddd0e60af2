// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/exchange/quantized_weight.hpp>
#include <sigma/network/predictor.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_exchange_quantize_hpp);

namespace sigma {

/// What `quantize` has clipped of the numbers that an input has, or that a weight is multiplied with.
struct ClippedRange {
    std::string name;         ///< of the input or the parameter: "0-input", "1-dense.weights"
    float range = 0;          ///< beyond which numbers are clipped
    float greatest = 0;       ///< the greatest number, without its sign
    std::size_t clipped = 0;  ///< so many numbers are beyond the range
    std::size_t numbers = 0;  ///< of so many
};

/// What of a network predicts in whole numbers of 8 bits.
struct QuantizeOptions {
    std::string layers = "*";    ///< a pattern of names; what it does not match stays as it is
    std::size_t records = 1000;  ///< of the data, from the first on, by which ranges are found
    /// Percent of the numbers that ranges hold; what is further from 0 is clipped, so that one outlier does not decide
    /// on the steps of all. Of inputs whole records count, by their greatest number. 100: nothing is clipped.
    double percentile = 99.99;
    /// Of a network with states: so many records after each other are one sequence, in which states go on from record
    /// to record. 0: states begin anew with each record.
    std::size_t sequence = 0;
    std::vector<ClippedRange>* clipped = nullptr;  ///< becomes what was clipped, where that was anything
};

namespace detail {

/// Inputs of the first records of data, dense, without outliers: of each input `steps` parts one after the other, of
/// `count` records each. Throws where they are of another shape than the network's.
struct FirstRecords {
    std::size_t count = 0, steps = 1;
    std::vector<std::vector<float>> values{};
};
FirstRecords first_records(const NetworkTable& network, const Dataset& data, const QuantizeOptions& options);
/// Throws ArgumentError where options make no sense for the network.
void check_options(const NetworkTable& network, const QuantizeOptions& options);

/// Notes of each weight how far from 0 what it is multiplied with reaches.
SharedOwner<const on_cpu::OtherProducts<float>> ranges_of(const NetworkTable& network);
/// The weights of a model, in 8 bits, with ranges that `noted` has seen; those of layers that match.
SharedOwner<const on_cpu::OtherProducts<float>> quantized(const ModelStore<float>& model,
                                                          const on_cpu::OtherProducts<float>& noted,
                                                          const QuantizeOptions& options);
/// Of such products; none of others.
std::vector<QuantizedWeight> quantized_weights(const ModelStore<float>& model);
SharedOwner<const on_cpu::OtherProducts<float>> products_of(const NetworkTable& network,
                                                            std::span<const QuantizedWeight> weights);

}  // namespace detail

/// A predictor whose products and convolutions are of whole numbers of 8 bits: symmetric, weights with a scale for each
/// output, and what they are multiplied with in the range that it has on the data, which went through what the training
/// data did (Jacob et al. 2018). Sums are exact; biases and activations stay in float. A NaN among what is multiplied
/// stays one, and changes nothing but what is computed of it. Throws ArgumentError where no layer that matches has
/// weights, a weight is not finite, all data are 0, or a network that remembers takes one step a record and
/// `.sequence` does not say which records belong together.
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
    std::vector<std::vector<float>> said;
    for (int i = 0; i < watched.records.costs.size(); ++i)
        said.emplace_back(inputs.count * static_cast<std::size_t>(watched.records.costs[i].prediction.count()));
    for (std::size_t i = 0; i < said.size(); ++i) results[i] = said[i].data();
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
