// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Tables: comma-separated values and similar files, their columns and sections. Included by `<sigma/data/data.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/pipeline/schema.hpp>
#include <sigma/data/reader/csv_format.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/utf8.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

/// The part of a date that becomes a number.
///
/// @see DateOptions, date
enum class DatePart {
    days,     ///< days since 1970-01-01, with a fraction if the format has a time. Float: to 3 minutes; double: to 1 µs
    year,     ///< year of the Gregorian calendar
    month,    ///< month of the year, 1 to 12
    day,      ///< day of the month, 1 to 31
    weekday,  ///< day of the week, 0 (Monday) to 6 (Sunday)
    day_of_year,  ///< day of the year, 1 to 366
    hour,         ///< hour of the day with a fraction, 0 to 24
};

/// Options of `date`: how a column writes dates, and which number a date becomes.
///
/// `format` accepts the conversions of POSIX `strptime` that mean the same in every locale, and %z, %s, %G, %V, %u.
/// %Y has four digits. Names of months (%b) and days (%a) are English. A date with an offset (%z) becomes a date in
/// UTC.
///
/// @see date, docs/csv.md
struct DateOptions {
    std::string format = "%Y-%m-%d";  ///< form of a date, for example "%d.%m.%Y %H:%M"
    DatePart part = DatePart::days;   ///< the number that a date becomes
};

namespace detail {

/// Throws ArgumentError if the format has an unknown conversion, or does not determine `options.part`.
void examine(const DateOptions& options);

/// Returns `options.part` of the date that the whole text is. Returns nothing if the text does not match the format, is
/// no day of the Gregorian calendar, or contradicts itself.
std::optional<double> number_of_date(std::string_view text, const DateOptions& options);

}  // namespace detail

/// A column of a table: its number from 0, a number from the end if negative (-1 is the last), or its name in the
/// header.
///
/// @see column, columns
struct ColumnId {
    int number = 0;      ///< number of the column, unless `named`
    std::string name{};  ///< name in the header, if `named`
    bool named = false;  ///< true: selects the column by its name

    /// Selects a column by its number.
    /// @param column_number  number from 0, or from the end if negative
    ColumnId(int column_number) : number(column_number) {}
    /// Selects a column by its name in the header.
    /// @param column_name  the name
    ColumnId(std::string_view column_name) : name(column_name), named(true) {}
    /// @copydoc ColumnId(std::string_view)
    ColumnId(const char* column_name) : ColumnId(std::string_view(column_name)) {}
    /// @copydoc ColumnId(std::string_view)
    ColumnId(const std::string& column_name) : ColumnId(std::string_view(column_name)) {}

    /// Returns the number, or the name in quotes, for errors.
    std::string text() const { return named ? sentence("'", name, "'") : sentence(number); }
    /// Compares number and name.
    friend bool operator==(const ColumnId&, const ColumnId&) = default;
};

namespace detail {

/// Some columns, and how their texts become numbers.
struct ColumnPart {
    enum class Kind { numbers, labels, mapped, classes, dates };
    std::vector<std::pair<ColumnId, ColumnId>> spans{};  // first and last column of each range
    bool others = false;                                 // true: all columns except these
    Kind kind = Kind::numbers;
    std::vector<std::pair<std::string, double>> values{};  // of labels or mapped; labels without are sorted
    int classes = 0;                                       // number of classes; 0: unknown
    DateOptions dates{};

    std::string text() const;
};

/// A shared list of parts, which programs pass and function bodies read.
class ColumnParts {
public:
    ColumnParts(std::vector<ColumnPart> list);
    ColumnParts(const ColumnParts&) = default;  // no move: a moved-from list keeps its parts
    ColumnParts& operator=(const ColumnParts&) = default;

    const std::vector<ColumnPart>& list() const& { return *list_; }
    std::vector<ColumnPart> list() && { return *list_; }
    /// Returns these parts, followed by those.
    ColumnParts operator+(const ColumnParts& those) const;
    /// Returns these parts with values. Throws ArgumentError if some have values already.
    ColumnParts with_values(ColumnPart::Kind kind, const std::vector<std::pair<std::string, double>>& values) const;
    ColumnParts with_classes(int count) const;

private:
    sigma::detail::SharedOwner<const std::vector<ColumnPart>> list_;
};

/// A section of a table, with its columns.
struct TableSection {
    std::string name;
    bool target;
    bool single;  // one number a record, not a list
    ColumnParts parts;
};

template <class A, class B>
struct Beside {
    using type = UnknownExtents;
};
template <int... a, int... b>
struct Beside<Extents<a...>, Extents<b...>> {
    using type = Extents<(1 * ... * a) + (1 * ... * b)>;
};

}  // namespace detail

