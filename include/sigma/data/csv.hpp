// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/file.hpp>
#include <sigma/data/reader/csv.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

namespace detail {

/// A text that stays where it is.
class TextSource final : public ByteSource {
public:
    TextSource(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    std::string name() const override { return name_; }
    bool exists() const override { return true; }
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<Stream>(text_); }
    std::string key() const override;

private:
    struct Stream final : ByteStream {
        std::string_view rest;

        explicit Stream(std::string_view text) : rest(text) {}
        std::size_t read(std::span<std::byte> to) override;
    };
    std::string_view text_;
    std::string name_;
};

/// All records of a table that is in memory.
template <class S>
std::pair<Block, Pipeline<S>> read_table_text(std::string_view text, const std::string& file, CsvFormat format,
                                              const Sections<S>& chosen) {
    auto pipeline = csv(Source(std::make_shared<TextSource>(text, file)), std::move(format)) >> chosen;
    Block block;
    pipeline.reader->read(std::numeric_limits<std::size_t>::max(), block);
    return {std::move(block), std::move(pipeline)};
}

}  // namespace detail

/// A dataset from a table of numbers with one target column; the other columns that are not ignored are its inputs.
/// Fields may be quoted (RFC 4180); blank lines are skipped.
Dataset parse_csv(std::string_view text, const std::string& file, const CsvOptions& options = {});

Dataset read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/csv.ipp>
#endif
