// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/device/device.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace sigma {

/// How long and on what a run goes: `trainer.run({.epochs = 50, .validation = testing, .device = gpu()})`.
struct RunOptions {
    static constexpr std::int64_t without_end = std::numeric_limits<std::int64_t>::max();
#ifndef forever  // Qt's macro
    static constexpr std::int64_t forever = without_end;
#endif

    std::int64_t epochs = 1;      ///< so many more, unless it is stopped before
    std::int64_t batch_size = 0;  ///< records in a step from now on; 0: as before, or 32 where there are no minibatches
    std::optional<Dataset> validation{};  ///< what the network is scored on after each epoch, before the hooks
    Device device = cpu();
    /// Ctrl-C (SIGINT) ends it after the step, as `stop` does; a second one kills the process.
    bool stop_on_interrupt = false;
    /// Otherwise a trainer without hooks shows on a terminal how far it is.
    bool quiet = false;
};

/// What a trainer has seen in an epoch. NaN where there are no validation data, or nothing that can be right or wrong.
struct EpochResult {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();

    std::uint64_t epoch = 0;        ///< from 1
    double training_loss = 0;       ///< mean loss while training
    double validation_loss = none;  ///< mean loss of the validation data after it
    double accuracy = none;         ///< share of the validation data classified right
    double seconds = 0;             ///< with scoring, and with the hooks after the epoch before
    bool validated = false;         ///< were there validation data, whose loss may be NaN?
    bool best = false;              ///< so far, by `watched_loss`

    /// That of the validation data, or of training where there are none.
    double watched_loss() const {
        const bool known = validation_loss == validation_loss;
        return validated || known ? validation_loss : training_loss;
    }
};

/// The epochs of one run.
struct History {
    std::vector<EpochResult> epochs{};
    bool interrupted = false;  ///< did Ctrl-C come, where it was to stop the run?

    /// The best of them; throws StateError where there is none.
    const EpochResult& best() const&;
    EpochResult best() && { return best(); }
    /// Marks it where it is the best so far.
    void add(EpochResult next);
    /// Forgets what comes after so many epochs.
    void cut(std::uint64_t after);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/run.ipp>
#endif
