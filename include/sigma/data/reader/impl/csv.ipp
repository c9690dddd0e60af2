// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/csv_scanner.hpp>
#include <sigma/data/reader/table_rows.hpp>
#include <sigma/data/text/pieces.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>

namespace sigma::data::detail {

/// Parses a class: a whole number from 0 that a float can hold, below `count` unless it is 0.
inline std::optional<double> class_of(std::string_view text, int count) {
    float value = 0;
    if (!parse_any_number(text, false, value) || !(value >= 0) ||
        value >= static_cast<float>(count > 0 ? count : 1 << 24) || value != std::floor(value))
        return std::nullopt;
    return static_cast<double>(value + 0.0f);  // converts -0, too
}

/// The records of a table of comma-separated values.
class CsvRows final : public TableRows {
public:
    CsvRows(const Source& source, const CsvFormat& format) : scanner_(source.open(), source.name(), format) {}

    bool next() override { return scanner_.next(); }
    std::span<const std::string_view> fields() const override { return scanner_.fields(); }
    std::size_t skipped() const override { return scanner_.skipped(); }

private:
    DataError error(std::size_t column, std::string expected, std::string found) const override {
        scanner_.fail(column, std::move(expected), std::move(found));
    }

    CsvScanner scanner_;
};

/// A table of comma-separated values.
class CsvTable final : public TableFile {
public:
    CsvTable(Source source, CsvFormat format_) : TableFile(std::move(format_), false), source_(std::move(source)) {
        examine(format);
    }

    std::string kind() const override { return "csv"; }
    std::string name() const override { return source_.name(); }
    std::string key() const override { return source_.key(); }
    std::unique_ptr<TableRows> open(std::vector<std::string>& names) const override {
        auto rows = std::make_unique<CsvRows>(source_, format);
        names.clear();
        if (!format.header) return rows;
        if (!rows->next()) throw DataError(name(), "", "a line with the names of columns", "the end of the file");
        for (std::size_t c = 0; const std::string_view field : rows->fields()) {
            ++c;
            if (storage::utf8_fault(field) != std::string_view::npos)
                rows->fail(c, "a name in UTF-8", storage::quotation(field));
            names.emplace_back(field);
        }
        return rows;
    }

private:
    Source source_;
};

/// The numbers of the texts of a column.
class CsvValues {
public:
    static constexpr std::size_t most = std::size_t{1} << 20;

    explicit CsvValues(const ColumnPart& part)
        : part_(part), open_(part.kind == ColumnPart::Kind::labels && part.values.empty()) {
        for (const auto& [name, value] : part.values) {
            names_.push_back(name);
            values_.emplace(name, value);
        }
        for (int i = 0; i < part.classes; ++i) names_.push_back(sentence(i));
    }

    /// Describes the accepted texts: "'a', 'b' or 'c'" (the first ones of many), "a class from 0 to 9", "a date as
    /// %Y-%m-%d".
    std::string choices() const {
        if (part_.kind == ColumnPart::Kind::dates) return sentence("a date as ", part_.dates.format);
        if (part_.kind == ColumnPart::Kind::classes)
            return part_.classes > 0 ? sentence("a class from 0 to ", part_.classes - 1)
                                     : "a class, a whole number from 0";
        const auto quoted = [this](std::size_t i) { return storage::quotation(names_[i]); };
        const std::size_t count = names_.size();
        if (count == 0) return "a text with a number";
        std::string all;
        for (std::size_t i = 0; i < count && i < 5; ++i)
            all += sentence(i == 0 ? "" : count <= 5 && i + 1 == count ? " or " : ", ", quoted(i));
        return count <= 5 ? all
                          : sentence("one of ", count,
                                     part_.kind == ColumnPart::Kind::labels ? " classes: " : " texts: ", all, ", …");
    }
    /// Returns whether the texts are all that the table has.
    bool open() const { return open_; }
    /// Returns whether the values are texts, not numbers or dates.
    bool named() const { return part_.kind == ColumnPart::Kind::labels || part_.kind == ColumnPart::Kind::mapped; }
    const std::vector<std::string>& names() const { return names_; }
    std::optional<double> find(std::string_view text) const {
        if (part_.kind == ColumnPart::Kind::classes) return class_of(text, part_.classes);
        if (part_.kind == ColumnPart::Kind::dates) return number_of_date(text, part_.dates);
        const auto at = values_.find(text);
        return at == values_.end() ? std::nullopt : std::optional(at->second);
    }
    double add(std::string_view text) {
        names_.emplace_back(text);
        return values_.emplace(text, static_cast<double>(names_.size() - 1)).first->second;
    }
    void clear() {
        names_.clear();
        values_.clear();
    }
    /// Numbers the texts in sorted order.
    void sort() {
        sigma::detail::sort_class_names(names_);
        for (std::size_t i = 0; i < names_.size(); ++i) values_.find(names_[i])->second = static_cast<double>(i);
    }

private:
    ColumnPart part_;
    bool open_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, double, TextHash, std::equal_to<>> values_;
};

/// Reads a field of such a table as a number. Returns false if it is none.
template <class T>
bool parse_number(std::string_view field, const CsvFormat& format, T& to) {
    if (is_usual(format)) return parse_number(field, format.non_finite, to);
    std::string usual;
    return respelled(field, format.decimal, format.thousands, usual) &&
           parse_number(std::string_view(usual).substr(0, usual.size() - number_padding), format.non_finite, to);
}

/// Describes the number that a field should have been, which is no T.
template <class T>
std::string wanted_number(std::string_view field, const CsvFormat& format) {
    if (double value = 0; std::same_as<T, float> && parse_number(field, format, value))
        return "a number of at most 3.4e38, the largest float, or {.doubles = true}";
    std::string usual;
    if (respelled(field, format.decimal, format.thousands, usual) && exceeds_double(usual.c_str()))
        return "a number of at most 1.8e308, the largest double";
    return format.non_finite ? "a number" : "a finite number";
}

/// Reads records of a table with the chosen sections.
class TableReader final : public RecordReader {
public:
    TableReader(std::shared_ptr<TableFile> table, std::vector<TableSection> chosen)
        : table_(std::move(table)), chosen_(std::move(chosen)) {
        for (const TableSection& section : chosen_)
            for (const ColumnPart& part : section.parts.list()) values_.emplace_back(part);
        const auto is_number = [](const std::string& text) {
            float value = 0;
            return parse_any_number(text, true, value);
        };
        missing_first_ = std::ranges::any_of(table_->format.missing, is_number);
    }

