// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/reader/windows.hpp>
#include <sigma/data/share_directory.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

/// Numbers at equal distances in time.
struct Series {
    std::string name;
    std::vector<float> values;
};

/// The last column of a table whose first line names its columns: read_series(file("sales.csv"), "sales"). Throws
/// DataError.
Series read_series(const Source& table, std::string name);

/// Monthly passengers of international airlines in thousands, January 1949 to December 1960: 144 numbers with a trend
/// and a season (Box and Jenkins 1976, series G). From `directory` if given, else from SIGMA_DATA or what comes with
/// the library.
Series airline_passengers(const std::string& directory = "");

/// Monthly sunspot numbers of Zurich, January 1749 to December 1983: 2820 numbers (Andrews and Herzberg 1985). From
/// `directory` if given, else from SIGMA_DATA or what comes with the library.
Series sunspots(const std::string& directory = "");

namespace detail {
template <>
struct InTime<Series> {
    /// The numbers of a series, one a record.
    static Pipeline<Schema<SectionField<"inputs", Role::input, Extents<>>>> of(const Series& series);
};
}  // namespace detail

/// What forecasting learns from: record r holds `length` numbers from position r on, (records, length, 1), and as its
/// targets the `horizon` numbers after them, (records, horizon). Records overlap: split the series into training and
/// validation before, or leave a gap. As a pipeline: windows<12>(series, {.horizon = 3}).
Dataset windows(const Series& series, std::size_t length, std::size_t horizon = 1);

/// Numbers first … first + count - 1.
Series part(const Series& series, std::size_t first, std::size_t count);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/series.ipp>
#endif
