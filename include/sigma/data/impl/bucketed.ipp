// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/bucketed.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sigma {

namespace detail {

/// The records at these positions; of sequences their first `width` positions.
SIGMA_IMPL Dataset cut_records(const Dataset& dataset, const std::vector<std::size_t>& positions, std::size_t width) {
    const std::size_t full = dataset.input_shape().front();
    std::vector<data::SectionInfo> sections = dataset.sections();
    data::Block block{positions.size(), {}};
    for (std::size_t s = 0; s < sections.size(); ++s) {
        data::SectionInfo& section = sections[s];
        const std::size_t size = section.size();
        const bool cut = !section.shape.empty() && section.shape.front() == full;
        NumberList list;
        if (section.doubles) list.doubles();
        list.resize(positions.size() * size);
        list.visit([&](auto& all) {
            if (section.target) dataset.copy_targets(positions, all.data(), size, s - dataset.input_count());
            else dataset.copy_inputs(positions, all.data(), size, s);
            if (!cut) return;
            section.shape.front() = width;
            section.columns.clear();
            const std::size_t kept = section.size();
            for (std::size_t r = 0; r < positions.size(); ++r)
                std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * size), kept,
                            all.begin() + static_cast<std::ptrdiff_t>(r * kept));
            all.resize(positions.size() * kept);
        });
        block.values.push_back(std::move(list));
    }
    Dataset result(std::move(block), sections, sentence(dataset.name(), " up to ", width), dataset.classes(),
                   dataset.preprocessing(), {}, dataset.missing());
    result.set_origins(dataset.origins());
    return result;
}

}  // namespace detail

SIGMA_IMPL std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                                         std::span<const std::size_t> widths) {
    const std::string where = sentence("buckets of dataset '", dataset.name(), "'");
    if (dataset.input_shape().empty())
        throw ShapeError(where, "sequences, records of shape (time, ...)", detail::shape_text(dataset.input_shape()));
    if (lengths.size() != dataset.size())
        throw ArgumentError(where, sentence(dataset.size(), " lengths, one for each record"), sentence(lengths.size()));
    if (widths.empty()) throw ArgumentError(where, "at least one width", "none");
    std::size_t before = 0;
    for (const std::size_t width : widths) {
        if (width <= before || width > dataset.input_shape().front())
            throw ArgumentError(
                where,
                sentence("widths that grow, from 1 to the ", dataset.input_shape().front(), " positions of a record"),
                sentence(width, " after ", before));
        before = width;
    }
    std::vector<std::vector<std::size_t>> positions(widths.size());
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(widths, lengths[r]) - widths.begin());
        if (bucket == widths.size())
            throw ArgumentError(sentence(where, ", record ", r), sentence("a length of at most ", widths.back()),
                                sentence(lengths[r]));
        positions[bucket].push_back(r);
    }
    std::vector<Dataset> buckets;
    for (std::size_t b = 0; b < widths.size(); ++b) {
        if (positions[b].empty())
            throw ArgumentError(
                where, sentence("records of lengths from ", b == 0 ? 0 : widths[b - 1] + 1, " to ", widths[b]), "none");
        buckets.push_back(detail::cut_records(dataset, positions[b], widths[b]));
    }
    return buckets;
}

}  // namespace sigma
