// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::monitor {

/// A file that `search` writes, known by its first line; each further process writes another, with its number.
struct SearchFile {
    std::string name;
    std::vector<std::string> parts{};  ///< names of this file and of those of further processes
    double changed = 0;                ///< time of the last change in seconds since 1970
};

/// The results of a search so far.
struct SearchView {
    struct Choice {
        bool there = false;
        double number = 0;
        std::string text{};
    };
    struct Trial {
        std::uint64_t number = 0;
        double loss = 0, seconds = 0;
        bool early = false;
        std::string failed{};
        std::vector<Choice> choices{};  ///< choices in the order of `names`; may be shorter
    };
    SearchFile file{};
    std::string version{};  ///< differs if the files differ
    std::vector<std::string> settings{}, names{};
    std::vector<Trial> trials{};  ///< the best first, failures last
    std::size_t left_out = 0, names_left_out = 0;
};

/// The files of searches in a folder. They are read for each request and not kept, since a search replaces its file
/// after each trial. Links are ignored. Any thread may call it.
class SearchFiles {
public:
    struct Limits {
        std::size_t files = 100;       ///< maximum number of files, the latest ones
        std::size_t entries = 10'000;  ///< maximum number of folder entries that are examined
        std::size_t bytes = 16 << 20;  ///< maximum of a search; a larger one is refused
        std::size_t read =
            20'000;  ///< maximum of trials; more are refused, since each may need more memory than its bytes
        std::size_t trials = 2000;             ///< maximum of trials in an answer, the best
        std::size_t names = 64;                ///< maximum of names of choices
        std::chrono::milliseconds every{500};  ///< interval of examining the folder
    };
    explicit SearchFiles(std::string folder) : SearchFiles(std::move(folder), Limits{}) {}
    SearchFiles(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

    /// Returns the files, the last changed first.
    std::vector<SearchFile> list();
    /// Returns the number of older files that `list` omits.
    std::size_t left_out() const;
    /// Reads a search. Returns no trials if its version is still `seen`. Throws Refusal if there is no such file or it
    /// is too large, and DataError if a search did not write it.
    SearchView read(std::string_view name, std::string_view seen = {});

private:
    void look();

    std::string folder_;
    Limits limits_;
    mutable std::mutex mutex_;
    std::vector<SearchFile> files_;
    std::size_t left_out_ = 0;
    std::chrono::steady_clock::time_point looked_{};
};

}  // namespace sigma::monitor
