// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/step.hpp>
#include <sigma/network/model.hpp>
#include <sigma/plan/planned_now.hpp>

#include <string>
#include <string_view>

namespace sigma {

namespace detail {

/// What of a program is shown, by the words of a list: "tape,plan".
struct ExplainedParts {
    bool tape = false, passes = false, plan = false;
};
/// Throws ArgumentError about `what` for other words, and for "passes" where those are not to be had.
ExplainedParts explained_parts(std::string_view words, const char* what, bool with_passes);
std::string explain(const TracedProgram& program, int lanes, std::string_view parts);

template <class P>
struct ExplainedPlan;
template <class Make, int width>
struct ExplainedPlan<Planned<Make, width>> {
    static std::string text(std::string_view parts) { return explain(traced_program<Make>(), width, parts); }
};

}  // namespace detail

/// How a network's predictions become kernels, for whoever maintains or tunes it. `parts` lists, separated by commas,
/// "tape": its operations, "passes": what each pass of the planner finds, as docs/design/passes.md tells them, "plan":
/// buffers and kernels. Throws ArgumentError for other words.
template <AnyNetwork N, class T = float>
    requires(!AnyOptimizer<T>)
std::string explain(std::string_view parts = "tape,plan") {
    return detail::ExplainedPlan<detail::NetworkPlan<N, detail::to_predict, T>>::text(parts);
}
/// The same of a training step with that optimizer: forward, backward and update.
template <AnyNetwork N, AnyOptimizer O, class T = float>
std::string explain(std::string_view parts = "tape,plan") {
    return detail::ExplainedPlan<typename detail::Step<N, O, T>::P>::text(parts);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/explain.ipp>
#endif
