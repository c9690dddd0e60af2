// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/sqlite.hpp>
#include <sigma/data/reader/table_rows.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <sqlite3.h>

namespace sigma::data::detail {

struct SqliteCloser {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

/// The rows that a query returns.
class SqliteRows final : public TableRows {
public:
    SqliteRows(const Source& source, const SqliteQuery& query, const CsvFormat& format, std::vector<std::string>& names)
        : file_(source.name()), longest_(format.longest_record) {
        open(source);
        prepare(query);
        bind(query.parameters);
        const int count = sqlite3_column_count(statement_.get());
        if (static_cast<std::size_t>(count) > format.most_columns)
            throw DataError(file_, "", sentence("at most ", format.most_columns, " columns"), sentence(count));
        for (int c = 0; c < count; ++c) {
            const char* const name = sqlite3_column_name(statement_.get(), c);
            names_.emplace_back(name == nullptr ? "" : name);
        }
        names = names_;
        cells_.resize(names_.size());
        texts_.resize(names_.size());
    }

    bool next() override {
        if (ended_) return false;  // another step would begin again
        ++row_;
        const int code = sqlite3_step(statement_.get());
        ended_ = code != SQLITE_ROW;
        if (code == SQLITE_DONE) return false;
        if (code == SQLITE_TOOBIG) refuse_length();
        if (code != SQLITE_ROW) fail(0, "a row of the database", reason());
        std::size_t bytes = 0;
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            cells_[c] = cell(static_cast<int>(c), texts_[c]);
            if (cells_[c].kind == TableCell::Kind::text) bytes += cells_[c].text.size();
        }
        if (bytes > longest_) refuse_length();
        return true;
    }
    std::span<const TableCell> cells() const override { return cells_; }

private:
    DataError error(std::size_t column, std::string expected, std::string found) const override {
        return {file_, sentence("row ", row_, place_of_column(names_, column)), std::move(expected), std::move(found)};
    }

    [[noreturn]] void refuse_length() const { fail(0, sentence("a record of at most ", longest_, " bytes"), "more"); }
    /// Returns the last error of SQLite, which may quote bytes of the file.
    std::string reason() const {
        const std::string text = database_ ? sqlite3_errmsg(database_.get()) : "not enough memory";
        const bool printable = storage::utf8_fault(text) == std::string_view::npos &&
                               std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
        return printable ? text : storage::quotation(text);
    }

    void open(const Source& source) {
        constexpr std::string_view magic("SQLite format 3\0", 16);
        PeekedStream stream(source.open());
        const std::span<const std::byte> front = stream.front();
        const std::string_view begin(reinterpret_cast<const char*>(front.data()), std::min(front.size(), magic.size()));
        refuse_packed(front, file_);
        if (begin != magic)
            throw DataError(file_, "byte 0", "a SQLite database, which begins with 'SQLite format 3'",
                            begin.empty() ? "an empty file" : storage::quotation(begin));
        std::optional<std::string> path = source.path();
        // SQLite gives ":memory:" and "" a meaning of its own.
        if (path && !path->starts_with('/')) path->insert(0, "./");
        sqlite3* database = nullptr;
        int code = sqlite3_open_v2(path ? path->c_str() : ":memory:", &database,
                                   path ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, nullptr);
        database_.reset(database);
        if (code != SQLITE_OK) throw DataError(file_, "", "a readable database", reason());
        if (!path) {
            bytes_ = read_all(source);
            const auto size = static_cast<sqlite3_int64>(bytes_.size());
            code = sqlite3_deserialize(database, "main", reinterpret_cast<unsigned char*>(bytes_.data()), size, size,
                                       SQLITE_DESERIALIZE_READONLY);
            if (code != SQLITE_OK) throw DataError(file_, "", "a readable database", reason());
        }
        // A schema is a program, which a stranger may have written.
        sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_limit(database, SQLITE_LIMIT_LENGTH, static_cast<int>(longest_));
        sqlite3_busy_timeout(database, 5000);
        sqlite3_exec(database, "pragma cell_size_check = on", nullptr, nullptr, nullptr);
    }

    /// Compiles the next statement of a text. Returns nothing if the rest is blank. Sets `rest` to what follows it.
    std::unique_ptr<sqlite3_stmt, SqliteCloser> compiled(std::string_view& rest) {
        sqlite3_stmt* statement = nullptr;
        const char* tail = nullptr;
        const int code =
            sqlite3_prepare_v2(database_.get(), rest.data(), static_cast<int>(rest.size()), &statement, &tail);
        std::unique_ptr<sqlite3_stmt, SqliteCloser> owned(statement);
        if (code == SQLITE_ERROR || code == SQLITE_AUTH || code == SQLITE_TOOBIG)
            throw ArgumentError(what(), "a statement that SQLite accepts", reason());
        if (code != SQLITE_OK) throw DataError(file_, "", "a readable database", reason());
        rest.remove_prefix(static_cast<std::size_t>(tail - rest.data()));
        return owned;
    }
    std::string what() const { return sentence("query of '", file_, "'"); }

