// SPDX-License-Identifier: BSL-1.0
#pragma once

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

/// What a number says of a date.
enum class DatePart {
    days,  ///< since 1970-01-01, with a fraction where the format has a time; a float knows it to 3 minutes, a double
           ///< to a microsecond
    year,
    month,        ///< 1 to 12
    day,          ///< of the month, 1 to 31
    weekday,      ///< 0, Monday, to 6
    day_of_year,  ///< 1 to 366
    hour,         ///< 0 to 24, with a fraction
};

/// How dates are written: "%d.%m.%Y %H:%M", by the conversions of POSIX' strptime that mean the same in every locale,
/// and %z, %s, %G, %V, %u. %Y has four digits, names of months (%b) and days are English. A date with an offset (%z) is
/// that of UTC.
struct DateOptions {
    std::string format = "%Y-%m-%d";
    DatePart part = DatePart::days;
};

namespace detail {

/// Throws ArgumentError where the format has what is not known here, or does not tell what `options.part` asks for.
void examine(const DateOptions& options);

/// What `options.part` says of the date that is the whole text; nothing where it is none of that format, or no day of
/// the calendar (which is the Gregorian one at all times), or says two things that do not agree.
std::optional<double> number_of_date(std::string_view text, const DateOptions& options);

}  // namespace detail

/// A column by its number from 0, from the end if negative (-1 is the last), or by its name in the header.
struct ColumnId {
    int number = 0;
    std::string name{};
    bool named = false;

    ColumnId(int n) : number(n) {}
    ColumnId(std::string_view n) : name(n), named(true) {}
    ColumnId(const char* n) : ColumnId(std::string_view(n)) {}
    ColumnId(const std::string& n) : ColumnId(std::string_view(n)) {}

    std::string text() const { return named ? sentence("'", name, "'") : sentence(number); }
    friend bool operator==(const ColumnId&, const ColumnId&) = default;
};

namespace detail {

/// Some columns and how their texts become numbers.
struct ColumnPart {
    enum class Kind { numbers, labels, mapped, classes, dates };
    std::vector<std::pair<ColumnId, ColumnId>> spans{};  // first and last
    bool others = false;                                 // all but these
    Kind kind = Kind::numbers;
    std::vector<std::pair<std::string, double>> values{};  // of labels or mapped; labels without are sorted
    int classes = 0;                                       // how many there are; 0: not told
    DateOptions dates{};

    std::string text() const;
};

/// Several, which programs hand over and bodies read.
class ColumnParts {
public:
    ColumnParts(std::vector<ColumnPart> list);
    ColumnParts(const ColumnParts&) = default;  // moved from, too, they stay what they are
    ColumnParts& operator=(const ColumnParts&) = default;

    const std::vector<ColumnPart>& list() const& { return *list_; }
    std::vector<ColumnPart> list() && { return *list_; }
    /// These, and after them those.
    ColumnParts operator+(const ColumnParts& those) const;
    /// Throws ArgumentError where some have values already.
    ColumnParts with_values(ColumnPart::Kind kind, const std::vector<std::pair<std::string, double>>& values) const;
    ColumnParts with_classes(int count) const;

private:
    sigma::detail::SharedOwner<const std::vector<ColumnPart>> list_;
};

/// A section of a table, as it was chosen.
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

/// Columns that have a section: `inputs = columns(0, 3)`.
template <class Field_>
struct NamedColumns {
    using SectionField = Field_;
    detail::ColumnParts parts;
};

/// Chosen columns of a table, as numbers, one after the other; Extents<> is one number.
template <class Extents_>
struct Columns {
    detail::ColumnParts parts;

    template <Text name, Role role>
    auto named() const {
        return NamedColumns<SectionField<name, role, Extents_>>{parts};
    }
    /// These, and after them those: inputs = columns(0, 3) + labels("colour").
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

/// One column of numbers: column(4), column(-1), column("median_house_value").
Columns<Extents<1>> column(ColumnId id);
template <int number>
Columns<Extents<1>> column() {
    return detail::one(number);
}

/// From the first to the last, which is one of them: columns(0, 3), columns(1, -2), columns("longitude", "income").
Columns<UnknownExtents> columns(ColumnId first, ColumnId last);
/// The same for the compiler, which then knows how many there are: columns<0, 3>().
template <int first, int last>
    requires((first < 0) != (last < 0) || first <= last)
auto columns() {
    if constexpr ((first < 0) == (last < 0)) return Columns<Extents<last - first + 1>>{columns(first, last).parts};
    else return columns(first, last);
}
template <int first, int last>
    requires((first < 0) == (last < 0) && first > last)
error_last_column_before_first<column_number<first>, column_number<last>> columns();

/// One column is column(0), several are columns({0, 5, 2}).
template <class... Ids>
    requires(sizeof...(Ids) != 2 && sizeof...(Ids) > 0 && (std::convertible_to<const Ids&, ColumnId> && ...))
error_columns_are_from_the_first_to_the_last<
    std::conditional_t<sizeof...(Ids) == 1, write_column, write_braces_around_several>>
columns(const Ids&...);

/// These, in this order: columns({"age", "weight"}), columns({0, 5, 2}).
Columns<UnknownExtents> columns(std::initializer_list<ColumnId> ids);
/// All but these, in their order in the table: except("name", "status").
template <class... Ids>
Columns<UnknownExtents> except(const Ids&... ids) {
    return {detail::all_but({ColumnId(ids)...})};
}

/// A column of texts as class numbers 0, 1, …: of these names, or where there are none of all texts in sorted order, by
/// value where all of them are finite numbers ("2" before "10"), else by their bytes; the table is then read twice. One
/// column is one number a record, several are a list. Other texts are refused with a DataError.
Columns<Extents<>> labels(ColumnId id, const std::vector<std::string>& names = {});
template <class E>
Columns<E> labels(const Columns<E>& of, const std::vector<std::string>& names = {}) {
    return {of.parts.with_values(detail::ColumnPart::Kind::labels, detail::numbered(names))};
}

/// A column of whole numbers from 0 that are classes as they stand: targets = classes(16), targets = classes(-1, 10).
/// Other numbers, and from `count` on where it is given, are refused with a DataError.
Columns<Extents<>> classes(ColumnId id, int count = 0);
/// The same of one column or several: classes(column(16)), classes(columns(10, 15), 3).
inline Columns<Extents<>> classes(const Columns<Extents<1>>& of, int count = 0) {
    return {of.parts.with_classes(count)};
}
template <class E>
Columns<E> classes(const Columns<E>& of, int count = 0) {
    return {of.parts.with_classes(count)};
}

/// A column of dates, as one number: date("sold"), date("at", {.format = "%d.%m.%Y %H:%M", .part = DatePart::hour}).
/// What is no date of that format, and no day of the calendar, is refused with a DataError; ArgumentError for a format
/// that has other conversions, or does not tell what is asked for.
Columns<Extents<1>> date(ColumnId id, DateOptions options = {});

/// Columns of texts that stand for numbers: mapped(columns(0, 41), {{"x", 1}, {"b", 0}, {"o", -1}}). Others are
/// refused.
Columns<Extents<1>> mapped(ColumnId id, detail::MappedValues values);
template <class E>
Columns<E> mapped(const Columns<E>& of, detail::MappedValues values) {
    return {of.parts.with_values(detail::ColumnPart::Kind::mapped, detail::kept(values))};
}

namespace detail {
struct CsvTable;
}  // namespace detail

/// A table whose columns have no meaning yet: `table >> sections(inputs = columns(0, 3), targets = labels(4))`. A
/// handle.
class Table {
public:
    Table(Source source, CsvFormat format);

