// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/arguments.hpp>
#include <sigma/core/owners.hpp>

#include <exception>

namespace sigma {

namespace detail {
class ControlCore;
struct TrainingThread;
}  // namespace detail

/// Says when a command has taken effect. Copies speak of the same command; it may be kept longer than the trainer.
class Acknowledgement {
public:
    /// Whether the command has taken effect, failed, or was refused because the run ended before.
    bool done() const;
    /// Waits for the effect. Throws what the command threw, and a StateError if the run ended before the command could
    /// take effect, or if the thread that trains would have to wait for itself.
    void wait() const;
    /// The same for at most `duration`; whether the command has taken effect by then.
    template <AnyDuration D>
    bool wait_for(D duration) const {
        return wait_seconds(detail::in_seconds(duration));
    }

private:
    friend detail::ControlCore;
    struct Outcome;
    explicit Acknowledgement(detail::SharedOwner<const detail::TrainingThread> thread);

    void finish(std::exception_ptr thrown = nullptr) const;
    void refuse_trainer() const;
    bool wait_seconds(double seconds) const;

    detail::SharedOwner<Outcome> outcome_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/acknowledgement.ipp>
#endif
