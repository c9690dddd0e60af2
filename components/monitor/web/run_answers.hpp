// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "board.hpp"
#include "run_library.hpp"
#include "search_files.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace sigma::monitor {

/// The answers about runs in a folder; the library may be null. Any thread may call it.
class RunAnswers {
public:
    explicit RunAnswers(RunLibrary* library) : library_(library) {
        if (library) searches_.emplace(library->folder());
    }

    /// Returns {"runs": […], "left_out": n}.
    Json list(const Board& board) const;
    /// Answers like Board::history, with the share of the run that was read. Throws Refusal.
    Json history(std::string_view run, std::string_view trainer, std::string_view name, double from, double to,
                 std::size_t points) const;
    /// Answers like Board::histogram, with the share of the run that was read. Throws Refusal.
    Json histogram(std::string_view run, std::string_view trainer, std::string_view name) const;
    /// Returns the last predictions of a run: {"panels": […]}. Throws Refusal.
    Json predictions(std::string_view run) const;
    /// Returns {"searches": […], "left_out": n}.
    Json searches() const;
    /// Returns the trials, the best first; only the version if it equals `seen`. Throws Refusal and DataError.
    Json search(std::string_view name, std::string_view seen) const;
    /// Returns the board's panels and panels for the runs, for their searches, histograms and predictions, if there are
    /// any. Without a trainer, returns only these, with a chart for each number of the runs.
    Json panels(const Board& board) const;

private:
    RunLibrary* library_;
    mutable std::optional<SearchFiles> searches_{};
};

}  // namespace sigma::monitor