    std::string name() const override { return table_->name(); }
    std::vector<Origin> origins() const override { return {{table_->kind(), name()}}; }
    const std::vector<SectionInfo>& sections() override {
        if (infos_.empty()) begin();
        return infos_;
    }
    std::size_t read(std::size_t most, Block& to) override {
        collect_names();
        if (rows_ == nullptr) begin();
        to.records = 0;
        to.values.resize(infos_.size());
        for (; to.records < most && (at_first_ || rows_->next()); ++to.records) {
            in_first_ = std::exchange(at_first_, false);
            add_record(to);
        }
        for (std::size_t s = 0; s < infos_.size(); ++s) to.values[s].resize(to.records * infos_[s].size());
        table_->skipped = rows_->skipped();
        return to.records;
    }
    void rewind() override { rows_.reset(); }
    std::string key() const override {
        std::string all = sentence(table_->kind(), " ", table_->key(), " ", text(table_->format));
        for (const TableSection& section : chosen_) {
            all += sentence("; ", section.name, section.target ? " target" : " input", section.single ? " single" : "");
            for (const ColumnPart& part : section.parts.list()) all += sentence(" + ", part.text());
        }
        return all;
    }
    /// Returns the names of the first target with labels or classes.
    std::vector<std::string> classes() const override {
        for (std::size_t v = 0; const TableSection& section : chosen_)
            for (const ColumnPart& part : section.parts.list()) {
                const CsvValues& values = values_[v++];
                if (section.target && (part.kind == ColumnPart::Kind::labels || part.classes > 0))
                    return values.names();
            }
        return {};
    }

private:
    struct Step {
        std::size_t column;
        CsvValues* values;  // null for numbers
    };

    /// Opens the table and looks up the columns in its first record.
    void begin() {
        auto rows = table_->open(names_);
        if (!rows->next()) throw DataError(name(), "", "at least one record", "none");
        rows_ = std::move(rows);
        at_first_ = true;
        infos_.clear();
        steps_.clear();
        for (std::size_t v = 0; const TableSection& section : chosen_) {
            std::vector<Step> steps;
            bool of_classes = true;
            for (const ColumnPart& part : section.parts.list()) {
                of_classes =
                    of_classes && (part.kind == ColumnPart::Kind::labels || part.kind == ColumnPart::Kind::classes);
                CsvValues* const values = part.kind == ColumnPart::Kind::numbers ? nullptr : &values_[v];
                for (const std::size_t c : resolved(part)) steps.push_back({c, values});
                ++v;
            }
            if (steps.empty())
                rows_->fail(0, sentence("at least one column for '", section.name, "'"),
                            sentence(columns(), " columns in all"));
            std::vector<std::string> columns;
            if (table_->format.header)
                for (const Step& step : steps)
                    columns.push_back(step.column < names_.size() ? names_[step.column] : "");
            infos_.push_back({section.name, section.single ? std::vector<std::size_t>{} : std::vector{steps.size()},
                              section.target, std::move(columns), table_->format.doubles && !of_classes});
            steps_.push_back(std::move(steps));
        }
    }

    /// Collects texts that are numbered in sorted order. All of them must be known before the first number is returned.
    /// This takes a pass over a table with such texts, and another one if the table has changed since.
    void collect_names() {
        if ((rows_ != nullptr && !at_first_) || std::ranges::none_of(values_, &CsvValues::open)) return;
        std::string now = table_->key();
        if (now == collected_) return;
        collected_.reset();
        for (CsvValues& values : values_)
            if (values.open()) values.clear();
        begin();
        std::vector<Step> open;
        for (const std::vector<Step>& steps : steps_)
            for (const Step& step : steps)
                if (step.values != nullptr && step.values->open()) open.push_back(step);
        do {
            for (const Step& step : open) collect(step);
        } while (rows_->next());
        for (CsvValues& values : values_)
            if (values.open()) values.sort();
        rows_.reset();
        collected_ = std::move(now);
    }
    void collect(const Step& step) {
        std::string_view field;
        if (table_->typed) {
            const TableCell& cell = rows_->cells()[step.column];
            if (is_missing(cell)) return;
            if (cell.kind == TableCell::Kind::other) refuse_other(cell, step, "the name of a class");
            field = text_of(cell, true, digits_);
        } else {
            field = rows_->fields()[step.column];
        }
        if (step.values->find(field) ||
            std::ranges::find(table_->format.missing, field) != table_->format.missing.end())
            return;
        const auto fail = [&](const std::string& expected) { refuse_text(field, step, expected); };
        if (field.empty()) fail("the name of a class");
        if (storage::utf8_fault(field) != std::string_view::npos || field.find('\0') != std::string_view::npos)
            fail("the name of a class in UTF-8");
        if (step.values->names().size() == CsvValues::most)
            rows_->fail(step.column + 1, sentence("at most ", CsvValues::most, " different names of classes"), "more");
        step.values->add(field);
    }
    [[noreturn]] void refuse_text(std::string_view field, const Step& step, const std::string& expected) const {
        rows_->fail(step.column + 1, expected, field.empty() ? "nothing" : storage::quotation(field));
    }

