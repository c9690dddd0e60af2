// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/file.hpp>
#include <sigma/data/series.hpp>
#include <sigma/data/table_text.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace sigma::data {

/// The numbers of a series, one a record.
class SeriesReader final : public RecordReader {
public:
    explicit SeriesReader(Series series) : series_(std::move(series)) {}

    std::string name() const override { return series_.name; }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    std::optional<std::size_t> size() override { return series_.values.size(); }
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override { at_ = 0; }
    std::string key() const override;

private:
    Series series_;
    std::vector<SectionInfo> sections_{{"values", {}, false}};
    std::size_t at_ = 0;
};

SIGMA_IMPL Series parse_series(std::string_view text, const std::string& file, std::string name) {
    auto table = detail::read_table_text(text, file, {.header = true}, sections(inputs = column(-1)));
    return {std::move(name), std::move(table.first.values[0])};
}

SIGMA_IMPL Series airline_passengers(const std::string& directory) {
    const std::string path = require_file("airline-passengers", "airline-passengers.csv", directory);
    return parse_series(read_text(path), path, "airline-passengers");
}

SIGMA_IMPL Series sunspots(const std::string& directory) {
    const std::string path = require_file("monthly-sunspots", "monthly-sunspots.csv", directory);
    return parse_series(read_text(path), path, "monthly-sunspots");
}

SIGMA_IMPL std::size_t SeriesReader::read(std::size_t most, Block& to) {
    to.records = std::min(most, series_.values.size() - at_);
    to.values.resize(1);
    const auto first = series_.values.begin() + static_cast<std::ptrdiff_t>(at_);
    to.values[0].assign(first, first + static_cast<std::ptrdiff_t>(to.records));
    at_ += to.records;
    return to.records;
}

SIGMA_IMPL std::string SeriesReader::key() const {
    const std::uint64_t digest = storage::fnv1a(std::as_bytes(std::span(series_.values)));
    return sentence("series(", series_.name, ";", series_.values.size(), ";", digest, ")");
}

namespace detail {

SIGMA_IMPL Pipeline<Schema<SectionField<"inputs", Role::input, Extents<>>>> InTime<Series>::of(const Series& series) {
    return ArrayOf<Extents<>>{std::make_shared<SeriesReader>(series)}.named<"inputs", Role::input>();
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
    return {{{count, length, 1}, std::move(all.values[0])}, {{count, horizon}, std::move(all.values[1])}, series.name};
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
