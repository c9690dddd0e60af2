// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "board.hpp"
#include "run_library.hpp"
#include "search_files.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace sigma::monitor {

/// What is answered of the runs in a folder, also where there is none. Any thread may ask.
class RunAnswers {
public:
    explicit RunAnswers(RunLibrary* library) : library_(library) {
        if (library) searches_.emplace(library->folder());
    }

    /// {"runs": […], "left_out": n}
    Json list(const Board& board) const;
    /// As Board::history, with the share of the run that was read. Throws Refusal.
    Json history(std::string_view run, std::string_view trainer, std::string_view name, double from, double to,
                 std::size_t points) const;
    /// As Board::histogram, with the share of the run that was read. Throws Refusal.
    Json histogram(std::string_view run, std::string_view trainer, std::string_view name) const;
    /// {"searches": […], "left_out": n}
    Json searches() const;
    /// Trials, the best first; of a version that was seen nothing but that. Throws Refusal and DataError.
    Json search(std::string_view name, std::string_view seen) const;
    /// The board's, with one of the runs, one of searches where there are any, and one of their histograms where they
    /// have any; without a trainer these alone, with a chart of each number of the runs.
    Json panels(const Board& board) const;

private:
    RunLibrary* library_;
    mutable std::optional<SearchFiles> searches_{};
};

}  // namespace sigma::monitor
