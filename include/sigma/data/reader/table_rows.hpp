// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/reader/csv_format.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The part of a table that depends on its kind. CSV, JSON lines, SQLite and NumPy share the reader.
namespace sigma::data::detail {

/// A value of a table whose values have types.
struct TableCell {
    enum class Kind {
        missing,  ///< no value
        number,   ///< `number`, or the number that `text` spells if `text` is set
        truth,    ///< `number` is 0 or 1
        text,     ///< `text`
        other,    ///< a value of another type, which `text` describes for errors
    };
    Kind kind = Kind::missing;
    double number = 0;
    /// The digits of a number are followed by `number_padding` readable bytes.
    std::string_view text{};

    static TableCell of(double value) { return {Kind::number, value, {}}; }
};

/// Returns the text of a value, for names of classes, dates and errors. A truth is "true" or "false" if `words`, else
/// "1" or "0". Writes to `memory` if the cell has no text of its own.
std::string_view text_of(const TableCell& cell, bool words, std::string& memory);

/// The records of a table, one after the other. A record has either `fields` or `cells`. Both are valid until the next
/// call of next().
class TableRows {
public:
    virtual ~TableRows() = default;
    /// Moves to the next record. Returns false at the end.
    virtual bool next() = 0;
    /// Returns the texts of a record of a table without types. `number_padding` bytes after each are readable.
    virtual std::span<const std::string_view> fields() const { return {}; }
    /// Returns the values of a record of a table with types.
    virtual std::span<const TableCell> cells() const { return {}; }
    /// Returns how many malformed records were skipped so far.
    virtual std::size_t skipped() const { return 0; }
    /// Throws DataError about the present record. Column 0 stands for the whole record, others count from 1.
    [[noreturn]] void fail(std::size_t column, std::string expected, std::string found) const {
        throw error(column, std::move(expected), std::move(found));
    }

protected:
    virtual DataError error(std::size_t column, std::string expected, std::string found) const = 0;
};

/// A table that is not read yet.
class TableFile {
public:
    /// Constructs a table. `typed` is whether its records have `cells`.
    TableFile(CsvFormat format_, bool typed_) : format(std::move(format_)), typed(typed_) {}
    virtual ~TableFile() = default;

    const CsvFormat format;
    const bool typed;
    std::atomic<std::size_t> skipped{0};  ///< malformed records that the last reading has skipped

    /// Returns the kind of the file, "csv".
    virtual std::string kind() const = 0;
    /// Returns the name of the source.
    virtual std::string name() const = 0;
    /// Returns a text that changes when the bytes of the records change.
    virtual std::string key() const = 0;
    /// Opens the table before its first record. Sets `names` to the names of the columns, or to an empty list if the
    /// table has no names.
    virtual std::unique_ptr<TableRows> open(std::vector<std::string>& names) const = 0;
    /// Returns the place of the names, for errors.
    virtual std::string names_place() const { return "header"; }
};

/// Describes a column of a record for errors: ", column 'age'", or nothing for column 0.
std::string place_of_column(const std::vector<std::string>& names, std::size_t column);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/table_rows.ipp>
#endif
