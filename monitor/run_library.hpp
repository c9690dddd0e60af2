// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "run_records.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace sigma::monitor {

/// What is known of a run in a folder of runs.
struct RunView {
    struct Trainer {
        std::string name, network, optimizer;
        RunStatus status{};  ///< of an earlier version, or before it has begun: nothing
    };
    struct Line {
        std::string trainer, name;
        std::uint64_t points = 0;
        Point last{};
        bool holds = false;
    };

    std::string id;  ///< of its folder
    std::string name;
    double began = 0;  ///< seconds since 1970
    std::vector<Trainer> trainers{};
    std::vector<Line> lines{};
    std::map<std::string, std::size_t> tensors{};  ///< of which there are distributions, by trainer
    std::uint64_t left_out = 0;                    ///< names of series beyond those that are read
    double read = 0;                               ///< share of its file
    bool growing = false;                          ///< somebody has written to it within ten seconds
    bool damaged = false;                          ///< it is read up to what is no record
};

/// The runs in a folder, as they grow: files are read on from where they were read to, and the torn end of one is
/// waited for. Of all runs it keeps the last points; whole series, and distributions, of those that were asked for
/// last. Nothing outside of the folder is read: a run is asked for by a name that was found there, and links are passed
/// over. Any thread may ask.
class RunLibrary {
public:
    struct Limits {
        std::size_t runs = 500;                ///< those that were written to last
        std::size_t entries = 10'000;          ///< that are looked at
        std::size_t held = 2'000'000;          ///< points and buckets; more only of the run that was asked for last
        std::size_t read = 16 << 20;           ///< bytes for an answer, so that none takes long
        std::size_t slice = 2 << 20;           ///< of which a run has so many before others have their turn
        std::chrono::milliseconds every{500};  ///< looks at the folder
    };
    struct Found {
        enum { series, no_run, no_series } what = no_run;
        std::vector<Bucket> buckets{};
        double last = 0;  ///< y of the last point
        bool holds = false;
        double read = 0;  ///< share of the run's file: ask again where it is less than 1
    };
    struct Histogram {
        enum { tensors, no_run, no_trainer, no_tensor } what = no_run;
        std::string trainer{}, name{};  ///< whose the distributions are
        std::vector<std::string> names{};
        std::deque<Distribution> distributions{};
        double read = 0;
    };

    explicit RunLibrary(std::string folder) : RunLibrary(std::move(folder), Limits{}) {}
    RunLibrary(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

    const std::string& folder() const { return folder_; }
    /// The newest first.
    std::vector<RunView> runs();
    /// How many runs there were beyond those.
    std::size_t left_out() const;
    /// Of a run's first trainer with such a series where none is named.
    Found history(std::string_view run, std::string_view trainer, std::string_view name, double from, double to,
                  std::size_t columns);
    /// Of a run's first trainer with such a tensor where none is named, and of its first tensor. None where nothing is
    /// known of it yet.
    Histogram histogram(std::string_view run, std::string_view trainer, std::string_view name);
    /// Points and buckets held now, and distributions as points.
    std::size_t held() const;

private:
    struct Run {
        RunView about;
        RunReading reading{};
        struct stat file{};  ///< as it was looked at last
        struct stat description{};
        bool all_read = false;                ///< up to its end, or what cannot be read yet
        std::uint64_t asked = 0, served = 0;  ///< when, in turns
    };
    void look();
    /// With what it keeps, as far as it was read for this answer; none where there is no such run.
    Run* asked_for(std::string_view id);
    void read(int runs, Run& run, std::size_t& budget);
    static void view(Run& run);
    void make_room(const Run& except);

    std::string folder_;
    Limits limits_;
    mutable std::mutex mutex_;
    std::map<std::string, Run, std::less<>> runs_;
    std::size_t left_out_ = 0;
    std::uint64_t asked_ = 0, served_ = 0;
    std::chrono::steady_clock::time_point looked_{};
    std::string buffer_;
};

}  // namespace sigma::monitor
