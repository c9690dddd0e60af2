// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Queries of SQLite databases as tables. Include it yourself, and link `sigma::sqlite`.

#include <sigma/data/reader/csv.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sigma::data {

/// A value for a `?` of a query: a number, a text, or null.
///
/// @see sqlite
struct SqliteValue {
    /// The value: null, an integer, a number with a fraction, or a text in UTF-8.
    std::variant<std::nullptr_t, std::int64_t, double, std::string> value;

    /// Constructs null.
    SqliteValue(std::nullptr_t) : value(nullptr) {}
    /// Constructs an integer.
    /// @param number  the integer, which must be less than 2^63
    /// @throws ArgumentError  if the number is 2^63 or more
    template <std::integral T>
    SqliteValue(T number) : value(static_cast<std::int64_t>(number)) {
        if (number > 0 && std::get<std::int64_t>(value) < 0)
            throw ArgumentError("integer for a query", "a number below 2^63", sentence(number));
    }
    /// Constructs a number with a fraction.
    /// @param number  the number
    SqliteValue(double number) : value(number) {}
    /// Constructs a text.
    /// @param text  the text in UTF-8
    SqliteValue(std::string_view text) : value(std::string(text)) {}
    /// @copydoc SqliteValue(std::string_view)
    SqliteValue(const char* text) : SqliteValue(std::string_view(text)) {}
    /// @copydoc SqliteValue(std::string_view)
    SqliteValue(const std::string& text) : SqliteValue(std::string_view(text)) {}
};

/// A query of a SQLite database: a text, or a text with `?` and the values of these parameters.
///
/// @par Example
/// @code
/// #include <sigma/data/reader/sqlite.hpp>
/// const data::SqliteQuery query{"select rooms, price from houses where city = ?", {"Berlin"}};
/// @endcode
///
/// @see sqlite
struct SqliteQuery {
    std::string text;                       ///< one statement of SQL that returns rows
    std::vector<SqliteValue> parameters{};  ///< the values of the parameters, in their order

    /// Constructs a query.
    /// @param sql     one statement of SQL that returns rows
    /// @param values  a value for each parameter of the statement, in their order
    SqliteQuery(std::string sql, std::vector<SqliteValue> values = {})
        : text(std::move(sql)), parameters(std::move(values)) {}
    /// Constructs a query without parameters.
    /// @param sql  one statement of SQL that returns rows
    SqliteQuery(const char* sql) : text(sql) {}
};

/// Opens the result of a query of a SQLite database as a table.
///
/// - The columns have the names that the query gives them: `select avg(price) as price …`.
/// - null is missing. Numbers that the database stores as texts are read as in CSV files. BLOBs have no number.
/// - The rows have the order of the query. Without `order by`, SQLite does not promise an order.
/// - The database is opened to be read only. A source that is no plain file is read into memory, up to 4 GiB.
///
/// The result is read a block of records at a time.
///
/// @param source   the database: `file("houses.db")`, `url("https://…")`, `unpacked(file("houses.db.gz"))`
/// @param query    one statement of SQL that returns rows: a text, or `{"select … where city = ?", {"Berlin"}}`
/// @param options  texts of missing numbers, doubles, limits
/// @return a table, to which you add `sections`
/// @throws ArgumentError  if a limit is out of range. Reading throws it for a wrong query or number of
///                        parameters.
/// @throws DataError      while reading, if the file is damaged, locked or no database, or if a limit is exceeded
///
/// @par Example
/// @code
/// #include <sigma/data/reader/sqlite.hpp>
/// using namespace sigma::data;
/// auto houses = sqlite(file("houses.db"), "select rooms, age, price from houses where price > 0 order by id") >>
///               sections(inputs = columns("rooms", "age"), targets = column("price")) >> dataset("houses");
/// @endcode
///
/// @see csv, sections, docs/tables.md
Table sqlite(Source source, SqliteQuery query, TableOptions options = {});

/// @cond internal
/// Rejects a text, which may be a path, an address or the database itself. Use `sqlite(file("houses.db"), …)`.
template <std::convertible_to<std::string_view> Path>
error_source_is_a_text_and_not_file_or_url<Path> sqlite(const Path&, const SqliteQuery&, const TableOptions& = {});

/// Rejects `sigma::file`, with which hooks name their files.
template <HookFile Name>
error_source_is_a_file_of_namespace_data<use_data_file> sqlite(const Name&, const SqliteQuery&,
                                                               const TableOptions& = {});
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/sqlite.ipp>
#endif
