// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/transform/learn.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/record_refused.hpp>

#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace sigma::data::detail {

/// Section `s` of the dataset, which is `section`, of record `r`.
SIGMA_IMPL void append_record(const Dataset& dataset, const SectionInfo& section, std::size_t s, std::size_t r,
                              NumberList& to) {
    if (section.doubles) to.doubles();
    const std::size_t before = to.size();
    to.resize(before + section.size());
    to.visit([&](auto& values) {
        if (section.target) dataset.copy_targets(std::array{r}, values.data() + before, 0, s - dataset.input_count());
        else dataset.copy_inputs(std::array{r}, values.data() + before, 0, s);
    });
}

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
        for (NumberList& values : block.values) values.clear();
    };
    empty();
    dataset.for_each_position([&](std::size_t r) {
        for (std::size_t s = 0; s < sections.size(); ++s) {
            append_record(dataset, sections[s], s, r, block.values[s]);
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
    Block block{dataset.size(), std::vector<NumberList>(before.size())};
    for (std::size_t s = 0; s < before.size(); ++s)
        for (std::size_t r = 0; r < dataset.size(); ++r)
            detail::append_record(dataset, before[s], s, r, block.values[s]);
    detail::naming_records(dataset.name(), std::identity(), [&] { preprocessing.apply(block, before); });
    Dataset result(std::move(block), after, dataset.name(), dataset.classes(), std::move(all),
                   dataset.key() + key_of(preprocessing), dataset.missing());
    result.set_origins(dataset.origins());
    return result;
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
