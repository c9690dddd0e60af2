// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/csv.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/file.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// Numbers at equal distances in time.
struct Series {
    std::string name;
    std::vector<float> values;
};

/// The last column of a table whose first line names its columns.
inline Series parse_series(std::string_view text, const std::string& file, std::string name) {
    auto table = detail::read_table_text(text, file, {.header = true}, sections(inputs = column(-1)));
    return {std::move(name), std::move(table.first.values[0])};
}

/// Monthly passengers of international airlines in thousands, January 1949 to December 1960: 144 numbers with a trend and
/// a season (Box and Jenkins 1976, series G). From `directory` if given, else the copy that comes with the library.
inline Series airline_passengers(const std::string& directory = "") {
    const std::string path = require_file(search_directories("airline-passengers", directory, false), "airline-passengers.csv");
    return parse_series(read_text(path), path, "airline-passengers");
}

/// Monthly sunspot numbers of Zurich, January 1749 to December 1983: 2820 numbers (Andrews and Herzberg 1985). From
/// `directory` if given, else the copy that comes with the library.
inline Series sunspots(const std::string& directory = "") {
    const std::string path = require_file(search_directories("monthly-sunspots", directory, false), "monthly-sunspots.csv");
    return parse_series(read_text(path), path, "monthly-sunspots");
}

/// What forecasting learns from: record r holds `length` numbers from position r on, (records, length, 1), and as its
/// targets the `horizon` numbers after them, (records, horizon). Records overlap: split the series into training and
/// validation before, or leave a gap.
inline Dataset windows(const Series& series, std::size_t length, std::size_t horizon = 1) {
    const std::size_t size = series.values.size();
    if (length == 0 || horizon == 0 || length > size || horizon > size - length)
        throw ArgumentError(sentence("windows of series '", series.name, "'"),
                            sentence("a length and a horizon above 0 that sum to at most its ", size, " numbers"),
                            sentence(length, " and ", horizon));
    const std::size_t count = size - length - horizon + 1;
    Numbers inputs{{count, length, 1}, {}}, targets{{count, horizon}, {}};
    for (std::size_t r = 0; r < count; ++r) {
        const auto first = series.values.begin() + static_cast<std::ptrdiff_t>(r);
        const auto middle = first + static_cast<std::ptrdiff_t>(length);
        inputs.values.insert(inputs.values.end(), first, middle);
        targets.values.insert(targets.values.end(), middle, middle + static_cast<std::ptrdiff_t>(horizon));
    }
    return {std::move(inputs), std::move(targets), series.name};
}

/// Numbers first … first + count - 1.
inline Series part(const Series& series, std::size_t first, std::size_t count) {
    if (count == 0 || first > series.values.size() || count > series.values.size() - first)
        throw ArgumentError(sentence("part of series '", series.name, "'"),
                            sentence("one or more of its ", series.values.size(), " numbers"), sentence(count, " from ", first));
    const auto begin = series.values.begin() + static_cast<std::ptrdiff_t>(first);
    return {series.name, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

}  // namespace sigma::data
