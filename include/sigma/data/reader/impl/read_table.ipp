// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/csv_reader.hpp>
#include <sigma/data/reader/read_table.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace sigma::data {

SIGMA_IMPL const TableColumn& TableValues::operator[](const ColumnId& id) const& {
    const auto size = static_cast<long long>(columns.size());
    const long long number = id.named ? std::ranges::find(columns, id.name, &TableColumn::name) - columns.begin()
                                      : id.number + (id.number < 0 ? size : 0);
    if (number < 0 || number >= size)
        throw ArgumentError(sentence("table '", name, "'"), sentence("one of its ", size, " columns"), id.text());
    return columns[static_cast<std::size_t>(number)];
}

SIGMA_IMPL TableValues read_table(Source source, CsvFormat format) {
    const detail::CsvTable table(std::move(source), std::move(format));
    const auto& missing = table.format.missing;
    const auto number = [&](std::string_view field, double& to) {
        to = std::numeric_limits<double>::quiet_NaN();
        return std::ranges::find(missing, field) != missing.end() || detail::parse_number(field, table.format, to);
    };
    const auto pass = [&](auto&& visit) {
        std::vector<std::string> names;
        const auto scanner = table.open(names);
        std::size_t records = 0;
        for (; scanner->next(); ++records) visit(scanner->fields(), names);
        return records;
    };
    TableValues all{table.source.name(), 0, {}};
    all.records = pass([&](auto fields, auto& names) {
        if (all.columns.empty()) all.columns.resize(fields.size());
        names.resize(fields.size());
        for (std::size_t c = 0; c < fields.size(); ++c) {
            TableColumn& column = all.columns[c];
            double value = 0;
            column.name = names[c];
            column.numeric = column.numeric && number(fields[c], value);
        }
    });
    if (all.records == 0) throw DataError(all.name, "", "at least one record", "none");
    const std::size_t again = pass([&](auto fields, auto&) {
        if (fields.size() != all.columns.size())
            throw DataError(all.name, "", "the columns of its first reading", "others");
        for (std::size_t c = 0; c < fields.size(); ++c) {
            TableColumn& column = all.columns[c];
            if (!column.numeric) {
                column.texts.emplace_back(fields[c]);
                continue;
            }
            if (!number(fields[c], column.numbers.emplace_back()))
                throw DataError(all.name, "", "the numbers of its first reading", storage::quotation(fields[c]));
        }
    });
    if (again != all.records)
        throw DataError(all.name, "", sentence("the ", all.records, " records of its first reading"), sentence(again));
    return all;
}

}  // namespace sigma::data
