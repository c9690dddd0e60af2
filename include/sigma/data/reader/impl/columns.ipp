// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/columns.hpp>

#include <bit>
#include <cstdint>

namespace sigma::data::detail {

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

/// The same columns, which were of numbers, of another kind.
SIGMA_IMPL std::vector<ColumnPart> of_kind(ColumnPart::Kind kind, std::vector<ColumnPart> all) {
    for (ColumnPart& part : all) {
        if (part.kind != ColumnPart::Kind::numbers)
            throw ArgumentError(kind == ColumnPart::Kind::classes ? "classes"
                                : kind == ColumnPart::Kind::dates ? "date"
                                                                  : "labels or mapped values",
                                "columns without values yet", "columns that have them");
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
        throw ArgumentError("classes", "from 1 to 2^20 classes, or 0 where that is not known", sentence(count));
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

/// From the first to the last.
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
    detail::check(options);
    std::vector<detail::ColumnPart> parts =
        detail::of_kind(detail::ColumnPart::Kind::dates, detail::one(std::move(id)).parts.list());
    parts[0].dates = std::move(options);
    return {std::move(parts)};
}

SIGMA_IMPL Columns<Extents<1>> mapped(ColumnId id, detail::MappedValues values) {
    return {detail::one(std::move(id)).parts.with_values(detail::ColumnPart::Kind::mapped, detail::kept(values))};
}

}  // namespace sigma::data
