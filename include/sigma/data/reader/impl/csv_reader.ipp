// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_reader.hpp>
#include <sigma/data/reader/dates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL CsvTable::CsvTable(Source source_, CsvFormat format_)
    : source(std::move(source_)), format(std::move(format_)) {
    check(format);
}

SIGMA_IMPL std::unique_ptr<CsvScanner> CsvTable::open(std::vector<std::string>& names) const {
    auto scanner = std::make_unique<CsvScanner>(source.open(), source.name(), format);
    names.clear();
    if (!format.header) return scanner;
    if (!scanner->next()) throw DataError(source.name(), "", "a line with the names of columns", "the end of the file");
    for (std::size_t c = 0; const std::string_view field : scanner->fields()) {
        ++c;
        if (storage::utf8_fault(field) != std::string_view::npos)
            scanner->fail(c, "a name in UTF-8", storage::quotation(field));
        names.emplace_back(field);
    }
    return scanner;
}

SIGMA_IMPL CsvValues::CsvValues(const ColumnPart& part)
    : part_(part), open_(part.kind == ColumnPart::Kind::labels && part.values.empty()) {
    for (const auto& [name, value] : part.values) {
        names_.push_back(name);
        values_.emplace(name, value);
    }
    for (int i = 0; i < part.classes; ++i) names_.push_back(sentence(i));
}

SIGMA_IMPL std::string CsvValues::choices() const {
    if (part_.kind == ColumnPart::Kind::dates) return sentence("a date as ", part_.dates.format);
    if (part_.kind == ColumnPart::Kind::classes)
        return part_.classes > 0 ? sentence("a class from 0 to ", part_.classes - 1) : "a class, a whole number from 0";
    const auto quoted = [this](std::size_t i) { return storage::quotation(names_[i]); };
    const std::size_t count = names_.size();
    if (count == 0) return "a text that has a number";
    std::string all;
    for (std::size_t i = 0; i < count && i < 5; ++i)
        all += sentence(i == 0 ? "" : count <= 5 && i + 1 == count ? " or " : ", ", quoted(i));
    return count <= 5 ? all
                      : sentence("one of ", count,
                                 part_.kind == ColumnPart::Kind::labels ? " classes: " : " texts: ", all, ", …");
}

/// A whole number from 0, below `count` where that is told, that a float knows.
inline std::optional<double> class_of(std::string_view text, int count) {
    float value = 0;
    if (!parse_any_number(text, false, value) || !(value >= 0) ||
        value >= static_cast<float>(count > 0 ? count : 1 << 24) || value != std::floor(value))
        return std::nullopt;
    return static_cast<double>(value + 0.0f);  // of -0, too
}

SIGMA_IMPL std::optional<double> CsvValues::find(std::string_view text) const {
    if (part_.kind == ColumnPart::Kind::classes) return class_of(text, part_.classes);
    if (part_.kind == ColumnPart::Kind::dates) return number_of_date(text, part_.dates);
    const auto at = values_.find(text);
    return at == values_.end() ? std::nullopt : std::optional(at->second);
}

SIGMA_IMPL double CsvValues::add(std::string_view text) {
    names_.emplace_back(text);
    return values_.emplace(text, static_cast<double>(names_.size() - 1)).first->second;
}

SIGMA_IMPL void CsvValues::clear() {
    names_.clear();
    values_.clear();
}

SIGMA_IMPL void CsvValues::sort() {
    sigma::detail::sort_class_names(names_);
    for (std::size_t i = 0; i < names_.size(); ++i) values_.find(names_[i])->second = static_cast<double>(i);
}

SIGMA_IMPL CsvReader::CsvReader(std::shared_ptr<CsvTable> table, std::vector<TableSection> chosen)
    : table_(std::move(table)), chosen_(std::move(chosen)) {
    for (const TableSection& section : chosen_)
        for (const ColumnPart& part : section.parts.list()) values_.emplace_back(part);
    const auto is_number = [](const std::string& text) {
        float value = 0;
        return parse_any_number(text, true, value);
    };
    missing_first_ = std::ranges::any_of(table_->format.missing, is_number);
}

SIGMA_IMPL const std::vector<SectionInfo>& CsvReader::sections() {
    if (infos_.empty()) begin();
    return infos_;
}

