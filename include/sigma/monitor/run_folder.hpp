// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/series.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A line of a log.
struct LogLine {
    std::uint64_t number = 0;
    double time = 0;  ///< seconds since 1970
    std::string level{}, source{}, message{};
};

/// How the run of a trainer is, or has ended.
struct RunStatus {
    std::string state{};             ///< "running", "paused", "finished", "stopped", "failed", "left" by its monitor
    std::string reason{};            ///< who has stopped it, or what the exception said
    double iteration = 0, time = 0;  ///< seconds since 1970
};

/// What was kept of a run.
struct KeptRun {
    std::string name;         ///< of its folder
    std::string description;  ///< run.json
    std::map<std::string, std::map<std::string, Series>> trainers;
    std::map<std::string, std::map<std::string, Distributions>> distributions;  ///< trainer, tensor
    std::map<std::string, RunStatus> status;                                    ///< of each trainer, the last one
    std::vector<LogLine> log;                                                   ///< the last 10,000
};

/// A run on disk: `run.json`, `series.bin` and `log.jsonl` in a folder. Both grow at their end, by whole records with
/// their length and CRC-32C, so that a program that is killed loses what it had not yet written, and nothing else.
/// Where one is four times as long as what is kept of it, that takes its place: series as they are in memory (Series),
/// the newest lines. docs/monitors.md has the format. For one thread.
class RunFolder {
public:
    /// Makes RUNS/DATE-NAME/; characters that are none for a name of a file are left out of it. Throws StorageError.
    RunFolder(const std::string& runs, std::string_view name, std::string_view description);
    /// Goes on with one that is there; what a kill has left of a last record is cut. Throws StorageError.
    explicit RunFolder(const std::string& folder);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    ~RunFolder();

    const std::string& path() const { return path_; }
    /// Replaces run.json. Throws StorageError.
    void describe(std::string_view description);
    /// holds: its points are changes, as Series says.
    void add(std::string_view trainer, std::string_view series, const Point& point, bool holds = false);
    /// One that Distributions::append says is to be written. Throws ArgumentError where it has not 1 to 48 bins over a
    /// range.
    void add(std::string_view trainer, std::string_view tensor, const Distribution& distribution);
    void add(std::string_view trainer, const RunStatus& status);
    void add(const LogLine& line);
    /// A run of it goes on, also where nothing is written: its file is as new as that.
    void goes_on() { goes_on_ = true; }
    /// Hands what was added to the system. Throws StorageError; what could not be written is lost then.
    void flush();
    /// Bytes above which a file is looked at: what is kept of it may be less.
    static constexpr std::size_t most_series = 8 << 20, most_log = 8 << 20;

private:
    void open();
    void open_files();
    void thin_series();
    void thin_log();
    void replace_file(const char* name, std::string& bytes, std::size_t& size);
    using Numbers = std::map<std::pair<std::string, std::string>, std::uint32_t>;
    /// Writes the name where it is new.
    std::uint32_t number_of(Numbers& numbers, char letter, std::pair<std::string, std::string> name, bool holds);
    void record(std::string_view payload);

    std::string path_;
    int series_file_ = -1, log_file_ = -1;
    Numbers numbers_, tensors_;
    std::map<std::uint32_t, std::vector<Point>> waiting_;
    // What the file is when it is thinned.
    std::map<std::uint32_t, Series> kept_;
    std::map<std::uint32_t, Distributions> kept_tensors_;
    std::map<std::string, RunStatus> status_;
    std::size_t series_size_ = 0, log_size_ = 0, most_ = most_series;
    bool goes_on_ = false;
    std::uint32_t last_number_ = ~0u;
    std::pair<std::string, std::string> last_name_;
    std::string bytes_, lines_;
};

/// Throws StorageError where there is no such run. A torn tail, and lines that are none, are passed over.
KeptRun read_run(const std::string& folder);
/// Folders of runs in a folder, by name.
std::vector<std::string> runs_in(const std::string& folder);

}  // namespace sigma::monitor