    [[noreturn]] void refuse_other(const TableCell& cell, const Step& step, const std::string& expected) const {
        rows_->fail(step.column + 1, expected, std::string(cell.text));
    }
    static bool is_missing(const TableCell& cell) {
        return cell.kind == TableCell::Kind::missing ||
               (cell.kind == TableCell::Kind::number && cell.text.empty() && std::isnan(cell.number));
    }
    /// Returns the number of columns of the present record.
    std::size_t columns() const { return table_->typed ? rows_->cells().size() : rows_->fields().size(); }

    std::vector<std::size_t> resolved(const ColumnPart& part) const {
        std::vector<std::size_t> all;
        for (const auto& [first, last] : part.spans) {
            const std::size_t from = position(first), to = position(last);
            if (from > to)
                rows_->fail(0, sentence("column ", first.text(), " before column ", last.text()), "the opposite order");
            for (std::size_t c = from; c <= to; ++c) all.push_back(c);
        }
        if (!part.others) return all;
        std::vector<std::size_t> others;
        for (std::size_t c = 0; c < columns(); ++c)
            if (std::ranges::find(all, c) == all.end()) others.push_back(c);
        return others;
    }

    std::size_t position(const ColumnId& id) const {
        const std::size_t count = columns();
        if (!id.named) {
            const long long number = id.number < 0 ? id.number + static_cast<long long>(count) : id.number;
            if (number < 0 || number >= static_cast<long long>(count))
                rows_->fail(0, sentence("a column ", id.number),
                            count == 1 && !table_->typed ? one_column(rows_->fields()[0])
                                                         : sentence(count, count == 1 ? " column" : " columns"));
            return static_cast<std::size_t>(number);
        }
        if (!table_->format.header)
            throw ArgumentError(sentence("column '", id.name, "' of '", name(), "'"),
                                "a header, CsvFormat{.header = true}", "none");
        const auto at = std::ranges::find(names_, id.name);
        if (at == names_.end())
            throw DataError(name(), table_->names_place(), sentence("a column '", id.name, "'"), names_text());
        if (std::find(at + 1, names_.end(), id.name) != names_.end())
            throw DataError(name(), table_->names_place(), sentence("one column '", id.name, "'"), "several");
        return static_cast<std::size_t>(at - names_.begin());
    }
    /// Describes a record of one column, which most likely has another separator.
    std::string one_column(std::string_view text) const {
        const char separator = table_->format.separator;
        return sentence(
            "one column ", storage::quotation(text), " with ",
            separator == blanks ? "blanks as separator" : sentence("separator ", storage::quotation({&separator, 1})));
    }
    std::string names_text() const {
        if (names_.size() == 1 && !table_->typed) return one_column(names_[0]);
        std::string all;
        for (std::size_t c = 0; c < names_.size() && c < 20; ++c)
            all += sentence(c == 0 ? "" : ", ", storage::quotation(names_[c]));
        return all + (names_.size() > 20 ? ", …" : "");
    }

    void add_record(Block& to) {
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            if (infos_[s].doubles) add_section(steps_[s], to.records, to.values[s].doubles());
            else add_section(steps_[s], to.records, to.values[s].floats());
        }
    }

    template <class T>
    void add_section(const std::vector<Step>& steps, std::size_t record, std::vector<T>& to) {
        const std::size_t from = record * steps.size();
        if (to.size() < from + steps.size()) to.resize(std::max(from + steps.size(), 2 * to.size()));
        T* out = to.data() + from;
        if (table_->typed) {
            const std::span<const TableCell> cells = rows_->cells();
            for (const Step& step : steps) *out++ = typed<T>(cells[step.column], step);
            return;
        }
        const std::span<const std::string_view> fields = rows_->fields();
        const bool non_finite = table_->format.non_finite, usual = is_usual(table_->format);
        for (const Step& step : steps) {
            const std::string_view field = fields[step.column];
            if (step.values != nullptr || missing_first_ || !usual || !parse_number(field, non_finite, *out))
                *out = other<T>(field, step);
            ++out;
        }
    }

    /// Reads a value of a table with types.
    template <class T>
    T typed(const TableCell& cell, const Step& step) {
        if (is_missing(cell)) return std::numeric_limits<T>::quiet_NaN();
        if (step.values == nullptr && !missing_first_) {
            if (cell.kind == TableCell::Kind::truth) return static_cast<T>(cell.number);
            if (cell.kind == TableCell::Kind::number) {
                T value = static_cast<T>(cell.number);
                if (!cell.text.empty()) {
                    if (parse_number(cell.text, table_->format.non_finite, value)) return value;
                } else if (std::isfinite(value) || (std::isinf(cell.number) && table_->format.non_finite)) {
                    return value;
                }
            }
        }
        if (cell.kind == TableCell::Kind::other)
            refuse_other(cell, step, step.values != nullptr ? step.values->choices() : "a finite number");
        // A text need not be followed by the bytes that parse_number may read.
        padded_ = text_of(cell, step.values != nullptr && step.values->named(), digits_);
        const std::size_t size = padded_.size();
        padded_.append(number_padding, '\0');
        return other<T>(std::string_view(padded_).substr(0, size), step);
    }

