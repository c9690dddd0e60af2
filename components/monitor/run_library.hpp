// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "json.hpp"
#include "run_records.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace sigma::monitor {

/// A summary of a run in a folder of runs.
struct RunView {
    struct Trainer {
        std::string name, network, optimizer;
        Json facts = Json::object();  ///< origin of the run, as in run.json
        std::optional<RunParent> parent{};
        RunStatus status{};  ///< empty before the run begins, and for runs of earlier versions
        std::vector<RunMark> marks{};
    };
    struct Line {
        std::string trainer, name;
        std::uint64_t points = 0;
        Point last{};
        bool holds = false;
    };

    std::string id;  ///< name of its folder
    std::string name;
    double began = 0;             ///< seconds since 1970
    Json facts = Json::object();  ///< origin of the run, as in run.json
    std::vector<Trainer> trainers{};
    std::vector<Line> lines{};
    std::map<std::string, std::size_t> tensors{};  ///< number of tensors with distributions, by trainer
    std::uint64_t left_out = 0;                    ///< number of series beyond those that are read
    double read = 0;                               ///< share of its file that was read
    bool growing = false;                          ///< true if the file has changed within ten seconds
    bool damaged = false;                          ///< read up to an invalid record
    bool predictions = false;                      ///< true if its folder has predictions
};

/// The runs in a folder as they grow. Files are read from the previous end, and an incomplete last record is read
/// later. The library keeps the last points of all runs, and whole series and distributions of the runs that were
/// requested last. It reads nothing outside of the folder: a run is identified by a name found there, and links are
/// ignored. Any thread may call it.
class RunLibrary {
public:
    struct Limits {
        std::size_t runs = 500;        ///< maximum number of runs, the latest ones
        std::size_t entries = 10'000;  ///< maximum number of folder entries that are examined
        std::size_t held = 2'000'000;  ///< maximum of points and buckets; more only for the latest requested run
        std::size_t read = 16 << 20;   ///< bytes read per answer, so that none takes long
        std::size_t slice = 2 << 20;   ///< bytes read of a run before others have their turn
        std::chrono::milliseconds every{500};  ///< interval of examining the folder
    };
    struct Found {
        enum { series, no_run, no_series } what = no_run;
        std::vector<Bucket> buckets{};
        double last = 0;  ///< y of the last point
        bool holds = false;
        double read = 0;  ///< share of the run's file that was read; ask again if less than 1
    };
    struct Histogram {
        enum { tensors, no_run, no_trainer, no_tensor } what = no_run;
        std::string trainer{}, name{};  ///< trainer and tensor of the distributions
        std::vector<std::string> names{};
        std::deque<Distribution> distributions{};
        double read = 0;
    };

    explicit RunLibrary(std::string folder) : RunLibrary(std::move(folder), Limits{}) {}
    RunLibrary(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

    const std::string& folder() const { return folder_; }
    /// Returns the runs, the newest first.
    std::vector<RunView> runs();
    /// Returns the number of older runs that `runs` omits.
    std::size_t left_out() const;
    /// Returns a series. An empty trainer means the run's first trainer with such a series.
    Found history(std::string_view run, std::string_view trainer, std::string_view name, double from, double to,
                  std::size_t columns);
    /// Returns distributions. An empty trainer means the run's first trainer with such a tensor, an empty name its
    /// first tensor. Returns no distributions if none were read yet.
    Histogram histogram(std::string_view run, std::string_view trainer, std::string_view name);
    /// Returns the text of the run's predictions; nothing if there is no such run, or no such file of at most 16 MiB.
    std::optional<std::string> predictions(std::string_view run);
    /// Returns the number of points and buckets in memory, with distributions counted as points.
    std::size_t held() const;

private:
    struct Run {
        RunView about;
        RunReading reading{};
        struct stat file{};  ///< state of the file at the last look
        struct stat description{};
        bool all_read = false;                    ///< up to its end, or to a record that cannot be read yet
        std::uint64_t requested = 0, served = 0;  ///< numbers of the last request and turn
    };
    void look();
    /// Reads a run and returns it with its series; null if there is no such run.
    Run* requested_run(std::string_view id);
    void read(int runs, Run& run, std::size_t& budget);
    static void view(Run& run);
    void make_room(const Run& except);

    std::string folder_;
    Limits limits_;
    mutable std::mutex mutex_;
    std::map<std::string, Run, std::less<>> runs_;
    std::size_t left_out_ = 0;
    std::uint64_t requested_ = 0, served_ = 0;
    std::chrono::steady_clock::time_point looked_{};
    std::string buffer_;
};

}  // namespace sigma::monitor
