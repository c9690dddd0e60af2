// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// Mean and standard deviation of each feature over the records of a dataset.
struct Scaling {
    std::vector<double> mean, deviation;
};

inline Scaling scaling_of(const Dataset& dataset) {
    const std::size_t features = dataset.input_size();
    const auto count = static_cast<double>(dataset.size());
    Scaling scaling{std::vector<double>(features, 0.0), std::vector<double>(features, 0.0)};
    for (std::size_t record = 0; record < dataset.size(); ++record)
        for (std::size_t f = 0; f < features; ++f)
            scaling.mean[f] += static_cast<double>(dataset.input(record)[f]) / count;
    for (std::size_t record = 0; record < dataset.size(); ++record)
        for (std::size_t f = 0; f < features; ++f) {
            const double distance = static_cast<double>(dataset.input(record)[f]) - scaling.mean[f];
            scaling.deviation[f] += distance * distance / count;
        }
    for (double& deviation : scaling.deviation) deviation = std::sqrt(deviation);
    return scaling;
}

/// The dataset with (feature - mean) / deviation for each feature; a feature that never changes becomes 0. Validation
/// data takes the scaling of the training data: scaled(validation, scaling_of(training)).
inline Dataset scaled(const Dataset& dataset, const Scaling& scaling) {
    if (scaling.mean.size() != dataset.input_size())
        throw ShapeError(sentence("scaling of dataset '", dataset.name(), "'"),
                         sentence(scaling.mean.size(), " features"), sentence(dataset.input_size()));
    if (dataset.input_count() > 1 || dataset.target_count() > 1)
        throw ArgumentError(sentence("scaling of dataset '", dataset.name(), "'"), "one input and one target",
                            sentence(dataset.input_count(), " inputs and ", dataset.target_count(), " targets"));
    Numbers inputs{{dataset.size()}, {}}, targets{{dataset.size()}, {}};
    inputs.shape.insert(inputs.shape.end(), dataset.input_shape().begin(), dataset.input_shape().end());
    targets.shape.insert(targets.shape.end(), dataset.target_shape().begin(), dataset.target_shape().end());
    for (std::size_t record = 0; record < dataset.size(); ++record) {
        for (std::size_t f = 0; f < dataset.input_size(); ++f) {
            const double distance = static_cast<double>(dataset.input(record)[f]) - scaling.mean[f];
            inputs.values.push_back(scaling.deviation[f] > 0 ? static_cast<float>(distance / scaling.deviation[f]) : 0);
        }
        targets.values.insert(targets.values.end(), dataset.target(record).begin(), dataset.target(record).end());
    }
    return {std::move(inputs), std::move(targets), dataset.name(), dataset.classes()};
}

/// Each feature with mean 0 and deviation 1.
inline Dataset standardize(const Dataset& dataset) {
    return scaled(dataset, scaling_of(dataset));
}

}  // namespace sigma::data
