// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/csv.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/file.hpp>
#include <sigma/data/reader/windows.hpp>

#include <cstddef>
#include <memory>
#include <optional>
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
Series parse_series(std::string_view text, const std::string& file, std::string name);

/// Monthly passengers of international airlines in thousands, January 1949 to December 1960: 144 numbers with a trend and
/// a season (Box and Jenkins 1976, series G). From `directory` if given, else from SIGMA_DATA or what comes with the library.
Series airline_passengers(const std::string& directory = "");

/// Monthly sunspot numbers of Zurich, January 1749 to December 1983: 2820 numbers (Andrews and Herzberg 1985). From
/// `directory` if given, else from SIGMA_DATA or what comes with the library.
Series sunspots(const std::string& directory = "");

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

namespace detail {
template <>
struct InTime<Series> {
    static auto of(const Series& series) {
        return ArrayOf<Extents<>>{std::make_shared<SeriesReader>(series)}.named<"inputs", Role::input>();
    }
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
