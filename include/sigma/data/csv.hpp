// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/file.hpp>
#include <sigma/data/reader/csv.hpp>

#include <cstddef>
#include <cstring>
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
    std::string key() const override {
        return sentence(name_, " ", text_.size(), " ", std::hash<std::string_view>()(text_));
    }

private:
    struct Stream final : ByteStream {
        std::string_view rest;

        explicit Stream(std::string_view text) : rest(text) {}
        std::size_t read(std::span<std::byte> to) override {
            const std::size_t count = std::min(to.size(), rest.size());
            if (count > 0) std::memcpy(to.data(), rest.data(), count);
            rest.remove_prefix(count);
            return count;
        }
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
inline Dataset parse_csv(std::string_view text, const std::string& file, const CsvOptions& options = {}) {
    detail::ColumnPart features{.others = true};
    features.spans.emplace_back(options.target_column, options.target_column);
    for (const int column : options.ignored_columns) features.spans.emplace_back(column, column);
    const auto read = [&](const auto& target_columns) {
        return detail::read_table_text(
            text, file, {.separator = options.separator, .header = options.header},
            sections(inputs = Columns<UnknownExtents>{{features}}, targets = target_columns));
    };
    const auto dataset = [&](auto table, std::vector<std::size_t> shape) {
        auto& [block, pipeline] = table;
        shape.insert(shape.begin(), block.records);
        return Dataset(Numbers{{block.records, block.values[0].size() / block.records}, std::move(block.values[0])},
                       Numbers{std::move(shape), std::move(block.values[1])},
                       options.name.empty() ? file : options.name, pipeline.reader->classes());
    };
    return options.labels ? dataset(read(labels(options.target_column, options.classes)), {})
                          : dataset(read(column(options.target_column)), {1});
}

inline Dataset read_csv(const std::string& path, const CsvOptions& options = {}) {
    return parse_csv(read_text(path), path, options);
}

}  // namespace sigma::data
