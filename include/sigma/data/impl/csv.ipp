// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/csv.hpp>
#include <sigma/data/file.hpp>
#include <sigma/data/table_text.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL Dataset parse_csv(std::string_view text, const std::string& file, const CsvOptions& options) {
    detail::ColumnPart features{.others = true};
    features.spans.emplace_back(options.target_column, options.target_column);
    for (const int column : options.ignored_columns) features.spans.emplace_back(column, column);
    const auto read = [&](const auto& target_columns) {
        return detail::read_table_text(
            text, file, {.separator = options.separator, .header = options.header},
            sections(inputs = Columns<UnknownExtents>{std::vector{features}}, targets = target_columns));
    };
    const auto dataset = [&](auto table, std::vector<std::size_t> shape) {
        auto& [block, pipeline] = table;
        shape.insert(shape.begin(), block.records);
        return Dataset(Numbers{{block.records, block.values[0].size() / block.records}, std::move(block.values[0])},
                       Numbers{std::move(shape), std::move(block.values[1])},
                       options.name.empty() ? file : options.name, pipeline.reader->classes());
    };
    return options.labels ? dataset(read(labels(options.target_column, options.classes)), {})
                          : dataset(read(column(options.target_column)), {1});
}

SIGMA_IMPL Dataset read_csv(const std::string& path, const CsvOptions& options) {
    return parse_csv(read_text(path), path, options);
}

}  // namespace sigma::data
