// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_scanner.hpp>
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/reader/table_rows.hpp>
#include <sigma/data/text/pieces.hpp>
#include <sigma/storage/json.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace sigma::data::detail {

/// The records of a table of JSON lines. Nested values do not recurse, so that they need no stack.
class JsonRows final : public TableRows {
public:
    static constexpr std::size_t deepest = 64;

    /// Opens the table and reads its first line. `names` are the columns. If it is empty, they are those of this line.
    JsonRows(const Source& source, const CsvFormat& format, std::vector<std::string>& names)
        : buffer_(source.open(), source.name(), std::size_t{1} << 17), file_(source.name()),
          longest_(format.longest_record), most_(format.most_columns), fixed_(!names.empty()) {
        for (const std::string& name : names) add_column(name);
        at_first_ = read();
        if (buffer_.separator() != '\0')
            throw DataError(file_, "line 1", "an object or an array", "the line 'sep=' of a spreadsheet");
        learning_ = false;
        names = names_;
    }

    bool next() override { return std::exchange(at_first_, false) || read(); }
    std::span<const TableCell> cells() const override { return cells_; }

private:
    DataError error(std::size_t column, std::string expected, std::string found) const override {
        return {file_, sentence("line ", line_, place_of_column(names_, column)), std::move(expected),
                std::move(found)};
    }

    /// A list or an object that is being read.
    struct Level {
        bool object;
        std::size_t prefix;  // length of its own name in path_
        std::size_t index;   // of the present value of a list
    };

    std::size_t add_column(std::string_view name) {
        names_.emplace_back(name);
        cells_.emplace_back();
        texts_.emplace_back();
        seen_.push_back(0);
        numbers_.emplace(name, names_.size() - 1);
        return names_.size() - 1;
    }

    /// Reads the next line that is not blank.
    bool read() {
        for (std::string_view text; next_line(text);) {
            if (text.find_first_not_of(" \t\r") == text.npos) continue;
            ++record_;
            expected_ = 0;
            std::ranges::fill(cells_, TableCell{});
            auto tokens = storage::JsonTokens::of_line(text, file_, line_);
            read_record(tokens);
            return true;
        }
        return false;
    }

    bool next_line(std::string_view& text) {
        while (true) {
            const std::size_t kept = buffer_.size() - next_;
            if (const void* const end = kept == 0 ? nullptr : std::memchr(buffer_.data() + next_, '\n', kept)) {
                const char* const from = buffer_.data() + next_;
                text = {from, static_cast<std::size_t>(static_cast<const char*>(end) - from)};
                next_ += text.size() + 1;
                ++line_;
                if (text.size() > longest_) refuse_length();
                return true;
            }
            if (kept > longest_) {
                ++line_;
                refuse_length();
            }
            const bool more = buffer_.advance(next_);
            next_ = more ? 0 : buffer_.size();
            if (!more) return false;
        }
    }
    [[noreturn]] void refuse_length() const { fail(0, sentence("a record of at most ", longest_, " bytes"), "more"); }

    void read_record(storage::JsonTokens& tokens) {
        path_.clear();
        levels_.clear();
        do read_value(tokens);
        while (leave_values(tokens));
        tokens.skip_blanks();
        if (!tokens.at_end()) tokens.refuse("the end of the line after a record");
    }

    /// Reads a value up to its first scalar, or to the end of an empty list or object.
    void read_value(storage::JsonTokens& tokens) {
        while (true) {
            const bool object = tokens.take_if('{');
            if (!object && !tokens.take_if('[')) {
                if (levels_.empty()) tokens.refuse("an object or an array");
                return read_scalar(tokens);
            }
            if (levels_.size() == deepest)
                tokens.refuse(tokens.position() - 1, sentence("at most ", deepest, " lists and objects in each other"),
                              "more");
            levels_.push_back({object, path_.size(), 0});
            if (tokens.take_if(object ? '}' : ']')) {
                levels_.pop_back();
                return;
            }
            name_value(tokens);
        }
    }

    /// Sets path_ to the name of the value that follows.
    void name_value(storage::JsonTokens& tokens) {
        Level& level = levels_.back();
        path_.resize(level.prefix);
        if (!path_.empty()) path_ += '.';
        if (level.object) {
            path_ += tokens.string("a name in quotes");
            tokens.take(':');
        } else {
            path_ += sentence(level.index++);
        }
    }

    /// Leaves lists and objects that end here. Returns whether another value follows.
    bool leave_values(storage::JsonTokens& tokens) {
        while (!levels_.empty()) {
            if (tokens.take_if(',')) {
                name_value(tokens);
                return true;
            }
            const Level& level = levels_.back();
            if (!tokens.take_if(level.object ? '}' : ']'))
                tokens.refuse(level.object ? "',' or '}' after a value" : "',' or ']' after a value");
            levels_.pop_back();
        }
        return false;
    }

