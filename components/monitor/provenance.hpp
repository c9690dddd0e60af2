// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/trainer/registry.hpp>

#include "json.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace sigma::monitor {

// Facts about the origin of a run: JSON objects of numbers, texts, and truth values by name. They contain no
// environment variable.

/// Returns whether a computation of facts should end.
using Halted = std::function<bool()>;

/// Returns the command line, the host and the processor of this program, as far as they are known.
Json facts_of_program();
/// Joins words of a command line as a shell needs them. The values of options for passwords, tokens and other secrets
/// become "…".
std::string command_text(const std::vector<std::string>& words);

/// Returns the git commit of a folder, and whether tracked files differ from it. Empty without git or a commit. Runs
/// `git status` for at most ten seconds.
Json facts_of_folder(const std::string& folder, const Halted& halted);
/// Returns `facts_of_folder` of the folder of this program's file; if that has none, of the working directory.
Json facts_of_source(const Halted& halted);

/// Returns a digest of all numbers of a data set; of the keys of its sources if the data is not in memory. Empty if it
/// was halted.
Json facts_of_data(const Dataset& data, const Halted& halted);

/// Returns the values of a trainer's registry that determine a run: seed, data and minibatches, optimizer, and all that
/// can be set, except arrays. Call it between two iterations.
Json facts_of_trainer(const ReadOnlyRegistry& registry);

/// Facts that a thread of its own computes. The destructor halts the computation.
class Gathering {
public:
    explicit Gathering(std::function<Json(const Halted&)> compute);
    Gathering(const Gathering&) = delete;
    Gathering& operator=(const Gathering&) = delete;
    ~Gathering() { halted_ = true; }

    /// Returns whether the thread is still computing.
    bool pending() const;
    /// Returns the facts once, when they are known; an empty object after a failure.
    std::optional<Json> take();

private:
    std::atomic<bool> halted_ = false;
    std::future<Json> result_;  // last: its destructor waits for the thread
};

}  // namespace sigma::monitor