SIGMA_IMPL std::size_t CsvReader::read(std::size_t most, Block& to) {
    collect_names();
    if (scanner_ == nullptr) begin();
    to.records = 0;
    to.values.resize(infos_.size());
    for (; to.records < most && (at_first_ || scanner_->next()); ++to.records) {
        in_first_ = std::exchange(at_first_, false);
        add_record(to);
    }
    for (std::size_t s = 0; s < infos_.size(); ++s) to.values[s].resize(to.records * infos_[s].size());
    table_->skipped = scanner_->skipped();
    return to.records;
}

SIGMA_IMPL std::string CsvReader::key() const {
    std::string all = sentence("csv ", table_->source.key(), " ", text(table_->format));
    for (const TableSection& section : chosen_) {
        all += sentence("; ", section.name, section.target ? " target" : " input", section.single ? " single" : "");
        for (const ColumnPart& part : section.parts.list()) all += sentence(" + ", part.text());
    }
    return all;
}

SIGMA_IMPL std::vector<std::string> CsvReader::classes() const {
    for (const bool target : {true, false})
        for (std::size_t v = 0; const TableSection& section : chosen_)
            for (const ColumnPart& part : section.parts.list()) {
                const CsvValues& values = values_[v++];
                if (section.target == target && (part.kind == ColumnPart::Kind::labels || part.classes > 0))
                    return values.names();
            }
    return {};
}

SIGMA_IMPL void CsvReader::begin() {
    auto scanner = table_->open(names_);
    if (!scanner->next()) throw DataError(name(), "", "at least one record", "none");
    scanner_ = std::move(scanner);
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
            scanner_->fail(0, sentence("at least one column for '", section.name, "'"),
                           sentence(scanner_->fields().size(), " columns in all"));
        std::vector<std::string> columns;
        if (table_->format.header)
            for (const Step& step : steps) columns.push_back(step.column < names_.size() ? names_[step.column] : "");
        infos_.push_back({section.name, section.single ? std::vector<std::size_t>{} : std::vector{steps.size()},
                          section.target, std::move(columns), table_->format.doubles && !of_classes});
        steps_.push_back(std::move(steps));
    }
}

SIGMA_IMPL void CsvReader::collect_names() {
    if ((scanner_ != nullptr && !at_first_) || std::ranges::none_of(values_, &CsvValues::open)) return;
    std::string now = table_->source.key();
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
        for (const Step& step : open) collect(scanner_->fields()[step.column], step);
    } while (scanner_->next());
    for (CsvValues& values : values_)
        if (values.open()) values.sort();
    scanner_.reset();
    collected_ = std::move(now);
}

SIGMA_IMPL void CsvReader::collect(std::string_view field, const Step& step) {
    if (step.values->find(field) || std::ranges::find(table_->format.missing, field) != table_->format.missing.end())
        return;
    const auto fail = [&](const std::string& expected) { refuse_text(field, step, expected); };
    if (field.empty()) fail("the name of a class");
    if (storage::utf8_fault(field) != std::string_view::npos || field.find('\0') != std::string_view::npos)
        fail("the name of a class in UTF-8");
    if (step.values->names().size() == CsvValues::most)
        scanner_->fail(step.column + 1, sentence("at most ", CsvValues::most, " different names of classes"), "more");
    step.values->add(field);
}

SIGMA_IMPL void CsvReader::refuse_text(std::string_view field, const Step& step, const std::string& expected) const {
    scanner_->fail(step.column + 1, expected, field.empty() ? "nothing" : storage::quotation(field));
}

SIGMA_IMPL std::vector<std::size_t> CsvReader::resolved(const ColumnPart& part) const {
    std::vector<std::size_t> all;
    for (const auto& [first, last] : part.spans) {
        const std::size_t from = position(first), to = position(last);
        if (from > to)
            scanner_->fail(0, sentence("column ", first.text(), " before column ", last.text()), "it after that");
        for (std::size_t c = from; c <= to; ++c) all.push_back(c);
    }
    if (!part.others) return all;
    std::vector<std::size_t> others;
    for (std::size_t c = 0; c < scanner_->fields().size(); ++c)
        if (std::ranges::find(all, c) == all.end()) others.push_back(c);
    return others;
}