    /// Reads a field that is not simply a number.
    template <class T>
    T other(std::string_view field, const Step& step) const {
        T value = std::numeric_limits<T>::quiet_NaN();
        if (step.values != nullptr)
            if (const auto known = step.values->find(field)) return static_cast<T>(*known);
        if (std::ranges::find(table_->format.missing, field) != table_->format.missing.end()) return value;
        if (step.values != nullptr)
            refuse_text(field, step,
                        field.empty() && step.values->named() ? "the name of a class" : step.values->choices());
        if (!parse_number(field, table_->format, value))
            rows_->fail(step.column + 1, wanted_number<T>(field, table_->format),
                        field.empty() ? "an empty field (see .missing)"
                                      : sentence(storage::quotation(field),
                                                 may_be_header() ? " (does the file need {.header = true}?)" : ""));
        return value;
    }

    /// Returns whether this is the first record of a table without a header, and no field is or begins with a number.
    bool may_be_header() const {
        if (!in_first_ || table_->format.header) return false;
        return std::ranges::none_of(rows_->fields(), [](std::string_view field) {
            float value = 0;
            const std::size_t digit = field.find_first_of("0123456789");
            return parse_any_number(field, true, value) || digit == 0 ||
                   (digit != field.npos && field.find_first_not_of("+-.") == digit);
        });
    }

    std::shared_ptr<TableFile> table_;
    std::vector<TableSection> chosen_;
    std::vector<CsvValues> values_;  // one for each part of each section
    bool missing_first_ = false;     // a number stands for a missing one
    std::unique_ptr<TableRows> rows_;
    std::string digits_, padded_;           // text of a typed value
    bool at_first_ = false;                 // the present record was not returned yet
    bool in_first_ = false;                 // the present record is the first
    std::optional<std::string> collected_;  // the source's key when its texts were numbered
    std::vector<std::string> names_;
    std::vector<SectionInfo> infos_;
    std::vector<std::vector<Step>> steps_;
};

// An own parser instead of strptime, which takes names of months from the locale and any number of digits for a year,
// and ignores zones and weeks.

/// The fields of a date, or the fields that a format has.
struct DateFields {
    enum Field {
        year,
        month,
        day,
        weekday,
        day_of_year,
        iso_year,
        iso_week,
        sunday_week,
        monday_week,
        hour,
        hour_of_12,
        afternoon,
        minute,
        second,
        offset,
        since_1970,
    };
    std::array<std::optional<long long>, since_1970 + 1> of{};

    /// Sets a field. Returns false if it had another number before.
    bool set(Field field, long long value) {
        if (of[field]) return *of[field] == value;
        of[field] = value;
        return true;
    }
    bool has(Field field) const { return of[field].has_value(); }
    long long get(Field field, long long otherwise) const { return of[field].value_or(otherwise); }
    /// Returns whether a field is missing or has this value.
    bool agrees(Field field, long long value) const { return get(field, value) == value; }
};

/// A conversion that is a number of up to `digits` digits, or of exactly as many.
struct DateNumber {
    char letter;
    DateFields::Field field;
    int digits;
    bool exact;
    long long least, most;
};

inline constexpr auto date_numbers = [] {
    using enum DateFields::Field;
    return std::array{
        DateNumber{'Y', year, 4, true, 0, 9999},       DateNumber{'y', year, 2, true, 0, 99},
        DateNumber{'m', month, 2, false, 1, 12},       DateNumber{'d', day, 2, false, 1, 31},
        DateNumber{'e', day, 2, false, 1, 31},         DateNumber{'j', day_of_year, 3, false, 1, 366},
        DateNumber{'H', hour, 2, false, 0, 23},        DateNumber{'I', hour_of_12, 2, false, 1, 12},
        DateNumber{'M', minute, 2, false, 0, 59},      DateNumber{'S', second, 2, false, 0, 60},
        DateNumber{'u', weekday, 1, true, 1, 7},       DateNumber{'w', weekday, 1, true, 0, 6},
        DateNumber{'G', iso_year, 4, true, 0, 9999},   DateNumber{'V', iso_week, 2, false, 1, 53},
        DateNumber{'U', sunday_week, 2, false, 0, 53}, DateNumber{'W', monday_week, 2, false, 0, 53},
    };
}();

inline constexpr std::array<std::string_view, 12> month_names{"january",   "february", "march",    "april",
                                                              "may",       "june",     "july",     "august",
                                                              "september", "october",  "november", "december"};
inline constexpr std::array<std::string_view, 7> weekday_names{"monday", "tuesday",  "wednesday", "thursday",
                                                               "friday", "saturday", "sunday"};

/// Returns the conversions that a conversion abbreviates; empty for others.
constexpr std::string_view spelled_date(char letter) {
    switch (letter) {
        case 'F': return "%Y-%m-%d";
        case 'D': return "%m/%d/%y";
        case 'T': return "%H:%M:%S";
        case 'R': return "%H:%M";
        case 'r': return "%I:%M:%S %p";
        default: return {};
    }
}

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

SIGMA_IMPL void skip_blanks(std::string_view& text) {
    while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
}

/// Takes a number from the front. Returns false if there is none within these bounds.
SIGMA_IMPL bool take_number(std::string_view& text, int most_digits, bool exact, long long& value) {
    value = 0;
    int digits = 0;
    for (; digits < most_digits && !text.empty() && text[0] >= '0' && text[0] <= '9'; ++digits) {
        value = 10 * value + (text[0] - '0');
        text.remove_prefix(1);
    }
    return exact ? digits == most_digits : digits > 0;
}

