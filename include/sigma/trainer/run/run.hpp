// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Options and results of a training run: RunOptions, EpochResult, History. Included by `<sigma/sigma.hpp>`.
#include <sigma/data/dataset.hpp>
#include <sigma/device/device.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace sigma {

/// Options of a training run.
///
/// @par Example
/// @code
/// trainer.run({.epochs = 50, .validation = testing, .device = cpu(2)});
/// @endcode
struct RunOptions {
    /// A number of epochs: train until the run is stopped.
    static constexpr std::int64_t without_end = std::numeric_limits<std::int64_t>::max();
#ifndef forever  // Qt's macro
    /// Synonym of `without_end`.
    static constexpr std::int64_t forever = without_end;
#endif

    std::int64_t epochs = 1;  ///< Number of further epochs, unless the run is stopped before. 0 or more.
    /// Records in a step from now on, from 1 to the number of records. 0: no change; a Sequential network takes 32.
    std::int64_t batch_size = 0;
    std::optional<Dataset> validation{};  ///< Data to score after each epoch, before the hooks. Default: none.
    Device device = cpu();                ///< Device of the run. Default: all cores of the CPU.
    /// Ends the run after the current step on Ctrl-C (SIGINT), as `stop` does. A second Ctrl-C kills the process.
    bool stop_on_interrupt = false;
    bool quiet = false;  ///< Hides the progress that a trainer without hooks shows on a terminal.
};

/// Results of one epoch.
///
/// @see History
struct EpochResult {
    /// The value of numbers that do not exist: NaN.
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();

    std::uint64_t epoch = 0;        ///< Number of the epoch, from 1.
    double training_loss = 0;       ///< Mean loss during training.
    double validation_loss = none;  ///< Mean loss of the validation data after the epoch. NaN without validation data.
    /// Share of correct predictions for the validation data, 0 to 1. NaN without validation data, or if the loss does
    /// not define accuracy.
    double accuracy = none;
    double seconds = 0;      ///< Duration in seconds, with scoring and with the hooks after the previous epoch.
    bool validated = false;  ///< True if there were validation data. Their loss may still be NaN.
    bool best = false;       ///< True if `watched_loss()` is the smallest so far.

    /// Returns the validation loss, or the training loss if there are no validation data.
    double watched_loss() const {
        const bool known = validation_loss == validation_loss;
        return validated || known ? validation_loss : training_loss;
    }
};

/// Results of the epochs of one run.
///
/// @par Example
/// @code
/// const History history = trainer.run({.epochs = 5, .validation = testing});
/// for (const EpochResult& each : history.epochs) std::printf("%.4f\n", each.validation_loss);
/// const EpochResult best = history.best();
/// @endcode
struct History {
    std::vector<EpochResult> epochs{};  ///< Results of each finished epoch.
    bool interrupted = false;           ///< True if Ctrl-C stopped the run, see `RunOptions::stop_on_interrupt`.

    /// Returns the epoch with the smallest `watched_loss()`.
    /// @throws StateError  if no epoch was finished
    const EpochResult& best() const&;
    /// @copydoc best
    EpochResult best() && { return best(); }
    /// Appends the results of an epoch, and sets `best` if it is the best so far.
    /// @param next  results of the epoch
    void add(EpochResult next);
    /// Removes the epochs after a given one.
    /// @param after  number of the last epoch to keep
    void cut(std::uint64_t after);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/run/impl/run.ipp>
#endif
