// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/execution/explain.hpp>
#include <sigma/plan/print.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL ExplainedParts explained_parts(std::string_view words, const char* what, bool with_passes) {
    ExplainedParts parts;
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find(',', at), words.size());
        const std::string_view word = words.substr(at, end - at);
        at = end + 1;
        if (word == "tape") parts.tape = true;
        else if (word == "plan") parts.plan = true;
        else if (word == "passes" && with_passes) parts.passes = true;
        else
            throw ArgumentError(what, sentence(with_passes ? "tape, passes" : "tape", " and plan, separated by commas"),
                                sentence("'", words, "'"));
    }
    return parts;
}

SIGMA_IMPL std::string explain(const TracedProgram& traced, int lanes, std::string_view words) {
    const ExplainedParts parts = explained_parts(words, "explain", true);
    const Program program = program_of(traced);
    std::string text;
    const auto add = [&](const char* title, const std::string& found) {
        text += sentence(title, ":\n", found.empty() ? "  nothing\n" : found);
    };
    if (parts.tape) add("tape", to_text(program));
    if (parts.passes) {
        const Passes found(program, lanes);
        add("liveness", to_text(found.in, found.liveness));
        add("views", to_text(found.in, found.views));
        add("layout", to_text(found.in, found.liveness, found.layouts));
        add("fusion", to_text(found.in, found.groups));
        add("lowering", to_text(found.lowered));
        add("schedule", to_text(found.scheduled));
        add("memory", to_text(found.memory));
    }
    if (parts.plan) add("plan", to_text(make_plan(program, lanes)));
    return text;
}

}  // namespace sigma::detail