/// Takes a name, or its first three letters, in any case. Returns its number, or -1.
SIGMA_IMPL int take_name(std::string_view& text, std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
            const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); };
            if (text.size() < name.size() || !std::ranges::equal(name, text.substr(0, name.size()), same)) continue;
            text.remove_prefix(name.size());
            return static_cast<int>(i);
        }
    return -1;
}

/// Takes an offset: Z, +02, +0200 or +02:00. Converts it to seconds.
SIGMA_IMPL bool take_offset(std::string_view& text, long long& seconds) {
    if (text.empty()) return false;
    const char sign = text[0];
    text.remove_prefix(1);
    seconds = 0;
    if (sign == 'Z' || sign == 'z') return true;
    long long hours = 0, minutes = 0;
    if ((sign != '+' && sign != '-') || !take_number(text, 2, true, hours) || hours > 23) return false;
    const bool colon = text.starts_with(':');
    if (colon) text.remove_prefix(1);
    const bool digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
    if ((colon || digit) && (!take_number(text, 2, true, minutes) || minutes > 59)) return false;
    seconds = (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/// Takes one conversion from the front of the text.
SIGMA_IMPL bool take_conversion(char letter, std::string_view& text, DateFields& to) {
    using enum DateFields::Field;
    if (letter == 'n' || letter == 't') {
        skip_blanks(text);
        return true;
    }
    if (letter == '%') {
        const bool there = text.starts_with('%');
        if (there) text.remove_prefix(1);
        return there;
    }
    skip_blanks(text);
    long long value = 0;
    if (letter == 's') {
        const bool negative = text.starts_with('-');
        if (negative) text.remove_prefix(1);
        return take_number(text, 11, false, value) && to.set(since_1970, negative ? -value : value);
    }
    if (letter == 'z') return take_offset(text, value) && to.set(offset, value);
    if (letter == 'p') {
        constexpr std::array<std::string_view, 2> halves{"am", "pm"};
        const int half = take_name(text, halves);
        return half >= 0 && to.set(afternoon, half);
    }
    if (letter == 'b' || letter == 'B' || letter == 'h') {
        const int name = take_name(text, month_names);
        return name >= 0 && to.set(month, name + 1);
    }
    if (letter == 'a' || letter == 'A') {
        const int name = take_name(text, weekday_names);
        return name >= 0 && to.set(weekday, name);
    }
    const auto* const number = std::ranges::find(date_numbers, letter, &DateNumber::letter);
    if (!take_number(text, number->digits, number->exact, value) || value < number->least || value > number->most)
        return false;
    if (letter == 'y') value += value < 69 ? 2000 : 1900;
    if (letter == 'u') value -= 1;
    if (letter == 'w') value = (value + 6) % 7;
    return to.set(number->field, value);
}

SIGMA_IMPL bool take_date(std::string_view format, std::string_view& text, DateFields& to) {
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (is_blank(format[i])) {
            skip_blanks(text);
        } else if (format[i] != '%') {
            if (!text.starts_with(format[i])) return false;
            text.remove_prefix(1);
        } else if (const std::string_view spelled = spelled_date(format[++i]); !spelled.empty()) {
            if (!take_date(spelled, text, to)) return false;
        } else if (!take_conversion(format[i], text, to)) {
            return false;
        }
    }
    return true;
}

/// Adds the fields that a format has. Throws ArgumentError for an unknown conversion.
SIGMA_IMPL void add_date_fields(std::string_view format, DateFields& to) {
    using enum DateFields::Field;
    constexpr std::string_view others = "bBhaApzsntFDTRr%";
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') continue;
        const char letter = ++i < format.size() ? format[i] : '\0';
        const auto* const number = std::ranges::find(date_numbers, letter, &DateNumber::letter);
        if (number != date_numbers.end()) {
            to.of[number->field] = 1;
        } else if (letter == '\0' || others.find(letter) == others.npos) {
            std::string known;
            for (const DateNumber& each : date_numbers) known += sentence('%', each.letter, ' ');
            for (const char each : others) known += sentence('%', each, each == '%' ? "" : " ");
            throw ArgumentError("date", sentence("a format of ", known), storage::quotation(format.substr(i - 1, 2)));
        }
        if (letter == 'b' || letter == 'B' || letter == 'h') to.of[month] = 1;
        if (letter == 'a' || letter == 'A') to.of[weekday] = 1;
        if (letter == 'p') to.of[afternoon] = 1;
        if (letter == 'z') to.of[offset] = 1;
        if (letter == 's') to.of[since_1970] = 1;
        add_date_fields(spelled_date(letter), to);
    }
}

SIGMA_IMPL void examine(const DateOptions& options) {
    using enum DateFields::Field;
    const std::string& format = options.format;
    if (format.empty()) throw ArgumentError("date", "a format such as %Y-%m-%d", "none");
    DateFields f;
    add_date_fields(format, f);
    const auto refuse = [&](const char* expected) {
        throw ArgumentError("date", sentence("a format ", expected), storage::quotation(format));
    };
    if (f.has(since_1970) && std::ranges::count_if(f.of, [](const auto& x) { return x.has_value(); }) > 1)
        refuse("with %s alone");
    if (f.has(hour_of_12) != f.has(afternoon)) refuse("with %I and %p together");
    const bool weeks = f.has(sunday_week) || f.has(monday_week);
    const bool in_year = f.has(month) || f.has(day_of_year) || (weeks && f.has(weekday));
    if ((f.has(iso_year) != f.has(iso_week) || weeks) && !in_year) refuse("with the year and the day of its week");
    const bool whole =
        f.has(since_1970) || (f.has(iso_year) && f.has(iso_week)) || (f.has(year) && (in_year || !f.has(day)));
    const auto need = [&](bool there, const char* expected) {
        if (!there) refuse(expected);
    };
    switch (options.part) {
        case DatePart::days: return need(whole, "with the day");
        case DatePart::year: return need(whole || f.has(year), "with the year");
        case DatePart::month: return need(whole || f.has(month), "with the month");
        case DatePart::day: return need(whole || f.has(day), "with the day of the month");
        case DatePart::weekday: return need(whole || f.has(weekday), "with the day of the week");
        case DatePart::day_of_year: return need(whole || f.has(day_of_year), "with the day of the year");
        case DatePart::hour: return need(f.has(hour) || f.has(hour_of_12) || f.has(since_1970), "with the hour");
    }
}

