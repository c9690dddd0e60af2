// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Text about how a network becomes kernels, for maintainers. Include it yourself.
#include <sigma/execution/step.hpp>
#include <sigma/network/model.hpp>
#include <sigma/plan/planned_now.hpp>

#include <string>
#include <string_view>

namespace sigma {

namespace detail {

/// The parts of a program that are shown, from a list of names: "tape,plan".
struct ExplainedParts {
    bool tape = false, passes = false, plan = false;
};
/// Returns the parts of a list. Throws ArgumentError about `what` for other names, and for "passes" if they are not
/// available.
ExplainedParts explained_parts(std::string_view words, const char* what, bool with_passes);
std::string explain(const TracedProgram& program, int lanes, std::string_view parts);

template <class P>
struct ExplainedPlan;
template <class Make, int width>
struct ExplainedPlan<Planned<Make, width>> {
    static std::string text(std::string_view parts) { return explain(traced_program<Make>(), width, parts); }
};

}  // namespace detail

/// Returns how a network's predictions become kernels, as text for maintenance and tuning.
/// @tparam N     type of the network
/// @tparam T     element type
/// @param parts  names separated by commas: "tape" (operations), "passes" (results of each planner pass, see
///     docs/design/passes.md), "plan" (buffers and kernels)
/// @return the text
/// @throws ArgumentError  for other names
///
/// @par Example
/// @code
/// // #include <sigma/execution/explain.hpp>
/// std::puts(explain<Digits>().c_str());
/// @endcode
template <AnyNetwork N, class T = float>
    requires(!AnyOptimizer<T>)
std::string explain(std::string_view parts = "tape,plan") {
    return detail::ExplainedPlan<detail::NetworkPlan<N, detail::to_predict, T>>::text(parts);
}
/// Returns how a training step with an optimizer becomes kernels: forward pass, backward pass and update.
/// @tparam N     type of the network
/// @tparam O     type of the optimizer
/// @tparam T     element type
/// @param parts  names separated by commas: "tape", "passes", "plan"
/// @return the text
/// @throws ArgumentError  for other names
template <AnyNetwork N, AnyOptimizer O, class T = float>
std::string explain(std::string_view parts = "tape,plan") {
    return detail::ExplainedPlan<typename detail::Step<N, O, T>::P>::text(parts);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/explain.ipp>
#endif