/// Columns with a section: `inputs = columns(0, 3)`.
///
/// @see sections
template <class Field_>
struct NamedColumns {
    using SectionField = Field_;  ///< name, role and extents of the section
    /// @cond internal
    detail::ColumnParts parts;
    /// @endcond
};

/// Columns of a table that become numbers, one after the other. `Extents<>` means one number a record.
///
/// @tparam Extents_  extents of a record, or UnknownExtents
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto features = columns(0, 3) + labels("colour");
/// @endcode
///
/// @see column, columns, except, labels, classes, date, mapped
template <class Extents_>
struct Columns {
    /// @cond internal
    detail::ColumnParts parts;

    template <Text name, Role role>
    auto named() const {
        return NamedColumns<SectionField<name, role, Extents_>>{parts};
    }
    /// @endcond

    /// Appends columns: `inputs = columns(0, 3) + labels("colour")`.
    /// @param these  the first columns
    /// @param those  the columns after them
    /// @return columns with the sum of both extents
    template <class Others>
    friend auto operator+(const Columns& these, const Columns<Others>& those) {
        return Columns<typename detail::Beside<Extents_, Others>::type>{these.parts + those.parts};
    }
};

namespace detail {

std::vector<std::pair<std::string, double>> numbered(const std::vector<std::string>& names);
Columns<Extents<1>> one(ColumnId id);
ColumnParts all_but(std::initializer_list<ColumnId> ids);

using MappedValues = std::initializer_list<std::pair<std::string_view, double>>;
std::vector<std::pair<std::string, double>> kept(MappedValues values);

}  // namespace detail

/// Selects one column of numbers.
///
/// @param id  number from 0, number from the end (-1 is the last), or name in the header
/// @return columns of extents (1)
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto prices = csv(file("housing.csv"), {.header = true}) >>
///                     sections(inputs = columns("longitude", "median_income"),
///                              targets = column("median_house_value"));
/// @endcode
///
/// @see columns, labels, docs/csv.md
Columns<Extents<1>> column(ColumnId id);
/// Selects one column of numbers: `column<4>()` is `column(4)`.
/// @tparam number  number from 0, or from the end if negative
/// @return columns of extents (1)
template <int number>
Columns<Extents<1>> column() {
    return detail::one(number);
}

/// Selects all columns from the first to the last, which is included.
///
/// @param first  the first column, for example 0, -3 or "longitude"
/// @param last   the last column, for example 3, -1 or "income"
/// @return columns of extents (n), unknown to the compiler
/// @throws ArgumentError  if `first` is after `last`
///
/// @par Example
/// @code
/// const auto features = data::columns("longitude", "income");
/// @endcode
///
/// @see column, except, docs/csv.md
Columns<UnknownExtents> columns(ColumnId first, ColumnId last);
/// Selects all columns from the first to the last, with a number that the compiler knows: `columns<0, 3>()`.
/// @tparam first  number of the first column, from 0, or from the end if negative
/// @tparam last   number of the last column, which is included
/// @return columns of extents (last - first + 1)
template <int first, int last>
    requires((first < 0) != (last < 0) || first <= last)
auto columns() {
    if constexpr ((first < 0) == (last < 0)) return Columns<Extents<last - first + 1>>{columns(first, last).parts};
    else return columns(first, last);
}
/// @cond internal
template <int first, int last>
    requires((first < 0) == (last < 0) && first > last)
error_last_column_before_first<column_number<first>, column_number<last>> columns();

/// Rejects `columns(0)`, which is `column(0)`, and `columns(0, 5, 2)`, which is `columns({0, 5, 2})`.
template <class... Ids>
    requires(sizeof...(Ids) != 2 && sizeof...(Ids) > 0 && (std::convertible_to<const Ids&, ColumnId> && ...))
error_columns_are_from_the_first_to_the_last<
    std::conditional_t<sizeof...(Ids) == 1, use_column, use_braces_around_several>>
columns(const Ids&...);
/// @endcond