    void read_scalar(storage::JsonTokens& tokens) {
        tokens.skip_blanks();
        const char first = tokens.at_end() ? '\0' : tokens.rest()[0];
        TableCell cell;
        std::string text;
        if (first == '"') {
            text = tokens.string("a text");
            cell.kind = TableCell::Kind::text;
        } else if (tokens.take_word("null")) {
            cell.kind = TableCell::Kind::missing;
        } else if (const bool yes = tokens.take_word("true"); yes || tokens.take_word("false")) {
            cell = {TableCell::Kind::truth, yes ? 1.0 : 0.0, {}};
        } else if (tokens.take_word("NaN")) {
            cell = TableCell::of(std::numeric_limits<double>::quiet_NaN());
        } else if (const bool minus = tokens.take_word("-Infinity"); minus || tokens.take_word("Infinity")) {
            cell = TableCell::of(std::numeric_limits<double>::infinity() * (minus ? -1 : 1));
        } else {
            if (first != '-' && (first < '0' || first > '9')) tokens.refuse("a value");
            cell = {TableCell::Kind::number, 0, tokens.number_text()};
        }
        const std::size_t column = column_of_path(cell);
        if (column == names_.size()) return;
        if (std::exchange(seen_[column], record_) == record_) fail(0, "each name once", twice());
        if (cell.kind == TableCell::Kind::text) {
            texts_[column] = std::move(text);
            cell.text = texts_[column];
        }
        cells_[column] = cell;
    }
    std::string twice() const { return sentence(storage::quotation(path_), " twice"); }

    /// Returns the column with the name path_, or the number of columns if the value is ignored.
    std::size_t column_of_path(const TableCell& cell) {
        // Most records have the order of the first.
        if (expected_ < names_.size() && names_[expected_] == path_) return expected_++;
        const auto found = numbers_.find(std::string_view(path_));
        if (found != numbers_.end()) {
            expected_ = found->second + 1;
            return found->second;
        }
        if (fixed_) return names_.size();
        if (learning_) {
            if (names_.size() == most_) fail(0, sentence("at most ", most_, " columns"), "more");
            const std::size_t column = add_column(path_);
            expected_ = column + 1;
            return column;
        }
        // null in the place of an object or a list: all columns of it are missing.
        if (cell.kind == TableCell::Kind::missing && std::ranges::any_of(names_, [&](const std::string& name) {
                return name.size() > path_.size() && name.starts_with(path_) && name[path_.size()] == '.';
            }))
            return names_.size();
        fail(0, "the names of the first line", sentence(storage::quotation(path_), " (see .columns)"));
    }

    CsvBuffer buffer_;
    std::string file_;
    std::size_t longest_, most_;
    bool fixed_, learning_ = true, at_first_ = false;
    std::size_t next_ = 0, line_ = 0;  // position of the next line, number of this line
    std::size_t record_ = 0, expected_ = 0;
    std::vector<std::string> names_;
    std::deque<std::string> texts_;  // whose addresses stay when a column is added
    std::vector<TableCell> cells_;
    std::vector<std::size_t> seen_;  // the last record that had this column
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> numbers_;
    std::vector<Level> levels_;
    std::string path_;
};

class JsonTable final : public TableFile {
public:
    JsonTable(Source source, JsonOptions options)
        : TableFile(format_of({.missing = std::move(options.missing),
                               .non_finite = options.non_finite,
                               .doubles = options.doubles,
                               .longest_record = options.longest_record,
                               .most_columns = options.most_columns}),
                    true),
          source_(std::move(source)), columns_(std::move(options.columns)) {
        for (auto name = columns_.begin(); name != columns_.end(); ++name)
            if (std::find(columns_.begin(), name, *name) != name)
                throw ArgumentError("JsonOptions::columns", "each name once", sentence("'", *name, "' twice"));
    }

    std::string kind() const override { return "json lines"; }
    std::string name() const override { return source_.name(); }
    std::string key() const override {
        std::string all = source_.key();
        for (const std::string& column : columns_) all += sentence(" ", column.size(), ":", column);
        return all;
    }
    std::unique_ptr<TableRows> open(std::vector<std::string>& names) const override {
        names = columns_;
        return std::make_unique<JsonRows>(source_, format, names);
    }
    std::string names_place() const override { return columns_.empty() ? "names of the first line" : ""; }

private:
    Source source_;
    std::vector<std::string> columns_;
};

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Table json_lines(Source source, JsonOptions options) {
    return Table(std::make_shared<detail::JsonTable>(std::move(source), std::move(options)));
}

}  // namespace sigma::data
