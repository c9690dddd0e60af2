// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Tables of JSON lines. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/reader/csv.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// Options of `json_lines`.
///
/// @par Example
/// @code
/// const data::JsonOptions options{.columns = {"age", "kind"}, .missing = {"?"}};
/// @endcode
///
/// @see json_lines
struct JsonOptions {
    /// Names of the columns, in this order; other names are ignored. Empty (the default): the names of the first line.
    std::vector<std::string> columns{};
    std::vector<std::string> missing{};  ///< Texts of missing numbers, read as NaN: "", "?", "NA".
    bool non_finite = false;             ///< Accepts infinite numbers if true.
    bool doubles = false;                ///< Reads numbers as double if true, for networks of double.
    /// Limit of a line in bytes, from 1 to 2^30. A longer line throws DataError.
    std::size_t longest_record = std::size_t{1} << 24;
    std::size_t most_columns = std::size_t{1} << 20;  ///< Limit of the number of columns, from 1 to 2^30.
};

/// Opens a table of JSON lines (also called NDJSON): each line is an object or an array, and a record.
///
/// - The names of the first line are the columns of the table, unless `options.columns` names them. A record may have
///   them in any order. A value that a line lacks is missing, as null is. A later line with another name throws
///   DataError.
/// - A nested value has a name with points: `{"size": {"width": 3}}` has the column "size.width", and
///   `{"pixels": [7, 9]}` the columns "pixels.0" and "pixels.1".
/// - true and false are the numbers 1 and 0, and the texts "true" and "false" for `labels` and `mapped`.
/// - NaN, as Python writes it, is missing. Infinity and -Infinity are numbers if `non_finite` is true. Otherwise
/// reading
///   them throws DataError.
///
/// The table is read a block of records at a time. To read a compressed file, pass `unpacked(source)`.
///
/// @param source   the bytes: `file("reviews.jsonl")`, `url("https://…")`, `memory(text)`
/// @param options  names of the columns, texts of missing numbers, doubles, limits
/// @return a table, to which you add `sections`
/// @throws ArgumentError  if a name of a column occurs twice, or a limit is out of range
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto fruits = json_lines(file("fruits.jsonl")) >>
///               sections(inputs = columns({"weight", "size.width"}), targets = labels("kind")) >> dataset("fruits");
/// @endcode
///
/// @see csv, sections, docs/tables.md
Table json_lines(Source source, JsonOptions options = {});

/// @cond internal
/// Rejects a text, which may be a path, an address or the table itself. Use `json_lines(file("fruits.jsonl"))`.
template <std::convertible_to<std::string_view> Path>
error_source_is_a_text_and_not_file_or_url<Path> json_lines(const Path&, const JsonOptions& = {});

/// Rejects `sigma::file`, with which hooks name their files.
template <HookFile Name>
error_source_is_a_file_of_namespace_data<use_data_file> json_lines(const Name&, const JsonOptions& = {});
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/json_lines.ipp>
#endif
