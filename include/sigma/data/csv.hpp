// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/file.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// How to read a table. Columns count from 0; negative ones from the end, -1 is the last.
struct CsvOptions {
    int target_column = -1;
    bool labels = true;                  // the targets are class names, else numbers
    std::vector<std::string> classes{};  // names of class 0, 1, ...; if empty, names are numbered as they first come
    std::vector<int> ignored_columns{};  // names of records, for instance
    char separator = ',';
    bool header = false;  // the first line holds column names
    std::string name{};   // of the dataset; the path if empty
};

namespace detail {

inline std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Reads the table line by line. An error names the line and the column, both from 1 as editors count them.
class CsvReader {
public:
    CsvReader(std::string_view text, const std::string& file, const CsvOptions& options)
        : text_(text), file_(file), options_(options), classes_(options.classes) {}

    Dataset read() {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);  // the mark some editors put before UTF-8
        bool header = options_.header;
        while (next_line()) {
            if (trimmed(line_).empty()) continue;
            cut_fields();
            if (!std::exchange(header, false)) add_record();
        }
        if (targets_.empty()) throw DataError(file_, "", "at least one record", "none");

        const std::size_t count = targets_.size(), features = inputs_.size() / count;
        Numbers targets{{count}, std::move(targets_)};
        if (!options_.labels) targets.shape.push_back(1);
        return {Numbers{{count, features}, std::move(inputs_)}, std::move(targets),
                options_.name.empty() ? file_ : options_.name, classes_};
    }

private:
    [[noreturn]] void fail(std::size_t column, const std::string& expected, const std::string& found) const {
        std::string place = sentence("line ", line_number_);
        if (column != 0) place += sentence(", column ", column);
        throw DataError(file_, place, expected, found);
    }

    bool next_line() {
        if (text_.empty()) return false;
        const std::size_t end = std::min(text_.find('\n'), text_.size());
        line_ = text_.substr(0, end);
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        text_.remove_prefix(std::min(end + 1, text_.size()));
        ++line_number_;
        return true;
    }

    // Fields may stand in quotes, with "" for a quote inside (RFC 4180, but for line breaks inside quotes).
    void cut_fields() {
        fields_.clear();
        for (std::string_view rest = line_;;) {
            const std::string_view start = trimmed(rest);
            if (start.starts_with('"')) {
                std::string field;
                std::size_t at = 1;
                for (;; ++at) {
                    if (at >= start.size()) fail(fields_.size() + 1, "a closing quote", "the end of the line");
                    if (start[at] == '"' && (at + 1 >= start.size() || start[at + 1] != '"')) break;
                    at += start[at] == '"';
                    field += start[at];
                }
                rest = start.substr(at + 1);
                fields_.push_back(std::move(field));
                const std::string_view after = rest.substr(0, rest.find(options_.separator));
                if (!trimmed(after).empty())
                    fail(fields_.size(), "a separator after the closing quote", sentence("'", after, "'"));
            } else {
                fields_.emplace_back(trimmed(rest.substr(0, rest.find(options_.separator))));
            }
            const std::size_t separator = rest.find(options_.separator);
            if (separator == std::string_view::npos) break;
            rest.remove_prefix(separator + 1);
        }
        if (columns_ == 0) first_line();
        if (fields_.size() != columns_)
            fail(0, sentence(columns_, " columns as in the first line"), sentence(fields_.size()));
    }

    void first_line() {
        columns_ = fields_.size();
        kinds_.assign(columns_, Kind::input);
        for (const int column : options_.ignored_columns) kinds_[position(column)] = Kind::ignored;
        kinds_[position(options_.target_column)] = Kind::target;
        if (std::find(kinds_.begin(), kinds_.end(), Kind::input) == kinds_.end())
            fail(0, "at least one column of numbers beside the target", sentence(columns_, " columns in all"));
    }

    std::size_t position(int column) const {
        const auto count = static_cast<long long>(columns_);
        if (column < -count || column >= count) fail(0, sentence("a column ", column), sentence(columns_, " columns"));
        return static_cast<std::size_t>(column < 0 ? column + count : column);
    }

    void add_record() {
        for (std::size_t column = 0; column < columns_; ++column) {
            if (kinds_[column] == Kind::input)
                inputs_.push_back(number(column));
            else if (kinds_[column] == Kind::target)
                targets_.push_back(options_.labels ? label(column) : number(column));
        }
    }

    float number(std::size_t column) const {
        const std::string& field = fields_[column];
        float value = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
            fail(column + 1, "a finite number", sentence("'", field, "'"));
        return value;
    }

    float label(std::size_t column) {
        const std::string& field = fields_[column];
        if (field.empty()) fail(column + 1, "the name of a class", "nothing");
        const auto known = std::find(classes_.begin(), classes_.end(), field);
        const auto index = static_cast<float>(known - classes_.begin());
        if (known == classes_.end()) {
            if (!options_.classes.empty()) fail(column + 1, "one of the classes given", sentence("'", field, "'"));
            classes_.push_back(field);
        }
        return index;
    }

    enum class Kind { input, target, ignored };

    std::string_view text_, line_;
    const std::string& file_;
    const CsvOptions& options_;
    std::vector<std::string> classes_;
    std::vector<std::string> fields_;
    std::vector<Kind> kinds_;
    std::size_t columns_ = 0, line_number_ = 0;
    std::vector<float> inputs_, targets_;
};

}  // namespace detail

/// A dataset from a table of numbers with one target column. Blank lines are skipped.
inline Dataset parse_csv(std::string_view text, const std::string& file, const CsvOptions& options = {}) {
    return detail::CsvReader(text, file, options).read();
}

inline Dataset read_csv(const std::string& path, const CsvOptions& options = {}) {
    return parse_csv(read_text(path), path, options);
}

}  // namespace sigma::data
