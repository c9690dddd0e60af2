// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/class_names.hpp>
#include <sigma/core/config.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/concatenate.hpp>
#include <sigma/data/transform/fitted.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// The records of datasets with the same sections, one dataset after the other, in blocks.
class DatasetBlocks final : public Blocks {
public:
    DatasetBlocks(std::vector<Dataset> datasets, std::size_t block_records)
        : datasets_(std::move(datasets)), sections_(datasets_.at(0).sections()),
          block_records_(std::max<std::size_t>(block_records, 1)) {
        for (const Dataset& d : datasets_) {
            records_ += d.size();
            const std::vector<SectionInfo> its = d.sections();
            for (std::size_t s = 0; s < its.size(); ++s) sections_[s].doubles |= its[s].doubles;
        }
    }

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override {
        std::string all = "concatenate(";
        for (const Dataset& d : datasets_) all += d.key() + ";";
        return sentence(all, "); blocks of ", block_records_);
    }
    void load(std::size_t number, Block& to) const override {
        std::size_t first = number * block_records_, row = 0;
        to.records = std::min(block_records_, records_ - first);
        to.values.resize(sections_.size());
        for (std::size_t s = 0; s < sections_.size(); ++s) {
            if (sections_[s].doubles) to.values[s].doubles();
            else to.values[s].floats();
            to.values[s].resize(to.records * sections_[s].size());
        }
        std::vector<std::size_t> positions;
        for (const Dataset& d : datasets_) {
            const std::size_t count = first < d.size() ? std::min(d.size() - first, to.records - row) : 0;
            positions.resize(count);
            std::iota(positions.begin(), positions.end(), first);
            for (std::size_t s = 0; s < sections_.size(); ++s) {
                const std::size_t size = sections_[s].size();
                to.values[s].visit([&](auto& values) {
                    auto* const at = values.data() + row * size;
                    if (sections_[s].target) d.copy_targets(positions, at, size, s - d.input_count());
                    else d.copy_inputs(positions, at, size, s);
                });
            }
            first -= std::min(first, d.size());
            row += count;
        }
    }

private:
    std::vector<Dataset> datasets_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
};

}  // namespace sigma::data

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
    const auto joined = [&] {
        if (!in_memory) {
            const data::BlockLimits limits{.blocks = most};
            return Dataset(
                std::make_shared<data::ActiveBlocks>(blocks(block_records), first.name(), limits, missing_numbers),
                first.classes(), first.preprocessing());
        }
        data::Block records;
        const auto source = blocks(static_cast<std::size_t>(-1));
        source->load(0, records);
        return Dataset(std::move(records), source->sections(), first.name(), first.classes(), first.preprocessing(), {},
                       missing_numbers);
    };
    Dataset result = joined();
    std::vector<data::Origin> origins;
    for (const Dataset& d : all)
        for (const data::Origin& origin : d.origins())
            if (std::ranges::find(origins, origin) == origins.end()) origins.push_back(origin);
    result.set_origins(std::move(origins));
    return result;
}

}  // namespace sigma::detail