/// Returns the Monday of week 1, which is the week with January 4.
SIGMA_IMPL std::chrono::sys_days first_iso_week(std::chrono::year of) {
    const std::chrono::sys_days fourth = of / 1 / 4;
    return fourth - (std::chrono::weekday(fourth) - std::chrono::Monday);
}

/// Returns the day of the fields. Without a year it is in 2000, which has all days that a year may have.
SIGMA_IMPL std::optional<std::chrono::sys_days> day_of(const DateFields& f) {
    using enum DateFields::Field;
    using std::chrono::days;
    const auto number = [&](DateFields::Field field, long long otherwise) {
        return static_cast<int>(f.get(field, otherwise));
    };
    const std::chrono::year of(number(year, 2000));
    const std::chrono::sys_days first = of / 1 / 1;
    std::chrono::sys_days found = first;
    if (f.has(month) || f.has(day)) {
        const auto date = of / number(month, 1) / number(day, 1);
        if (!date.ok()) return std::nullopt;
        found = date;
    } else if (f.has(day_of_year)) {
        found = first + days(number(day_of_year, 1) - 1);
    } else if (f.has(iso_week)) {
        found = first_iso_week(std::chrono::year(number(iso_year, 2000))) +
                days(7 * (number(iso_week, 1) - 1) + number(weekday, 0));
    } else if (f.has(sunday_week) || f.has(monday_week)) {
        // Week 1 begins with the first such day.
        const bool sunday = f.has(sunday_week);
        const auto begins = sunday ? std::chrono::Sunday : std::chrono::Monday;
        found = first + (begins - std::chrono::weekday(first)) +
                days(7 * (number(sunday ? sunday_week : monday_week, 1) - 1) + (number(weekday, 0) + sunday) % 7);
    } else if (f.has(weekday) && !f.has(year)) {
        found = first_iso_week(of) + days(number(weekday, 0));
    }
    return found;
}

/// Returns whether all fields agree with a day.
SIGMA_IMPL bool agrees(const DateFields& f, std::chrono::sys_days found) {
    using enum DateFields::Field;
    const std::chrono::year_month_day date = found;
    const std::chrono::weekday at(found);
    const auto since_monday = (at - std::chrono::Monday).count(), since_sunday = (at - std::chrono::Sunday).count();
    const auto of_year = (found - std::chrono::sys_days(date.year() / 1 / 1)).count();
    // A week belongs to the year of its Thursday.
    const std::chrono::year week_year = std::chrono::year_month_day(found + std::chrono::days(3 - since_monday)).year();
    return f.agrees(year, static_cast<int>(date.year())) && f.agrees(month, static_cast<unsigned>(date.month())) &&
           f.agrees(day, static_cast<unsigned>(date.day())) && f.agrees(weekday, since_monday) &&
           f.agrees(day_of_year, of_year + 1) && f.agrees(iso_year, static_cast<int>(week_year)) &&
           f.agrees(iso_week, (found - first_iso_week(week_year)).count() / 7 + 1) &&
           f.agrees(sunday_week, (of_year + 7 - since_sunday) / 7) &&
           f.agrees(monday_week, (of_year + 7 - since_monday) / 7);
}

/// Returns the seconds since 1970-01-01 in UTC.
SIGMA_IMPL std::optional<std::chrono::sys_seconds> second_of(const DateFields& f) {
    using enum DateFields::Field;
    using std::chrono::seconds;
    if (f.has(since_1970)) return std::chrono::sys_seconds(seconds(f.get(since_1970, 0)));
    const auto found = day_of(f);
    if (!found || !agrees(f, *found)) return std::nullopt;
    const long long of_12 = f.get(hour_of_12, 0) % 12 + 12 * f.get(afternoon, 0);
    if (f.has(hour_of_12) && !f.agrees(hour, of_12)) return std::nullopt;
    return *found + seconds(3600 * f.get(hour, of_12) + 60 * f.get(minute, 0) + f.get(second, 0) - f.get(offset, 0));
}

SIGMA_IMPL std::optional<double> number_of_date(std::string_view text, const DateOptions& options) {
    DateFields fields;
    if (!take_date(options.format, text, fields) || !text.empty()) return std::nullopt;
    const auto found = second_of(fields);
    if (!found) return std::nullopt;
    const auto day = std::chrono::floor<std::chrono::days>(*found);
    const std::chrono::year_month_day date = day;
    const auto number = [](auto x) { return static_cast<double>(x); };
    switch (options.part) {
        case DatePart::days: return number(found->time_since_epoch().count()) / 86400;
        case DatePart::year: return number(static_cast<int>(date.year()));
        case DatePart::month: return number(static_cast<unsigned>(date.month()));
        case DatePart::day: return number(static_cast<unsigned>(date.day()));
        case DatePart::weekday: return number(std::chrono::weekday(day).iso_encoding() - 1);
        case DatePart::day_of_year: return number((day - std::chrono::sys_days(date.year() / 1 / 1)).count() + 1);
        case DatePart::hour: return number((*found - day).count()) / 3600;
    }
    return std::nullopt;
}

