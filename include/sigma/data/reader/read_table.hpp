// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/columns.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/csv_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// A column in memory: numbers where all its fields are numbers or missing, else texts.
struct TableColumn {
    std::string name{};  ///< in the header, else empty
    bool numeric = true;
    std::vector<double> numbers{};  ///< NaN where missing
    std::vector<std::string> texts{};
};

/// A whole table in memory, to be looked at.
struct TableValues {
    std::string name;
    std::size_t records = 0;
    std::vector<TableColumn> columns;

    /// By number or name. Throws ArgumentError where there is none.
    const TableColumn& operator[](const ColumnId& id) const {
        const auto size = static_cast<long long>(columns.size());
        const long long number = id.named ? std::ranges::find(columns, id.name, &TableColumn::name) - columns.begin()
                                          : id.number + (id.number < 0 ? size : 0);
        if (number < 0 || number >= size)
            throw ArgumentError(sentence("table '", name, "'"), sentence("one of its ", size, " columns"), id.text());
        return columns[static_cast<std::size_t>(number)];
    }
};

/// Reads all columns. Goes through the source twice: what a column holds is known only at its end. Throws DataError.
inline TableValues read_table(Source source, CsvFormat format = {}) {
    const detail::CsvTable table(std::move(source), std::move(format));
    const auto& missing = table.format.missing;
    const auto number = [&](std::string_view field, double& to) {
        to = std::numeric_limits<double>::quiet_NaN();
        return std::ranges::find(missing, field) != missing.end() ||
               detail::parse_number(field, table.format.non_finite, to);
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