/// Selects these columns, in this order: `columns({"age", "weight"})`, `columns({0, 5, 2})`.
/// @param ids  numbers or names of columns
/// @return columns of extents (n)
Columns<UnknownExtents> columns(std::initializer_list<ColumnId> ids);
/// Selects all columns but these, in the order of the table.
///
/// @param ids  numbers or names of columns
/// @return columns of extents (n), unknown to the compiler
///
/// @par Example
/// @code
/// const auto features = data::except("name", "status");
/// @endcode
///
/// @see columns, docs/csv.md
template <class... Ids>
Columns<UnknownExtents> except(const Ids&... ids) {
    return {detail::all_but({ColumnId(ids)...})};
}

/// Reads a column of texts as class numbers 0, 1, ….
///
/// Without names, all texts of the table are numbered in sorted order: by value if all of them are finite numbers ("2"
/// before "10"), else by their bytes. The table is then read twice. Reading throws DataError for a text that has no
/// number.
///
/// @param id     number or name of the column
/// @param names  names of classes 0, 1, …; empty (the default): all texts of the column
/// @return columns of extents (): one number a record
/// @throws ArgumentError  if a name occurs twice
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto iris = csv(file("iris.data")) >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris");
/// @endcode
///
/// @see classes, mapped, docs/csv.md
Columns<Extents<>> labels(ColumnId id, const std::vector<std::string>& names = {});
/// Reads several columns of texts as class numbers, with one list of names.
/// @param chosen  columns of numbers, such as `columns(0, 2)`
/// @param names   names of classes 0, 1, …; empty (the default): all texts of these columns
/// @return columns of the same extents
/// @throws ArgumentError  if a name occurs twice, or if `chosen` has labels, classes, dates or mapped values
template <class E>
Columns<E> labels(const Columns<E>& chosen, const std::vector<std::string>& names = {}) {
    return {chosen.parts.with_values(detail::ColumnPart::Kind::labels, detail::numbered(names))};
}

/// Reads a column of whole numbers from 0 as classes, unchanged.
///
/// Reading throws DataError for other numbers, and for numbers from `count` on.
///
/// @param id     number or name of the column
/// @param count  number of classes, up to 2^20; 0 (the default): unknown
/// @return columns of extents (): one number a record
/// @throws ArgumentError  if `count` is out of range
///
/// @par Example
/// @code
/// const auto target = data::classes(-1, 10);  // the last column holds 0 to 9
/// @endcode
///
/// @see labels, docs/csv.md
Columns<Extents<>> classes(ColumnId id, int count = 0);
/// Reads a column of whole numbers from 0 as classes: `classes(column(16))`.
/// @param chosen  one column of numbers
/// @param count   number of classes, up to 2^20; 0 (the default): unknown
/// @return columns of extents (): one number a record
/// @throws ArgumentError  if `count` is out of range, or if `chosen` has labels, classes, dates or mapped values
inline Columns<Extents<>> classes(const Columns<Extents<1>>& chosen, int count = 0) {
    return {chosen.parts.with_classes(count)};
}
/// Reads several columns of whole numbers from 0 as classes: `classes(columns(10, 15), 3)`.
/// @param chosen  columns of numbers
/// @param count   number of classes, up to 2^20; 0 (the default): unknown
/// @return columns of the same extents
/// @throws ArgumentError  if `count` is out of range, or if `chosen` has labels, classes, dates or mapped values
template <class E>
Columns<E> classes(const Columns<E>& chosen, int count = 0) {
    return {chosen.parts.with_classes(count)};
}

/// Reads a column of dates as one number each.
///
/// Reading throws DataError for a text that does not match the format or is no day of the calendar.
///
/// @param id       number or name of the column
/// @param options  form of the dates, default "%Y-%m-%d", and the number that they become, default days since
/// 1970-01-01
/// @return columns of extents (1)
/// @throws ArgumentError  if the format has an unknown conversion, or does not determine `options.part`
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto hour = date("at", {.format = "%d.%m.%Y %H:%M", .part = DatePart::hour});
/// @endcode
///
/// @see DateOptions, docs/csv.md
Columns<Extents<1>> date(ColumnId id, DateOptions options = {});

/// Reads a column of texts that stand for numbers.
///
/// Reading throws DataError for a text that is not listed.
///
/// @param id      number or name of the column
/// @param values  each text with its number
/// @return columns of extents (1)
/// @throws ArgumentError  if a text occurs twice
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto board = mapped(columns(0, 41), {{"x", 1}, {"b", 0}, {"o", -1}});
/// @endcode
///
/// @see labels, docs/csv.md
Columns<Extents<1>> mapped(ColumnId id, detail::MappedValues values);
/// Reads several columns of texts that stand for numbers.
/// @param chosen  columns of numbers, such as `columns(0, 41)`
/// @param values  each text with its number
/// @return columns of the same extents
/// @throws ArgumentError  if a text occurs twice
template <class E>
Columns<E> mapped(const Columns<E>& chosen, detail::MappedValues values) {
    return {chosen.parts.with_values(detail::ColumnPart::Kind::mapped, detail::kept(values))};
}