    void prepare(const SqliteQuery& query) {
        std::string_view rest = query.text;
        if (rest.size() > std::size_t{1} << 30 || rest.find('\0') != rest.npos)
            throw ArgumentError(what(), "a text of at most 2^30 characters without '\\0'", storage::quotation(rest));
        statement_ = compiled(rest);
        if (!statement_) throw ArgumentError(what(), "one statement of SQL", "none");
        if (sqlite3_column_count(statement_.get()) == 0 || sqlite3_stmt_readonly(statement_.get()) == 0)
            throw ArgumentError(what(), "a statement that returns rows and changes nothing",
                                storage::quotation(query.text));
        while (!rest.empty())
            if (compiled(rest)) throw ArgumentError(what(), "one statement of SQL", "several");
    }

    void bind(const std::vector<SqliteValue>& parameters) {
        sqlite3_stmt* const to = statement_.get();
        const int count = sqlite3_bind_parameter_count(to);
        if (parameters.size() != static_cast<std::size_t>(count))
            throw ArgumentError(what(), sentence(count, count == 1 ? " parameter" : " parameters"),
                                sentence(parameters.size()));
        for (int i = 1; i <= count; ++i) {
            const auto& value = parameters[static_cast<std::size_t>(i - 1)].value;
            int code = SQLITE_OK;
            if (const auto* whole = std::get_if<std::int64_t>(&value)) code = sqlite3_bind_int64(to, i, *whole);
            else if (const auto* number = std::get_if<double>(&value)) code = sqlite3_bind_double(to, i, *number);
            else if (const auto* text = std::get_if<std::string>(&value))
                code = sqlite3_bind_text64(to, i, text->data(), text->size(), nullptr, SQLITE_UTF8);
            else code = sqlite3_bind_null(to, i);
            if (code != SQLITE_OK) throw ArgumentError(what(), sentence("a value for parameter ", i), reason());
        }
    }

    /// Reads a value of the present row. `memory` keeps its text if SQLite does not.
    TableCell cell(int column, std::string& memory) const {
        sqlite3_stmt* const from = statement_.get();
        switch (sqlite3_column_type(from, column)) {
            case SQLITE_NULL: return {};
            case SQLITE_FLOAT: return TableCell::of(sqlite3_column_double(from, column));
            case SQLITE_INTEGER: {
                const auto whole = static_cast<long long>(sqlite3_column_int64(from, column));
                const TableCell number = TableCell::of(static_cast<double>(whole));
                if (std::abs(number.number) < 0x1p53) return number;
                memory = sentence(whole);
                const std::size_t size = memory.size();
                memory.append(number_padding, '\0');
                return {TableCell::Kind::number, number.number, std::string_view(memory).substr(0, size)};
            }
            case SQLITE_TEXT: {
                const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(from, column));
                if (text == nullptr) throw std::bad_alloc();
                return {TableCell::Kind::text, 0, {text, static_cast<std::size_t>(sqlite3_column_bytes(from, column))}};
            }
            default:
                memory = sentence("a BLOB of ", sqlite3_column_bytes(from, column), " bytes");
                return {TableCell::Kind::other, 0, memory};
        }
    }

    std::string file_;
    std::size_t longest_, row_ = 0;
    bool ended_ = false;
    std::vector<std::byte> bytes_;  // of a database in memory, which outlives its connection
    std::unique_ptr<sqlite3, SqliteCloser> database_;
    std::unique_ptr<sqlite3_stmt, SqliteCloser> statement_;
    std::vector<std::string> names_, texts_;
    std::vector<TableCell> cells_;
};

class SqliteTable final : public TableFile {
public:
    SqliteTable(Source source, SqliteQuery query, TableOptions options)
        : TableFile(format_of(std::move(options)), true), source_(std::move(source)), query_(std::move(query)) {}

    std::string kind() const override { return "sqlite"; }
    std::string name() const override { return source_.name(); }
    std::string key() const override {
        std::string all = sentence(source_.key(), " ");
        // Changes that SQLite has not moved to the file yet.
        if (const auto path = source_.path())
            if (const std::string log = sentence(*path, "-wal"); file(log).exists()) all += file_key(log, name());
        all += sentence(" ", query_.text.size(), ":", query_.text);
        for (const SqliteValue& parameter : query_.parameters) {
            all += sentence(" ", parameter.value.index(), " ");
            if (const auto* whole = std::get_if<std::int64_t>(&parameter.value)) all += sentence(*whole);
            if (const auto* number = std::get_if<double>(&parameter.value)) all += sentence(*number);
            if (const auto* text = std::get_if<std::string>(&parameter.value))
                all += sentence(text->size(), ":", *text);
        }
        return all;
    }
    std::unique_ptr<TableRows> open(std::vector<std::string>& names) const override {
        return std::make_unique<SqliteRows>(source_, query_, format, names);
    }
    std::string names_place() const override { return "columns of the query"; }

private:
    Source source_;
    SqliteQuery query_;
};

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Table sqlite(Source source, SqliteQuery query, TableOptions options) {
    return Table(std::make_shared<detail::SqliteTable>(std::move(source), std::move(query), std::move(options)));
}

}  // namespace sigma::data
