// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// How to read a table. Columns count from 0; negative ones from the end, -1 is the last.
struct CsvOptions {
    int target_column = -1;
    bool labels = true;                  // the targets are class names, else numbers
    std::vector<std::string> classes{};  // names of class 0, 1, ...; if empty, names are sorted, as labels says
    std::vector<int> ignored_columns{};  // names of records, for instance
    char separator = ',';
    bool header = false;  // the first line holds column names
    std::string name{};   // of the dataset; the path if empty
};

/// A dataset from a table of numbers with one target column; the other columns that are not ignored are its inputs.
/// Fields may be quoted (RFC 4180); blank lines are skipped.
Dataset parse_csv(std::string_view text, const std::string& file, const CsvOptions& options = {});

Dataset read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/csv.ipp>
#endif
