// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/sliding.hpp>
#include <sigma/data/reader/windows.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL std::shared_ptr<RecordReader> windows_reader(const std::shared_ptr<RecordReader>& reader,
                                                        const std::vector<TransformStep>& steps,
                                                        const std::vector<WindowSection>& sections, std::size_t length,
                                                        const WindowOptions& options) {
    if (!steps.empty())
        throw ArgumentError(sentence("windows of '", reader->name(), "'"), "transforms after the windows",
                            sentence("'", steps[0].transform->text(), "' before them"));
    const bool answers = std::ranges::any_of(sections, &WindowSection::target);
    const std::size_t gap = std::min(options.gap, std::size_t{1} << 40);  // so that the sum is refused, not wrapped
    std::vector<WindowPart> parts;
    for (std::size_t from = 0; from < sections.size(); ++from) {
        const auto& [name, target] = sections[from];
        if (!target) parts.push_back({std::string(name), false, from, 0, length, {}, true});
        if (target || !answers)
            parts.push_back(
                {target ? std::string(name) : "targets", true, from, length + gap, options.horizon, options.features});
    }
    return std::make_shared<SlidingReader>(reader, std::move(parts), SlidingReader::Options{.step = options.step});
}

}  // namespace sigma::data::detail
