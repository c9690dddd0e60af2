// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/network/classified.hpp>

#include <utility>

namespace sigma {

SIGMA_IMPL Classified::Classified(std::vector<std::size_t> classes, std::vector<std::string> names)
    : classes_(std::move(classes)), names_(std::move(names)) {}

SIGMA_IMPL std::size_t Classified::operator[](std::size_t i) const {
    if (i >= size()) throw ArgumentError("classes of a model", sentence("a position below ", size()), sentence(i));
    return classes_[i];
}

SIGMA_IMPL std::string Classified::name(std::size_t i) const {
    const std::size_t c = (*this)[i];
    return c < names_.size() ? names_[c] : sentence(c);
}

namespace detail {

SIGMA_IMPL void refuse_nan_prediction(std::span<const double> predictions) {
    for (std::size_t i = 0; i < predictions.size(); ++i)
        if (predictions[i] != predictions[i])
            throw ArgumentError(sentence("prediction, position ", i), "a number", "nan");
}

SIGMA_IMPL std::vector<std::size_t> greatest_of_rows(std::span<const double> predictions, std::size_t row) {
    refuse_nan_prediction(predictions);
    std::vector<std::size_t> all;
    all.reserve(predictions.size() / row);
    for (std::size_t at = 0; at < predictions.size(); at += row) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < row; ++c)
            if (predictions[at + c] > predictions[at + best]) best = c;
        all.push_back(best);
    }
    return all;
}

SIGMA_IMPL std::vector<std::size_t> reached(std::span<const double> predictions, double threshold) {
    if (threshold != threshold) throw ArgumentError("threshold", "a number", "nan");
    refuse_nan_prediction(predictions);
    std::vector<std::size_t> all;
    all.reserve(predictions.size());
    for (const double p : predictions) all.push_back(p >= threshold ? 1 : 0);
    return all;
}

}  // namespace detail
}  // namespace sigma
