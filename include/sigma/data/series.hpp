// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Series of numbers in time, and windows over them for forecasting. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/dataset.hpp>
#include <sigma/data/reader/windows.hpp>
#include <sigma/data/share_directory.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// Numbers at equal distances in time.
///
/// @see read_series, windows, docs/data.md
struct Series {
    std::string name;           ///< name in errors and of data sets
    std::vector<float> values;  ///< the numbers, the first one first
};

/// Reads the last column of a table with a header.
///
/// @param table  the bytes of the table
/// @param name   name of the series
/// @return the series
/// @throws DataError  if the table has no header or cannot be read, or a field is no number
///
/// @par Example
/// @code
/// const data::Series sales = data::read_series(data::file("sales.csv"), "sales");
/// @endcode
///
/// @see csv, docs/csv.md
Series read_series(const Source& table, std::string name);

/// Returns the monthly passengers of international airlines in thousands, January 1949 to December 1960: 144 numbers
/// with a trend and a season (Box and Jenkins 1976, series G).
///
/// @param directory  directory of the file; empty (the default): SIGMA_DATA, or the files that come with the library
/// @return the series
/// @throws DataError  if the file is not found
///
/// @par Example
/// @code
/// const data::Series all = data::airline_passengers();
/// const Dataset fitting = data::windows(data::part(all, 0, 120), 12);
/// @endcode
///
/// @see sunspots, docs/ready-datasets.md
Series airline_passengers(const std::string& directory = "");

/// Returns the monthly sunspot numbers of Zurich, January 1749 to December 1983: 2820 numbers (Andrews and Herzberg
/// 1985).
///
/// @param directory  directory of the file; empty (the default): SIGMA_DATA, or the files that come with the library
/// @return the series
/// @throws DataError  if the file is not found
///
/// @see airline_passengers, docs/ready-datasets.md
Series sunspots(const std::string& directory = "");

namespace detail {
template <>
struct InTime<Series> {
    /// Reads the numbers of a series, one a record.
    static Pipeline<Schema<SectionField<"inputs", Role::input, Extents<>>>> of(const Series& series);
};
}  // namespace detail

/// Makes a dataset of windows over a series, for forecasting.
///
/// Record r holds `length` numbers from position r on, and as targets the `horizon` numbers after them. Records
/// overlap: split the series into training and validation first, with `part`. As a pipeline: `windows<12>(series,
/// {.horizon = 3})`.
///
/// @par Shape
/// Inputs (records, length, 1). Targets (records, horizon).
///
/// @param series   the series
/// @param length   numbers in a window, at least 1
/// @param horizon  numbers to forecast, at least 1; default 1
/// @return the dataset
/// @throws ArgumentError  if `length` or `horizon` is 0, or their sum exceeds the series
///
/// @par Example
/// @code
/// const data::Series all = data::airline_passengers();
/// const Dataset fitting = data::windows(data::part(all, 0, 120), 12);
/// @endcode
///
/// @see part, WindowOptions
Dataset windows(const Series& series, std::size_t length, std::size_t horizon = 1);

/// Returns the numbers `first` to `first + count - 1` of a series.
///
/// @param series  the series
/// @param first   position of the first number, from 0
/// @param count   how many numbers, at least 1
/// @return the part, with the name of the series
/// @throws ArgumentError  if the range is empty or exceeds the series
///
/// @par Example
/// @code
/// const data::Series decade = data::part(data::airline_passengers(), 0, 120);
/// @endcode
///
/// @see windows
Series part(const Series& series, std::size_t first, std::size_t count);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/series.ipp>
#endif