SIGMA_IMPL std::size_t CsvReader::position(const ColumnId& id) const {
    const std::size_t count = scanner_->fields().size();
    if (!id.named) {
        const long long number = id.number < 0 ? id.number + static_cast<long long>(count) : id.number;
        if (number < 0 || number >= static_cast<long long>(count))
            scanner_->fail(0, sentence("a column ", id.number),
                           count == 1 ? one_column(scanner_->fields()[0]) : sentence(count, " columns"));
        return static_cast<std::size_t>(number);
    }
    if (!table_->format.header)
        throw ArgumentError(sentence("column '", id.name, "' of '", name(), "'"), "a header, CsvFormat{.header = true}",
                            "none");
    const auto at = std::ranges::find(names_, id.name);
    if (at == names_.end()) throw DataError(name(), "header", sentence("a column '", id.name, "'"), names_text());
    if (std::find(at + 1, names_.end(), id.name) != names_.end())
        throw DataError(name(), "header", sentence("one column '", id.name, "'"), "several");
    return static_cast<std::size_t>(at - names_.begin());
}

SIGMA_IMPL std::string CsvReader::one_column(std::string_view text) const {
    const char separator = table_->format.separator;
    return sentence(
        "one column ", storage::quotation(text), " with ",
        separator == blanks ? "blanks as separator" : sentence("separator ", storage::quotation({&separator, 1})));
}

SIGMA_IMPL std::string CsvReader::names_text() const {
    if (names_.size() == 1) return one_column(names_[0]);
    std::string all;
    for (std::size_t c = 0; c < names_.size() && c < 20; ++c)
        all += sentence(c == 0 ? "" : ", ", storage::quotation(names_[c]));
    return all + (names_.size() > 20 ? ", …" : "");
}

SIGMA_IMPL void CsvReader::add_record(Block& to) {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        if (infos_[s].doubles) add_section(steps_[s], to.records, to.values[s].doubles());
        else add_section(steps_[s], to.records, to.values[s].floats());
    }
}

template <class T>
void CsvReader::add_section(const std::vector<Step>& steps, std::size_t record, std::vector<T>& to) const {
    const std::span<const std::string_view> fields = scanner_->fields();
    const bool non_finite = table_->format.non_finite, usual = is_usual(table_->format);
    const std::size_t from = record * steps.size();
    if (to.size() < from + steps.size()) to.resize(std::max(from + steps.size(), 2 * to.size()));
    T* out = to.data() + from;
    for (const Step& step : steps) {
        const std::string_view field = fields[step.column];
        if (step.values != nullptr || missing_first_ || !usual || !parse_number(field, non_finite, *out))
            *out = other<T>(field, step);
        ++out;
    }
}

/// What a field should have been that is no T.
template <class T>
std::string wanted_number(std::string_view field, const CsvFormat& format) {
    if (double value = 0; std::same_as<T, float> && parse_number(field, format, value))
        return "a number of at most 3.4e38, the largest float, or {.doubles = true}";
    std::string usual;
    if (respelled(field, format.decimal, format.thousands, usual) && exceeds_double(usual.c_str()))
        return "a number of at most 1.8e308, the largest double";
    return format.non_finite ? "a number" : "a finite number";
}

template <class T>
T CsvReader::other(std::string_view field, const Step& step) const {
    T value = std::numeric_limits<T>::quiet_NaN();
    if (step.values != nullptr)
        if (const auto known = step.values->find(field)) return static_cast<T>(*known);
    if (std::ranges::find(table_->format.missing, field) != table_->format.missing.end()) return value;
    if (step.values != nullptr)
        refuse_text(field, step,
                    field.empty() && step.values->named() ? "the name of a class" : step.values->choices());
    if (!parse_number(field, table_->format, value))
        scanner_->fail(step.column + 1, wanted_number<T>(field, table_->format),
                       field.empty() ? "an empty field (see .missing)"
                                     : sentence(storage::quotation(field),
                                                may_be_header() ? " (does the file need {.header = true}?)" : ""));
    return value;
}

SIGMA_IMPL bool CsvReader::may_be_header() const {
    if (!in_first_ || table_->format.header) return false;
    return std::ranges::none_of(scanner_->fields(), [](std::string_view field) {
        float value = 0;
        const std::size_t digit = field.find_first_of("0123456789");
        return parse_any_number(field, true, value) || digit == 0 ||
               (digit != field.npos && field.find_first_not_of("+-.") == digit);
    });
}

}  // namespace sigma::data::detail
