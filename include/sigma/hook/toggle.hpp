// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/toggle.hpp>
#include <sigma/hook/combination.hpp>

#include <utility>

namespace sigma {

/// Level: the toggle is on, or a pulse is taken. Event: it has been turned on since the last look, or is on at the first,
/// or a pulse is taken. A look takes one pulse, if one was given since the hook was added and this criterion has not taken
/// it; other criteria on the same toggle take it too. Looked at after each iteration.
class ToggleCriterion : public Criterion<ToggleCriterion> {
public:
    using Reads = Types<>;
    static constexpr MomentSet moments = Moment::iteration;
    static constexpr bool timed = false;
    static void visit_values(auto) {}

    explicit ToggleCriterion(Toggle toggle) : toggle_(std::move(toggle)), taken_(toggle_.pulses()) {}

    template <class Context>
    Truth check(Context& context) {
        if (!context.timed() && context.moment() != Moment::iteration) return {on_, false, false};
        const bool before = std::exchange(on_, toggle_.state());
        const bool pulse = toggle_.pulses() != taken_;
        if (pulse) ++taken_;
        return {on_ || pulse, pulse || (on_ && !before), true};
    }
    bool held() const { return on_; }
    void restart(const MomentCounts&) { on_ = false, taken_ = toggle_.pulses(); }
    /// Pulses that still wait are part of the state.
    void archive(Archive& a);
    static std::string text() { return "toggle"; }

private:
    Toggle toggle_;
    std::uint64_t taken_;
    bool on_ = false;
};

/// `when(toggle).then(…)`; also `when(on(toggle) && …)` and `every(1, epoch).when(on(toggle))`.
ToggleCriterion when(Toggle toggle);
ToggleCriterion on(Toggle toggle);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/toggle.ipp>
#endif
