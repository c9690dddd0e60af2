// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/columns.hpp>
#include <sigma/data/reader/csv_format.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <string>
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
    const TableColumn& operator[](const ColumnId& id) const&;
    TableColumn operator[](const ColumnId& id) && { return (*this)[id]; }
};

/// Reads all columns. Goes through the source twice: what a column holds is known only at its end. Throws DataError.
TableValues read_table(Source source, CsvFormat format = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/read_table.ipp>
#endif
