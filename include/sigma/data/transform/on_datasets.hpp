// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/data/transform/predict.hpp>
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

/// The sections of a dataset; those without a name are "inputs" and "targets".
inline std::vector<SectionInfo> sections_of(const Dataset& dataset) {
    std::vector<SectionInfo> all;
    const auto name = [](const std::string& own, const char* other) { return own.empty() ? std::string(other) : own; };
    for (std::size_t i = 0; i < dataset.input_count(); ++i) {
        const auto shape = dataset.input_shape(i);
        all.push_back({name(dataset.input_name(i), "inputs"), {shape.begin(), shape.end()}, false});
    }
    for (std::size_t i = 0; i < dataset.target_count(); ++i) {
        const auto shape = dataset.target_shape(i);
        all.push_back({name(dataset.target_name(i), "targets"), {shape.begin(), shape.end()}, true});
    }
    return all;
}

/// Some records as a block, all sections.
inline void copy_records(const Dataset& dataset, std::size_t first, std::size_t count, Block& to) {
    to.records = count;
    to.values.resize(dataset.input_count() + dataset.target_count());
    for (std::size_t s = 0; s < to.values.size(); ++s) {
        to.values[s].clear();
        for (std::size_t r = first; r < first + count; ++r) {
            const auto record = s < dataset.input_count() ? dataset.input(r, s) : dataset.target(r, s - dataset.input_count());
            to.values[s].insert(to.values[s].end(), record.begin(), record.end());
        }
    }
}

}  // namespace detail

/// What transforms learn from a dataset, to be applied to it and to others: fitted(standardize(inputs), training). Throws
/// ArgumentError for a section that the dataset does not have, ShapeError where a transform does not fit.
template <AnyTransforms X>
Preprocessing fitted(const X& transforms, const Dataset& dataset) {
    constexpr std::size_t at_once = 4096;
    return detail::learn(detail::sections_of(dataset), transforms.steps(), [&](const detail::BlockVisitor& visit) {
        Block block;
        for (std::size_t first = 0; first < dataset.size(); first += at_once) {
            detail::copy_records(dataset, first, std::min(at_once, dataset.size() - first), block);
            visit(block);
        }
    });
}

/// The records of a dataset, transformed.
inline Dataset operator>>(const Dataset& dataset, const Preprocessing& preprocessing) {
    const auto before = detail::sections_of(dataset);
    const auto after = preprocessing.sections(before);
    Block block;
    detail::copy_records(dataset, 0, dataset.size(), block);
    preprocessing.apply(block, before);
    std::vector<NamedNumbers> inputs_after, targets_after;
    for (std::size_t s = 0; s < after.size(); ++s) {
        const bool target = after[s].target;
        const std::size_t which = target ? s - dataset.input_count() : s;
        NamedNumbers section{target ? dataset.target_name(which) : dataset.input_name(which), {{dataset.size()}, {}}};
        section.numbers.shape.insert(section.numbers.shape.end(), after[s].shape.begin(), after[s].shape.end());
        section.numbers.values = std::move(block.values[s]);
        (target ? targets_after : inputs_after).push_back(std::move(section));
    }
    return {std::move(inputs_after), std::move(targets_after), dataset.name(), dataset.classes()};
}

/// The records of a dataset by transforms that learn from these very records. Validation data takes what was learned from
/// the training data instead: validation >> fitted(standardize(inputs), training).
template <AnyTransforms X>
Dataset operator>>(const Dataset& dataset, const X& transforms) {
    return dataset >> fitted(transforms, dataset);
}

}  // namespace sigma::data
