// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Structured arrays of NumPy as tables. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/csv.hpp>

#include <concepts>
#include <string_view>

namespace sigma::data {

/// Opens a structured array of NumPy, a .npy file of records with named fields, compressed or not, as a table.
///
/// - Each field is a column: integers, booleans, f2, f4, f8, and texts (S and U). NaN is missing.
/// - A nested value has a name with points: `("size", [("width", "f4")])` has the column "size.width", and
///   `("pixels", "u1", (2, 2))` the columns "pixels.0.0" to "pixels.1.1".
/// - Booleans are the texts "true" and "false" for `labels` and `mapped`. Dates and complex numbers have no number.
///
/// For an array of an archive, pass `entry(file("fruits.npz"), "fruits.npy")`.
///
/// @param source   the bytes of the file
/// @param options  texts of missing numbers, doubles, limits
/// @return a table, to which you add `sections`
/// @throws ArgumentError  if a limit is out of range
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto fruits = npy_table(file("fruits.npy")) >>
///               sections(inputs = columns({"weight", "size.width"}), targets = labels("kind")) >> dataset("fruits");
/// @endcode
///
/// @see npy, csv, sections, docs/tables.md
Table npy_table(Source source, TableOptions options = {});

/// @cond internal
/// Rejects a text, which may be a path. Use `npy_table(file("fruits.npy"))`.
template <std::convertible_to<std::string_view> Path>
error_source_is_a_text_and_not_file_or_url<Path> npy_table(const Path&, const TableOptions& = {});

/// Rejects `sigma::file`, with which hooks name their files.
template <HookFile Name>
error_source_is_a_file_of_namespace_data<use_data_file> npy_table(const Name&, const TableOptions& = {});
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/npy_table.ipp>
#endif
