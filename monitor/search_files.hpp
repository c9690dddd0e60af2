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

/// A file that `search` keeps, by what its first line is; each further process has one beside it, with its number.
struct SearchFile {
    std::string name;
    std::vector<std::string> parts{};  ///< it and those of further processes
    double changed = 0;                ///< the last of them, in seconds since 1970
};

/// What came of a search so far.
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
        std::vector<Choice> choices{};  ///< as the names are, as many as were known
    };
    SearchFile file{};
    std::string version{};  ///< another where the files are others
    std::vector<std::string> settings{}, names{};
    std::vector<Trial> trials{};  ///< the best first, failures last
    std::size_t left_out = 0, names_left_out = 0;
};

/// The files of searches in a folder. They are read when one asks, and nothing of them is kept: a search replaces its
/// file with each trial. Links are passed over. Any thread may ask.
class SearchFiles {
public:
    struct Limits {
        std::size_t files = 100;               ///< those that were written to last
        std::size_t entries = 10'000;          ///< that are looked at
        std::size_t bytes = 16 << 20;          ///< of a search; a longer one is refused
        std::size_t read = 20'000;             ///< trials; more are refused, as each may take much more than its bytes
        std::size_t trials = 2000;             ///< that are told, the best
        std::size_t names = 64;                ///< of choices
        std::chrono::milliseconds every{500};  ///< looks at the folder
    };
    explicit SearchFiles(std::string folder) : SearchFiles(std::move(folder), Limits{}) {}
    SearchFiles(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

    /// The last changed first.
    std::vector<SearchFile> list();
    /// How many there were beyond those.
    std::size_t left_out() const;
    /// Without trials where it still is of the version that one has seen. Throws Refusal where there is none of that
    /// name, or too much, and DataError where it is not what a search writes.
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