/// Options of tables whose values have types: `sqlite` and `npy_table`.
///
/// A value that is null, absent or a NaN is missing: it is read as NaN.
///
/// @par Example
/// @code
/// const data::TableOptions options{.missing = {"?", "NA"}, .doubles = true};
/// @endcode
///
/// @see sqlite, npy_table, JsonOptions
struct TableOptions {
    std::vector<std::string> missing{};  ///< Texts of missing numbers, read as NaN: "", "?", "NA".
    bool non_finite = false;             ///< Accepts infinite numbers if true.
    bool doubles = false;                ///< Reads numbers as double if true, for networks of double.
    /// Limit of a record in bytes, from 1 to 2^30. A longer record throws DataError.
    std::size_t longest_record = std::size_t{1} << 24;
    std::size_t most_columns = std::size_t{1} << 20;  ///< Limit of the number of columns, from 1 to 2^30.
};

namespace detail {
class TableFile;
/// Returns the options as those of a table with names. Throws ArgumentError for a limit that is out of range.
CsvFormat format_of(TableOptions options);
}  // namespace detail

/// A table without sections. Add `sections` with `>>`. Copies refer to the same table.
///
/// @see csv, json_lines, sqlite, npy_table, sections
class Table {
public:
    /// Constructs a table. Opens nothing yet.
    /// @param source  the bytes of the table
    /// @param format  how the table is written
    /// @throws ArgumentError  if two characters of the format have the same meaning
    Table(Source source, CsvFormat format);

    /// Returns the names of the columns in the header, or an empty list if the format has no header.
    /// @throws DataError  if the source cannot be opened or is empty
    std::vector<std::string> names() const;
    /// Returns how many malformed lines the last reading has skipped so far (`CsvFormat::skip_malformed`).
    std::size_t skipped() const;
    /// @cond internal
    explicit Table(std::shared_ptr<detail::TableFile> table);
    const std::shared_ptr<detail::TableFile>& shared() const& { return table_; }
    std::shared_ptr<detail::TableFile> shared() && { return table_; }
    /// @endcond

private:
    std::shared_ptr<detail::TableFile> table_;
};

/// Opens a table of comma-separated values, or of another format.
///
/// A table is read a block of records at a time. To read a compressed file, pass `unpacked(source)`.
///
/// @param source  the bytes: `file("iris.data")`, `url("https://…")`, `memory(text)`
/// @param format  separator, header, quotes, texts of missing numbers; see CsvFormat
/// @return a table, to which you add `sections`
/// @throws ArgumentError  if two characters of the format have the same meaning
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto cars = csv(file("auto-mpg.data"), {.separator = blanks, .missing = {"?"}}) >>
///             sections(inputs = columns(1, 7), targets = column(0)) >> dataset("cars", {.missing = true});
/// @endcode
///
/// @see sections, CsvFormat, read_table, docs/csv.md
Table csv(Source source, CsvFormat format = {});
/// @cond internal
/// Rejects a text, which may be a path, an address or the table itself. Use `csv(file("iris.data"))`.
template <std::convertible_to<std::string_view> Path>
error_source_is_a_text_and_not_file_or_url<Path> csv(const Path&, const CsvFormat& = {});

/// Rejects `sigma::file`, with which hooks name their files.
template <HookFile Name>
error_source_is_a_file_of_namespace_data<use_data_file> csv(const Name&, const CsvFormat& = {});
/// @endcond

/// The sections of a table and their columns.
///
/// @tparam Schema_  names, roles and extents of the sections
///
/// @see sections
template <class Schema_>
struct Sections {
    /// @cond internal
    using Schema = Schema_;
    sigma::detail::SharedOwner<const std::vector<detail::TableSection>> chosen;

    Sections(decltype(chosen) list) : chosen(std::move(list)) {}
    Sections(const Sections&) = default;  // no move: a moved-from object keeps its sections
    Sections& operator=(const Sections&) = default;
    /// @endcond
};