SIGMA_IMPL std::string ColumnPart::text() const {
    std::string all = sentence(others ? "except" : "columns", " kind ", static_cast<int>(kind));
    for (const auto& [first, last] : spans) all += sentence(" ", first.text(), "-", last.text());
    for (const auto& [name, value] : values)
        all += sentence(" ", name.size(), ":", name, "=", std::bit_cast<std::uint64_t>(value));
    if (kind == Kind::labels && values.empty()) all += " sorted";
    if (kind == Kind::classes) all += sentence(" of ", classes);
    if (kind == Kind::dates) all += sentence(" ", static_cast<int>(dates.part), " in UTC as ", dates.format);
    return all;
}

SIGMA_IMPL ColumnParts::ColumnParts(std::vector<ColumnPart> list)
    : list_(sigma::detail::SharedOwner<const std::vector<ColumnPart>>::make(std::move(list))) {}

SIGMA_IMPL ColumnParts ColumnParts::operator+(const ColumnParts& those) const {
    std::vector<ColumnPart> both = list();
    both.insert(both.end(), those.list().begin(), those.list().end());
    return both;
}

/// Changes columns of numbers to columns of another kind.
SIGMA_IMPL std::vector<ColumnPart> of_kind(ColumnPart::Kind kind, std::vector<ColumnPart> all) {
    for (ColumnPart& part : all) {
        if (part.kind != ColumnPart::Kind::numbers)
            throw ArgumentError(kind == ColumnPart::Kind::classes ? "classes"
                                : kind == ColumnPart::Kind::dates ? "date"
                                                                  : "labels or mapped values",
                                "columns of numbers", "columns with labels, classes, dates or mapped values");
        part.kind = kind;
    }
    return all;
}

SIGMA_IMPL ColumnParts ColumnParts::with_values(ColumnPart::Kind kind,
                                                const std::vector<std::pair<std::string, double>>& values) const {
    std::vector<ColumnPart> all = of_kind(kind, list());
    for (ColumnPart& part : all) part.values = values;
    return all;
}

SIGMA_IMPL ColumnParts ColumnParts::with_classes(int count) const {
    if (count < 0 || count > (1 << 20))
        throw ArgumentError("classes", "1 to 2^20 classes, or 0 for an unknown number", sentence(count));
    std::vector<ColumnPart> all = of_kind(ColumnPart::Kind::classes, list());
    for (ColumnPart& part : all) part.classes = count;
    return all;
}

SIGMA_IMPL std::vector<std::pair<std::string, double>> numbered(const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, double>> values;
    for (const std::string& name : names) {
        for (const auto& [other, number] : values)
            if (other == name) throw ArgumentError("names of labels", "each name once", sentence("'", name, "' twice"));
        values.emplace_back(name, static_cast<double>(values.size()));
    }
    return values;
}

/// Selects the columns from the first to the last.
SIGMA_IMPL ColumnParts part_of(ColumnId first, ColumnId last) {
    ColumnPart part;
    part.spans.emplace_back(std::move(first), std::move(last));
    return std::vector{std::move(part)};
}

SIGMA_IMPL Columns<Extents<1>> one(ColumnId id) { return {part_of(id, id)}; }

SIGMA_IMPL ColumnParts all_but(std::initializer_list<ColumnId> ids) {
    ColumnPart part{.others = true};
    for (const ColumnId& id : ids) part.spans.emplace_back(id, id);
    return std::vector{std::move(part)};
}

SIGMA_IMPL std::vector<std::pair<std::string, double>> kept(MappedValues values) {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& [name, value] : values) {
        for (const auto& [other, number] : all)
            if (other == name) throw ArgumentError("mapped values", "each text once", sentence("'", name, "' twice"));
        all.emplace_back(name, value);
    }
    return all;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Columns<Extents<1>> column(ColumnId id) { return detail::one(std::move(id)); }

SIGMA_IMPL Columns<UnknownExtents> columns(ColumnId first, ColumnId last) {
    if (!first.named && !last.named && (first.number < 0) == (last.number < 0) && first.number > last.number)
        throw ArgumentError("columns", "the first before the last", sentence(first.number, " and ", last.number));
    return {detail::part_of(std::move(first), std::move(last))};
}

SIGMA_IMPL Columns<UnknownExtents> columns(std::initializer_list<ColumnId> ids) {
    detail::ColumnPart part;
    for (const ColumnId& id : ids) part.spans.emplace_back(id, id);
    return {std::vector{std::move(part)}};
}

SIGMA_IMPL Columns<Extents<>> labels(ColumnId id, const std::vector<std::string>& names) {
    return {detail::one(std::move(id)).parts.with_values(detail::ColumnPart::Kind::labels, detail::numbered(names))};
}

SIGMA_IMPL Columns<Extents<>> classes(ColumnId id, int count) { return classes(detail::one(std::move(id)), count); }

SIGMA_IMPL Columns<Extents<1>> date(ColumnId id, DateOptions options) {
    detail::examine(options);
    std::vector<detail::ColumnPart> parts =
        detail::of_kind(detail::ColumnPart::Kind::dates, detail::one(std::move(id)).parts.list());
    parts[0].dates = std::move(options);
    return {std::move(parts)};
}

