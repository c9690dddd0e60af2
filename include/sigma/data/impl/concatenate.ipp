// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/class_names.hpp>
#include <sigma/core/config.hpp>
#include <sigma/data/blocks/of_datasets.hpp>
#include <sigma/data/concatenate.hpp>
#include <sigma/data/transform/steps_alike.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace sigma::detail {

SIGMA_IMPL void check_alike(const Dataset& a, const Dataset& b) {
    const std::string where = sentence("concatenate of datasets '", a.name(), "' and '", b.name(), "'");
    const auto describe = [](const Dataset& d) {
        std::string text;
        for (const data::SectionInfo& s : d.sections())
            text += sentence(text.empty() ? "" : ", ", s.name, ' ', shape_text(s.shape));
        return text;
    };
    if (a.sections() != b.sections())
        throw ShapeError(where, sentence("the same sections, ", describe(a)), describe(b));
    if (a.classes().size() != b.classes().size() || !classes_agree(a.classes(), b.classes()))
        throw_other_classes<ArgumentError>(where, a.classes(), "in both (labels(column, names) numbers them so)",
                                           b.classes());
    if (!data::detail::alike(a.preprocessing(), b.preprocessing()))
        throw ArgumentError(where, "records that went through the same preprocessing", "another one");
}

SIGMA_IMPL Dataset concatenated(const std::vector<Dataset>& all) {
    const Dataset& first = all.front();
    bool one_storage = true, in_memory = true;
    std::size_t block_records = 1, most = 1;
    data::Missing missing_numbers = data::Missing::never;
    for (const Dataset& d : all) {
        missing_numbers = std::max(missing_numbers, d.missing());
        check_alike(first, d);
        one_storage = one_storage && d.shares_storage(first);
        in_memory = in_memory && d.in_memory();
        if (!d.in_memory()) block_records = std::max(block_records, d.blocks()->blocks()->block_records());
        most = std::max(most, d.active_blocks());
    }
    if (one_storage) {
        std::vector<std::size_t> numbers;
        for (const Dataset& d : all)
            for (std::size_t position = 0; position < d.size(); ++position)
                numbers.push_back(d.record_number(position));
        return first.everything().select(numbers);
    }
    const auto blocks = [&](std::size_t records) { return std::make_shared<data::DatasetBlocks>(all, records); };
    if (!in_memory) {
        const data::BlockLimits limits{.blocks = most};
        return Dataset(
            std::make_shared<data::ActiveBlocks>(blocks(block_records), first.name(), limits, missing_numbers),
            first.classes(), first.preprocessing());
    }
    data::Block joined;
    const auto source = blocks(static_cast<std::size_t>(-1));
    source->load(0, joined);
    return Dataset(std::move(joined), source->sections(), first.name(), first.classes(), first.preprocessing(), {},
                   missing_numbers);
}

}  // namespace sigma::detail
