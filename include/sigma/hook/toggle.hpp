// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/toggle.hpp>
#include <sigma/hook/combination.hpp>

#include <utility>

namespace sigma {

/// Level: the toggle is on, or a pulse is taken. Event: it has been turned on since the last look, or is on at the
/// first, or a pulse is taken. A look takes one pulse, if one was given since the hook was added and this criterion has
/// not taken it; other criteria on the same toggle take it too. Looked at after each iteration.
struct ToggleCriterion : detail::Criterion<ToggleCriterion> {
    using Reads = Types<>;
    static constexpr MomentSet moments = Moment::iteration;
    static constexpr bool timed = false;

    explicit ToggleCriterion(Toggle toggle);
};

/// `when(toggle).then(…)`; also `when(on(toggle) && …)` and `every(1, epoch).when(on(toggle))`.
ToggleCriterion when(Toggle toggle);
ToggleCriterion on(Toggle toggle);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/toggle.ipp>
#endif
