// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/transform/fitted.hpp>
#include <sigma/data/transform/on_datasets.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL void check_section(const Preprocessing& p, std::string_view section, std::string_view usual,
                              std::string_view other) {
    std::vector<std::string> names;
    for (const Preprocessing::Step& step : p.steps())
        if (std::ranges::find(names, step.section) == names.end()) names.push_back(step.section);
    if (std::ranges::find(names, section) != names.end()) return;
    if (section == usual && std::ranges::all_of(names, [&](const std::string& name) { return name == other; })) return;
    if (names.empty()) return;
    throw ArgumentError("preprocessing",
                        sentence("one of ", quoted_names(names, [](const auto& name) { return name; })),
                        sentence("'", section, "'"));
}

SIGMA_IMPL void check_inverse(const Preprocessing& p, std::string_view section, const std::vector<std::size_t>& shape) {
    check_section(p, section, "targets", "inputs");
    if (shape.empty())
        throw ShapeError(sentence("inverse of the preprocessing of '", section, "'"),
                         "an array of records (records, ...)", sigma::detail::shape_text(shape));
}

SIGMA_IMPL void check_records(const Preprocessing& p, std::string_view section, const std::vector<std::size_t>& shape) {
    const std::string where = sentence("preprocessing of '", section, "'");
    if (shape.empty()) throw ShapeError(where, "an array of records (records, ...)", sigma::detail::shape_text(shape));
    const auto fit = [&](std::size_t first) {
        try {
            p.sections(
                {{std::string(section), {shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end()}, false}});
            return true;
        } catch (const ShapeError&) { return false; }
    };
    if (fit(1) || !fit(0)) return;
    throw ShapeError(where, sentence("shape (records, ", sigma::detail::shape_text(shape).substr(1)),
                     sigma::detail::shape_text(shape));
}

SIGMA_IMPL void prepare(const Preprocessing& p, std::string_view section, std::vector<std::size_t>& shape,
                        NumberList& values) {
    Block block{shape[0], {}};
    block.values.push_back(std::move(values));
    const std::vector<SectionInfo> before{{std::string(section), {shape.begin() + 1, shape.end()}, false}};
    const std::vector<std::size_t> after = p.sections(before)[0].shape;
    p.apply(block, before);
    shape.resize(1);
    shape.insert(shape.end(), after.begin(), after.end());
    values = std::move(block.values[0]);
}

/// Appends section `s`, described by `section`, of record `r`.
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

/// Passes all records to `visit` in blocks of at most 4096. Loads each block of the dataset once.
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
        throw ArgumentError(sentence("dataset '", dataset.name(), "'"), "records without this preprocessing",
                            "records with this preprocessing");
    return transformed(dataset, preprocessing);
}

}  // namespace sigma::data
