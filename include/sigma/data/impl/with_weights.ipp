// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/with_weights.hpp>

#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL Dataset with_weights(const Dataset& dataset, const std::vector<std::size_t>& shape,
                                const std::vector<double>& weights, std::size_t which) {
    const std::string where = sentence("weights of dataset '", dataset.name(), "'");
    if (shape != std::vector<std::size_t>{dataset.size()})
        throw ArgumentError(where, sentence("one for each of its ", dataset.size(), " records"),
                            sentence("numbers of shape ", shape_text(shape)));
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (!(weights[i] >= 0 && std::isfinite(static_cast<float>(weights[i]))))
            throw ArgumentError(where, "finite numbers of 0 or more", sentence(weights[i], " for record ", i));
    dataset.target_shape(which);  // throws without such a target

    std::vector<NamedNumbers> targets;
    for (std::size_t t = 0; t < dataset.target_count(); ++t) {
        const data::SectionInfo section = dataset.sections()[dataset.input_count() + t];
        const std::size_t size = section.size(), row = size + (t == which ? 1 : 0);
        NamedNumbers next{dataset.target_name(t), {}, section.columns};
        next.numbers.shape = {dataset.size()};
        if (t == which) next.numbers.shape.push_back(row);
        else next.numbers.shape.insert(next.numbers.shape.end(), section.shape.begin(), section.shape.end());
        const auto fill = [&](auto& values) {
            using T = typename std::remove_cvref_t<decltype(values)>::value_type;
            values.resize(dataset.size() * row);
            for (std::size_t i = 0; i < dataset.size(); ++i) {
                dataset.copy_targets(std::array{i}, values.data() + i * row, row, t);
                if (t == which) values[i * row + size] = static_cast<T>(weights[i]);
            }
        };
        if (section.doubles) fill(next.numbers.doubles);
        else fill(next.numbers.values);
        if (t == which && section.shape.empty()) next.columns.assign(weighted_class.begin(), weighted_class.end());
        else if (t == which && !next.columns.empty()) next.columns.emplace_back(weighted_class[1]);
        targets.push_back(std::move(next));
    }
    return dataset.with_targets(std::move(targets));
}

}  // namespace sigma::detail
