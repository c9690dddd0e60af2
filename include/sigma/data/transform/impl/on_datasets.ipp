// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/transform/learn.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/record_refused.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace sigma::data::detail {

/// Gives all records to `visit` in blocks of at most 4096; each block of the dataset is loaded once.
SIGMA_IMPL void show_records(const Dataset& dataset, const BlockVisitor& visit) {
    const std::vector<SectionInfo> sections = dataset.sections();
    Block block;
    std::vector<std::size_t> positions;
    const auto show = [&] {
        naming_records(dataset.name(), [&](std::size_t record) { return positions[record]; }, [&] { visit(block); });
    };
    const auto empty = [&] {
        positions.clear();
        block.records = 0;
        block.values.resize(sections.size());
        for (auto& values : block.values) values.clear();
    };
    empty();
    dataset.for_each_position([&](std::size_t r) {
        for (std::size_t s = 0; s < sections.size(); ++s) {
            const Record record =
                sections[s].target ? dataset.target(r, s - dataset.input_count()) : dataset.input(r, s);
            block.values[s].insert(block.values[s].end(), record.begin(), record.end());
        }
        positions.push_back(r);
        if (++block.records < 4096) return;
        show();
        empty();
    });
    if (block.records > 0) show();
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Dataset transformed(const Dataset& dataset, const Preprocessing& preprocessing) {
    Preprocessing all = dataset.preprocessing().then(preprocessing);
    if (!dataset.in_memory()) {
        auto blocks = std::make_shared<TransformedBlocks>(dataset.blocks()->blocks(), preprocessing);
        return dataset.over(std::make_shared<ActiveBlocks>(std::move(blocks), dataset.name(),
                                                           dataset.blocks()->limits(), dataset.missing()),
                            std::move(all));
    }
    const std::vector<SectionInfo> before = dataset.sections(), after = preprocessing.sections(before);
    Block block{dataset.size(), std::vector<std::vector<float>>(before.size())};
    for (std::size_t s = 0; s < before.size(); ++s)
        for (std::size_t r = 0; r < dataset.size(); ++r) {
            const Record record = before[s].target ? dataset.target(r, s - dataset.input_count()) : dataset.input(r, s);
            block.values[s].insert(block.values[s].end(), record.begin(), record.end());
        }
    detail::naming_records(dataset.name(), std::identity(), [&] { preprocessing.apply(block, before); });
    return {std::move(block),  after,          dataset.name(),
            dataset.classes(), std::move(all), dataset.key() + key_of(preprocessing),
            dataset.missing()};
}

SIGMA_IMPL Preprocessing detail::fitted_steps(const std::vector<TransformStep>& steps, const Dataset& dataset) {
    return learn(
        dataset.sections(), steps, [&](const BlockVisitor& visit) { show_records(dataset, visit); }, dataset.name());
}

SIGMA_IMPL Dataset operator>>(const Dataset& dataset, const Preprocessing& preprocessing) {
    if (detail::ends_with(dataset.preprocessing(), preprocessing))
        throw ArgumentError(sentence("dataset '", dataset.name(), "'"),
                            "records that did not go through this preprocessing yet",
                            "a dataset that went through it already");
    return transformed(dataset, preprocessing);
}

}  // namespace sigma::data
