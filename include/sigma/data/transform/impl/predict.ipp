// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/predict.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL void check_section(const Preprocessing& p, std::string_view section, std::string_view usual,
                              std::string_view other) {
    std::vector<std::string> names;
    for (const Preprocessing::Step& step : p.steps())
        if (std::ranges::find(names, step.section) == names.end()) names.push_back(step.section);
    if (std::ranges::find(names, section) != names.end()) return;
    if (section == usual && std::ranges::all_of(names, [&](const std::string& name) { return name == other; })) return;
    if (names.empty()) return;
    throw ArgumentError("preprocessing",
                        sentence("one of ", quoted_names(names, [](const auto& name) { return name; })),
                        sentence("'", section, "'"));
}

SIGMA_IMPL void check_inverse(const Preprocessing& p, std::string_view section, const std::vector<std::size_t>& shape) {
    check_section(p, section, "targets", "inputs");
    if (shape.empty())
        throw ShapeError(sentence("inverse of the preprocessing of '", section, "'"),
                         "an array of records (records, ...)", sigma::detail::shape_text(shape));
}

SIGMA_IMPL void check_records(const Preprocessing& p, std::string_view section, const std::vector<std::size_t>& shape) {
    const std::string where = sentence("preprocessing of '", section, "'");
    if (shape.empty()) throw ShapeError(where, "an array of records (records, ...)", sigma::detail::shape_text(shape));
    const auto fit = [&](std::size_t first) {
        try {
            p.sections(
                {{std::string(section), {shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end()}, false}});
            return true;
        } catch (const ShapeError&) { return false; }
    };
    if (fit(1) || !fit(0)) return;
    throw ShapeError(where, sentence("shape (records, ", sigma::detail::shape_text(shape).substr(1)),
                     sigma::detail::shape_text(shape));
}

SIGMA_IMPL void prepare(const Preprocessing& p, std::string_view section, std::vector<std::size_t>& shape,
                        NumberList& values) {
    Block block{shape[0], {}};
    block.values.push_back(std::move(values));
    const std::vector<SectionInfo> before{{std::string(section), {shape.begin() + 1, shape.end()}, false}};
    const std::vector<std::size_t> after = p.sections(before)[0].shape;
    p.apply(block, before);
    shape.resize(1);
    shape.insert(shape.end(), after.begin(), after.end());
    values = std::move(block.values[0]);
}

}  // namespace sigma::data::detail
