// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/reader/arrays.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/series.hpp>

#include <limits>
#include <utility>

namespace sigma::data {

SIGMA_IMPL Series read_series(const Source& table, std::string name) {
    const auto numbers = csv(table, {.header = true}) >> sections(inputs = column(-1));
    double number = 0;
    const std::string head = numbers.reader->sections().at(0).columns.at(0);
    if (!head.empty() && sigma::detail::read_front(head, number).length == head.size())
        throw DataError(numbers.reader->name(), "line 1", "names of columns, the last of which is no number", head);
    Block all;
    numbers.reader->read(std::numeric_limits<std::size_t>::max(), all);
    return {std::move(name), std::move(all.values[0].floats())};
}

SIGMA_IMPL Series airline_passengers(const std::string& directory) {
    return read_series(file(require_file("airline-passengers", "airline-passengers.csv", directory)),
                       "airline-passengers");
}

SIGMA_IMPL Series sunspots(const std::string& directory) {
    return read_series(file(require_file("monthly-sunspots", "monthly-sunspots.csv", directory)), "monthly-sunspots");
}

namespace detail {

SIGMA_IMPL Pipeline<Schema<SectionField<"inputs", Role::input, Extents<>>>> InTime<Series>::of(const Series& series) {
    return ArrayOf<Extents<>>{array_reader(series.values, {}, series.name)}.named<"inputs", Role::input>();
}

}  // namespace detail

SIGMA_IMPL Dataset windows(const Series& series, std::size_t length, std::size_t horizon) {
    const std::size_t size = series.values.size();
    if (length == 0 || horizon == 0 || length > size || horizon > size - length)
        throw ArgumentError(sentence("windows of series '", series.name, "'"),
                            sentence("a length and a horizon above 0 that sum to at most its ", size, " numbers"),
                            sentence(length, " and ", horizon));
    Block all;
    const std::size_t count = windows(series, length, {.horizon = horizon}).reader->read(size, all);
    return {{{count, length, 1}, std::move(all.values[0].floats())},
            {{count, horizon}, std::move(all.values[1].floats())},
            series.name};
}

SIGMA_IMPL Series part(const Series& series, std::size_t first, std::size_t count) {
    if (count == 0 || first > series.values.size() || count > series.values.size() - first)
        throw ArgumentError(sentence("part of series '", series.name, "'"),
                            sentence("one or more of its ", series.values.size(), " numbers"),
                            sentence(count, " from ", first));
    const auto begin = series.values.begin() + static_cast<std::ptrdiff_t>(first);
    return {series.name, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

}  // namespace sigma::data
