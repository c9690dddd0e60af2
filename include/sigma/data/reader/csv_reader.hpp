// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/class_order.hpp>
#include <sigma/data/reader/columns.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/csv_scanner.hpp>
#include <sigma/data/reader/reader.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sigma::data::detail {

/// A table that is not read yet, and what its last reading has passed over.
struct CsvTable {
    Source source;
    CsvFormat format;
    std::atomic<std::size_t> skipped{0};

    CsvTable(Source source_, CsvFormat format_);

    /// Ready for the first record; gives the header where there is one, "" for each column else. Null for an empty
    /// table.
    std::unique_ptr<CsvScanner> open(std::vector<std::string>& names) const;
};

/// Which numbers texts stand for.
class CsvValues {
public:
    static constexpr std::size_t most = std::size_t{1} << 20;

    explicit CsvValues(const ColumnPart& part);

    /// What a text must be: "'a', 'b' or 'c'", of many the first; "a class from 0 to 9"; "a date as %Y-%m-%d".
    std::string choices() const;
    /// Are they those of the table, whatever it has?
    bool open() const { return open_; }
    /// Are they of texts, and not of numbers or dates?
    bool named() const { return part_.kind == ColumnPart::Kind::labels || part_.kind == ColumnPart::Kind::mapped; }
    const std::vector<std::string>& names() const { return names_; }
    std::optional<double> find(std::string_view text) const;
    double add(std::string_view text);
    void clear();
    /// Numbers them in their order.
    void sort();

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    ColumnPart part_;
    bool open_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, double, Hash, std::equal_to<>> values_;
};

/// Reads a field of such a table as a number; false where it is none.
template <class T>
bool parse_number(std::string_view field, const CsvFormat& format, T& to) {
    if (is_usual(format)) return parse_number(field, format.non_finite, to);
    std::string usual;
    return respelled(field, format.decimal, format.thousands, usual) &&
           parse_number(std::string_view(usual).substr(0, usual.size() - number_padding), format.non_finite, to);
}

/// Records of a table with the sections that were chosen.
class CsvReader final : public RecordReader {
public:
    CsvReader(std::shared_ptr<CsvTable> table, std::vector<TableSection> chosen);

    std::string name() const override { return table_->source.name(); }
    std::vector<Origin> origins() const override { return {{"csv", name()}}; }
    const std::vector<SectionInfo>& sections() override;
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override { scanner_.reset(); }
    std::string key() const override;
    /// Of the first target that is labels, else of the first input.
    std::vector<std::string> classes() const override;

private:
    struct Step {
        std::size_t column;
        CsvValues* values;  // null for numbers
    };

    /// Opens the table and looks up the columns in its first record.
    void begin();

    /// Texts that are numbered in sorted order must all be known before the first number is given out: a pass of its
    /// own over a table that has such, and another one when the table has changed since.
    void collect_names();
    void collect(std::string_view field, const Step& step);
    [[noreturn]] void refuse_text(std::string_view field, const Step& step, const std::string& expected) const;

    std::vector<std::size_t> resolved(const ColumnPart& part) const;

    std::size_t position(const ColumnId& id) const;
    /// Most likely another character separates columns.
    std::string one_column(std::string_view text) const;
    std::string names_text() const;

    void add_record(Block& to);

    template <class T>
    void add_section(const std::vector<Step>& steps, std::size_t record, std::vector<T>& to) const;

    /// A field that is not simply a number.
    template <class T>
    T other(std::string_view field, const Step& step) const;

    /// The first record of a table without a header, where no field is or begins with a number?
    bool may_be_header() const;

    std::shared_ptr<CsvTable> table_;
    std::vector<TableSection> chosen_;
    std::vector<CsvValues> values_;  // one for each part of each section
    bool missing_first_ = false;     // a number stands for a missing one
    std::unique_ptr<CsvScanner> scanner_;
    bool at_first_ = false;                 // the scanner's record was not given out yet
    bool in_first_ = false;                 // the record at hand is the first
    std::optional<std::string> collected_;  // the source's key when its texts were numbered
    std::vector<std::string> names_;
    std::vector<SectionInfo> infos_;
    std::vector<std::vector<Step>> steps_;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv_reader.ipp>
#endif
