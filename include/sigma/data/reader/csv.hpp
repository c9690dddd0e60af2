// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shared_owner.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/reader/columns.hpp>
#include <sigma/data/reader/csv_format.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/source/source.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {
struct CsvTable;
}

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

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/csv.ipp>
#endif