namespace detail {

template <class... F>
struct first_named_twice;
template <>
struct first_named_twice<> {
    using type = void;
};
template <class F, class... G>
struct first_named_twice<F, G...>
    : std::conditional_t<((F::name == G::name) || ...), std::type_identity<section<F::name>>, first_named_twice<G...>> {
};

template <class>
inline constexpr bool is_named = false;
template <class F>
inline constexpr bool is_named<NamedColumns<F>> = true;
template <class F>
inline constexpr bool is_single = false;
template <Text name, Role role>
inline constexpr bool is_single<SectionField<name, role, Extents<>>> = true;

/// A section that is being added to a list.
struct ChosenColumns {
    std::string_view name;
    bool target, single;
    const ColumnParts& parts;
};
using TableSections = sigma::detail::SharedOwner<const std::vector<TableSection>>;
TableSections table_sections(std::initializer_list<ChosenColumns> chosen);
std::shared_ptr<RecordReader> table_reader(const Table& table, const std::vector<TableSection>& chosen);

}  // namespace detail

/// Assigns columns of a table to sections: inputs and targets.
///
/// Name each section once. To put several groups of columns into one section, join them with `+`. Columns that you do
/// not name are ignored.
///
/// @param chosen  sections with their columns: `inputs = columns(0, 3)`, `input<"colour"> = labels("colour")`
/// @return sections to add to a table with `>>`
///
/// @par Errors
/// `error_section_twice` at compile time if two sections have the same name.
/// `error_columns_have_no_section_yet` at compile time for columns without a section.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto houses = csv(file("housing.csv"), {.header = true, .missing = {""}}) >>
///               sections(inputs = columns("longitude", "median_income") + labels("ocean_proximity"),
///                        targets = column("median_house_value"));
/// @endcode
///
/// @see csv, docs/csv.md
template <class... F>
    requires(sizeof...(F) > 0 && std::is_void_v<typename detail::first_named_twice<F...>::type>)
Sections<Schema<F...>> sections(const NamedColumns<F>&... chosen) {
    return {detail::table_sections({{F::name.view(), F::role == Role::target, detail::is_single<F>, chosen.parts}...})};
}
/// @cond internal
template <class... F>
    requires(!std::is_void_v<typename detail::first_named_twice<F...>::type>)
error_section_twice<typename detail::first_named_twice<F...>::type, sections_are<section<F::name>...>> sections(
    const NamedColumns<F>&... chosen);
template <class... C>
    requires(!(detail::is_named<C> && ...))
error_columns_have_no_section_yet<C...> sections(const C&... chosen);
/// @endcond

/// Makes a pipeline that reads the sections of a table a block of records at a time.
/// @param table   the table
/// @param chosen  its sections
/// @return a pipeline, to which you add transforms and `dataset("name")`
template <class S>
Pipeline<S> operator>>(const Table& table, const Sections<S>& chosen) {
    return {detail::table_reader(table, *chosen.chosen)};
}

/// A column of a table in memory: numbers if all its fields are numbers or missing, else texts.
///
/// @see read_table
struct TableColumn {
    std::string name{};                ///< name in the header, or an empty text
    bool numeric = true;               ///< true: `numbers` holds the fields; false: `texts` holds them
    std::vector<double> numbers{};     ///< one number for each record, NaN if missing
    std::vector<std::string> texts{};  ///< one text for each record
};

/// A whole table in memory, for looking at it.
///
/// @see read_table
struct TableValues {
    std::string name;                  ///< name of the source
    std::size_t records = 0;           ///< number of records
    std::vector<TableColumn> columns;  ///< all columns, in the order of the table

    /// Returns a column by its number or name.
    /// @param id  number from 0, number from the end, or name
    /// @throws ArgumentError  if there is no such column
    const TableColumn& operator[](const ColumnId& id) const&;
    /// @copydoc operator[]
    TableColumn operator[](const ColumnId& id) && { return (*this)[id]; }
};

/// Reads all columns of a table into memory. Reads the source twice, to find the columns of numbers.
///
/// @param source  the bytes of the table
/// @param format  how the table is written
/// @return the columns
/// @throws DataError  if the table cannot be read, is empty, or changes between both readings
///
/// @par Example
/// @code
/// const data::TableValues table = data::read_table(data::file("housing.csv"), {.header = true});
/// const double first = table["longitude"].numbers[0];
/// @endcode
///
/// @see csv
TableValues read_table(Source source, CsvFormat format = {});
/// Reads all columns of a table into memory: `read_table(json_lines(source))`. Reads it twice, to find the columns of
/// numbers.
/// @param table  the table
/// @return the columns
/// @throws DataError  if the table cannot be read, is empty, or changes between both readings
TableValues read_table(const Table& table);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv.ipp>
#endif