    /// The names of columns in the header; none where the format has no header. Opens the source. Throws DataError.
    std::vector<std::string> names() const;
    /// How many malformed lines the last reading has passed over, of what it has read.
    std::size_t skipped() const;
    const std::shared_ptr<detail::CsvTable>& shared() const& { return table_; }
    std::shared_ptr<detail::CsvTable> shared() && { return table_; }

private:
    std::shared_ptr<detail::CsvTable> table_;
};

/// Comma-separated values and their relatives; see CsvFormat. Throws ArgumentError for a format that cannot be. A
/// packed table is csv(unpacked(source)).
Table csv(Source source, CsvFormat format = {});
/// A text may be a path, an address or the table itself: csv(file("iris.data")).
template <std::convertible_to<std::string_view> Path>
error_source_is_a_text_and_not_file_or_url<Path> csv(const Path&, const CsvFormat& = {});

/// What hooks call a file is no source.
template <NoSource Name>
error_source_is_a_file_of_namespace_data<write_data_file> csv(const Name&, const CsvFormat& = {});

/// Which columns are which section.
template <class Schema_>
struct Sections {
    using Schema = Schema_;
    sigma::detail::SharedOwner<const std::vector<detail::TableSection>> chosen;

    Sections(decltype(chosen) list) : chosen(std::move(list)) {}
    Sections(const Sections&) = default;  // moved from, too, it stays what it is
    Sections& operator=(const Sections&) = default;
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

/// A section on its way into a list.
struct ChosenColumns {
    std::string_view name;
    bool target, single;
    const ColumnParts& parts;
};
using TableSections = sigma::detail::SharedOwner<const std::vector<TableSection>>;
TableSections table_sections(std::initializer_list<ChosenColumns> chosen);
std::shared_ptr<RecordReader> table_reader(const Table& table, const std::vector<TableSection>& chosen);

}  // namespace detail

/// The sections of a table: sections(inputs = columns(0, 3), targets = labels(4)). A section is named once; several
/// groups of columns make one with `+`.
template <class... F>
    requires(sizeof...(F) > 0 && std::is_void_v<typename detail::first_named_twice<F...>::type>)
Sections<Schema<F...>> sections(const NamedColumns<F>&... chosen) {
    return {detail::table_sections({{F::name.view(), F::role == Role::target, detail::is_single<F>, chosen.parts}...})};
}
template <class... F>
    requires(!std::is_void_v<typename detail::first_named_twice<F...>::type>)
error_section_twice<typename detail::first_named_twice<F...>::type, sections_are<section<F::name>...>> sections(
    const NamedColumns<F>&... chosen);
template <class... C>
    requires(!(detail::is_named<C> && ...))
error_columns_have_no_section_yet<C...> sections(const C&... chosen);

/// Records of named sections, read a block after the other.
template <class S>
Pipeline<S> operator>>(const Table& table, const Sections<S>& chosen) {
    return {detail::table_reader(table, *chosen.chosen)};
}

/// A column in memory: numbers where all its fields are numbers or missing, else texts.
struct TableColumn {
    std::string name{};  ///< in the header, else empty
    bool numeric = true;
    std::vector<double> numbers{};  ///< NaN where missing
    std::vector<std::string> texts{};
};

/// A whole table in memory, to be looked at.
struct TableValues {
    std::string name;
    std::size_t records = 0;
    std::vector<TableColumn> columns;

    /// By number or name. Throws ArgumentError where there is none.
    const TableColumn& operator[](const ColumnId& id) const&;
    TableColumn operator[](const ColumnId& id) && { return (*this)[id]; }
};

/// Reads all columns. Goes through the source twice: what a column holds is known only at its end. Throws DataError.
TableValues read_table(Source source, CsvFormat format = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv.ipp>
#endif