SIGMA_IMPL Columns<Extents<1>> mapped(ColumnId id, detail::MappedValues values) {
    return {detail::one(std::move(id)).parts.with_values(detail::ColumnPart::Kind::mapped, detail::kept(values))};
}

SIGMA_IMPL Table::Table(Source source, CsvFormat format)
    : table_(std::make_shared<detail::CsvTable>(std::move(source), std::move(format))) {}

SIGMA_IMPL Table::Table(std::shared_ptr<detail::TableFile> table) : table_(std::move(table)) {}

SIGMA_IMPL std::vector<std::string> Table::names() const {
    std::vector<std::string> all;
    table_->open(all);
    return all;
}

SIGMA_IMPL CsvFormat detail::format_of(TableOptions options) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (const std::size_t limit : {options.longest_record, options.most_columns})
        if (limit == 0 || limit > most)
            throw ArgumentError("limit of a table", sentence("a number from 1 to ", most), sentence(limit));
    return {.header = true,
            .missing = std::move(options.missing),
            .non_finite = options.non_finite,
            .doubles = options.doubles,
            .longest_record = options.longest_record,
            .most_columns = options.most_columns};
}

SIGMA_IMPL std::size_t Table::skipped() const { return table_->skipped; }

SIGMA_IMPL detail::TableSections detail::table_sections(std::initializer_list<ChosenColumns> chosen) {
    std::vector<TableSection> all;
    for (const auto& [name, target, single, parts] : chosen) all.push_back({std::string(name), target, single, parts});
    return TableSections::make(std::move(all));
}

SIGMA_IMPL std::shared_ptr<RecordReader> detail::table_reader(const Table& table,
                                                              const std::vector<TableSection>& chosen) {
    return std::make_shared<TableReader>(table.shared(), chosen);
}

SIGMA_IMPL Table csv(Source source, CsvFormat format) { return {std::move(source), std::move(format)}; }

SIGMA_IMPL const TableColumn& TableValues::operator[](const ColumnId& id) const& {
    const auto size = static_cast<long long>(columns.size());
    const long long number = id.named ? std::ranges::find(columns, id.name, &TableColumn::name) - columns.begin()
                                      : id.number + (id.number < 0 ? size : 0);
    if (number < 0 || number >= size)
        throw ArgumentError(sentence("table '", name, "'"), sentence("one of its ", size, " columns"), id.text());
    return columns[static_cast<std::size_t>(number)];
}

SIGMA_IMPL TableValues read_table(Source source, CsvFormat format) {
    return read_table(Table(std::move(source), std::move(format)));
}

SIGMA_IMPL TableValues read_table(const Table& of) {
    const detail::TableFile& table = *of.shared();
    const auto& missing = table.format.missing;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::string memory;
    // The fields of a record, whose cells are empty unless it has types.
    const auto number = [&](std::string_view field, const detail::TableCell* cell, double& to) {
        to = nan;
        if (cell != nullptr && cell->kind != detail::TableCell::Kind::text) {
            if (cell->kind == detail::TableCell::Kind::other) return false;
            if (cell->kind == detail::TableCell::Kind::missing) return true;
            if (cell->text.empty()) {
                to = cell->number;
                return std::isnan(to) || std::isfinite(to) || table.format.non_finite;
            }
        }
        return std::ranges::find(missing, field) != missing.end() || detail::parse_number(field, table.format, to);
    };
    const auto pass = [&](auto&& visit) {
        std::vector<std::string> names;
        const auto rows = table.open(names);
        std::size_t records = 0;
        for (; rows->next(); ++records) visit(*rows, table.typed ? rows->cells().size() : rows->fields().size(), names);
        return records;
    };
    const auto field_of = [&](const detail::TableRows& rows, std::size_t c, const detail::TableCell*& cell) {
        cell = table.typed ? &rows.cells()[c] : nullptr;
        if (cell == nullptr) return rows.fields()[c];
        std::string digits;
        memory = detail::text_of(*cell, true, digits);
        const std::size_t size = memory.size();
        memory.append(detail::number_padding, '\0');
        return std::string_view(memory).substr(0, size);
    };
    TableValues all{table.name(), 0, {}};
    const detail::TableCell* cell = nullptr;
    all.records = pass([&](const detail::TableRows& rows, std::size_t count, std::vector<std::string>& names) {
        if (all.columns.empty()) all.columns.resize(count);
        names.resize(count);
        for (std::size_t c = 0; c < count; ++c) {
            TableColumn& column = all.columns[c];
            double value = 0;
            column.name = names[c];
            if (column.numeric) {
                const std::string_view field = field_of(rows, c, cell);
                column.numeric = number(field, cell, value);
            }
        }
    });
    if (all.records == 0) throw DataError(all.name, "", "at least one record", "none");
    const std::size_t again = pass([&](const detail::TableRows& rows, std::size_t count, auto&) {
        if (count != all.columns.size())
            throw DataError(all.name, "", sentence(all.columns.size(), " columns, as in the first reading"),
                            sentence(count));
        for (std::size_t c = 0; c < count; ++c) {
            TableColumn& column = all.columns[c];
            const std::string_view field = field_of(rows, c, cell);
            if (!column.numeric) {
                column.texts.emplace_back(field);
                continue;
            }
            if (!number(field, cell, column.numbers.emplace_back()))
                throw DataError(all.name, "", "the numbers of its first reading", storage::quotation(field));
        }
    });
    if (again != all.records)
        throw DataError(all.name, "", sentence("the ", all.records, " records of its first reading"), sentence(again));
    return all;
}

}  // namespace sigma::data
