// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/csv_reader.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL Table::Table(Source source, CsvFormat format)
    : table_(std::make_shared<detail::CsvTable>(std::move(source), std::move(format))) {}

SIGMA_IMPL std::vector<std::string> Table::names() const {
    std::vector<std::string> all;
    table_->open(all);
    return all;
}

SIGMA_IMPL std::size_t Table::skipped() const { return table_->skipped; }

SIGMA_IMPL detail::TableSections detail::table_sections(std::initializer_list<ChosenColumns> chosen) {
    std::vector<TableSection> all;
    for (const auto& [name, target, single, parts] : chosen) all.push_back({std::string(name), target, single, parts});
    return TableSections::make(std::move(all));
}

SIGMA_IMPL std::shared_ptr<RecordReader> detail::table_reader(const Table& table,
                                                              const std::vector<TableSection>& chosen) {
    return std::make_shared<CsvReader>(table.shared(), chosen);
}

SIGMA_IMPL Table csv(Source source, CsvFormat format) { return {std::move(source), std::move(format)}; }

}  // namespace sigma::data
