// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/execution/explain.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/plan/print_passes.hpp>

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
        const PassInput in{program, lanes};
        const Liveness liveness = find_liveness(in);
        const Views views = find_views(in, liveness);
        const Layouts layouts = choose_layouts(in, liveness, views);
        const FusedGroups groups = fuse(in, liveness, views);
        const LoweredKernels lowered = lower(in, views, layouts, groups);
        const ScheduledKernels scheduled = schedule(in, views, lowered);
        add("liveness", to_text(in, liveness));
        add("views", to_text(in, views));
        add("layout", to_text(in, liveness, layouts));
        add("fusion", to_text(in, groups));
        add("lowering", to_text(lowered));
        add("schedule", to_text(scheduled));
        add("memory", to_text(allocate(in, liveness, views, layouts, lowered, scheduled)));
    }
    if (parts.plan) add("plan", to_text(make_plan(program, lanes)));
    return text;
}

}  // namespace sigma::detail
