// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Runs on disk: reads the folders that `Web` and `Terminal` write. Include it yourself and link `sigma::monitor`.
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/series.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// A message of a log.
/// @see KeptRun
struct LogLine {
    std::uint64_t number = 0;  ///< Number of the message in the log, from 1.
    double time = 0;           ///< Time in seconds since 1970.
    std::string level{};       ///< "trace", "debug", "info", "warning", "error", or "critical".
    std::string source{};      ///< Name of the trainer or log that wrote the message.
    std::string message{};     ///< Text of the message.
};

/// The state of a trainer's run, or how the run ended.
/// @see KeptRun
struct RunStatus {
    /// "running", "paused", "finished", "stopped", "failed", or "left" (the monitor ended first).
    std::string state{};
    std::string reason{};  ///< The command or hook that stopped the run, or the text of the exception.
    double iteration = 0;  ///< Iteration at which the state was written.
    double time = 0;       ///< Time in seconds since 1970.
};

/// A change during a run: a value that a user set, a checkpoint that was saved, or one that a user loaded.
/// @see KeptRun
struct RunMark {
    std::string kind{};    ///< "set", "save", or "load".
    std::string name{};    ///< Name of the value in the registry, of a file in the run's folder, or path of a file.
    std::string before{};  ///< The value before, as text; empty for a file.
    std::string after{};   ///< The value afterwards, as text; empty for a file.
    std::string client{};  ///< IP address of the client, or "terminal"; empty for the program itself.
    double iteration = 0;  ///< Iteration of the trainer.
    double seconds = 0;    ///< Running time of the trainer in seconds.
    double time = 0;       ///< Time in seconds since 1970.
};

/// The run from which another run was continued by `Monitor::fork`.
/// @see KeptRun
struct RunParent {
    std::string run{};            ///< Name of the run's folder.
    std::uint64_t iteration = 0;  ///< Iteration of the checkpoint.
    double seconds = 0;           ///< Running time at the checkpoint in seconds.
};

/// The contents of a run's folder.
///
/// @par Example
/// @code
/// const monitor::KeptRun run = monitor::read_run("runs/20261121-101500-digits");
/// const monitor::Series& losses = run.trainers.at("digits").at("loss");
/// const double last = losses.last().y;
/// @endcode
/// @see read_run
struct KeptRun {
    std::string name;                                                           ///< Name of the folder.
    std::string description;                                                    ///< Text of `run.json`.
    std::map<std::string, std::map<std::string, Series>> trainers;              ///< Series by trainer and name.
    std::map<std::string, std::map<std::string, Distributions>> distributions;  ///< Histograms by trainer and tensor.
    std::map<std::string, RunStatus> status;                                    ///< Last state of each trainer.
    std::map<std::string, std::vector<RunMark>> marks;                          ///< The last 1000 changes by trainer.
    std::map<std::string, RunParent> parents;                                   ///< Parents of trainers with forks.
    std::vector<LogLine> log;                                                   ///< The last 10,000 messages.
};

/// A writer of a run's folder with the files `run.json`, `series.bin`, and `log.jsonl`.
///
/// `Web` and `Terminal` use this class if their option `runs` is set. `series.bin` and `log.jsonl` grow at their end,
/// by whole records with length and CRC-32C. So a program that is killed loses only what it had not yet written.
/// `series.bin` is replaced by the series as `Series` keeps them when it has more than 8 MiB and four times its size
/// after the last replacement. `log.jsonl` is replaced by its newer half when it has more than 8 MiB. Not thread-safe.
///
/// @par Example
/// @code
/// monitor::RunFolder folder("runs", "digits", "{\"name\": \"digits\"}");
/// folder.add("digits", "loss", monitor::Point{.x = 1, .y = 2.3, .seconds = 0.01});
/// folder.flush();
/// @endcode
/// @see read_run, docs/design/monitor-protocol.md
class RunFolder {
public:
    /// Creates the folder RUNS/DATE-NAME/ and begins to write a run.
    /// @param runs         folder of all runs, which is created if it does not exist
    /// @param name         name of the run; only its first 60 letters, digits, '-', and '_' are used
    /// @param description  text of `run.json`
    /// @throws StorageError  if a folder or file cannot be created
    RunFolder(const std::string& runs, std::string_view name, std::string_view description);
    /// Opens an existing run to append to it. Cuts off an incomplete last record, which a killed program leaves.
    /// @param folder  folder of the run
    /// @throws StorageError  if a file cannot be opened or `series.bin` is not one
    explicit RunFolder(const std::string& folder);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    ~RunFolder();

    /// Returns the folder of the run.
    /// @return the path
    const std::string& path() const { return path_; }
    /// Removes the files of the run, and the folder unless it contains other files. Add nothing afterwards.
    void remove();
    /// Replaces `run.json`.
    /// @param description  the new text
    /// @throws StorageError  if the file cannot be written
    void describe(std::string_view description);
    /// Replaces `page.json`, which holds the arrangement of the page.
    /// @param arrangement  the new text
    /// @throws StorageError  if the file cannot be written
    void arrange(std::string_view arrangement);
    /// Adds a point of a series.
    /// @param trainer  name of the trainer
    /// @param series   name of the number
    /// @param point    the point
    /// @param holds    the points of this series are changes, see `Series::hold`. Default: they are not.
    void add(std::string_view trainer, std::string_view series, const Point& point, bool holds = false);
    /// Adds a histogram for which `Distributions::append` returned true.
    /// @param trainer       name of the trainer
    /// @param tensor        name of the tensor
    /// @param distribution  the histogram
    /// @throws ArgumentError  if the histogram does not have 1 to 48 bins over a range
    void add(std::string_view trainer, std::string_view tensor, const Distribution& distribution);
    /// Adds the state of a trainer's run.
    /// @param trainer  name of the trainer
    /// @param status   the state
    void add(std::string_view trainer, const RunStatus& status);
    /// Adds a change by a user.
    /// @param trainer  name of the trainer
    /// @param mark     the change; a change at an earlier iteration replaces later ones
    void add(std::string_view trainer, RunMark mark);
    /// Adds a message of the log.
    /// @param line  the message; its number is not written
    void add(const LogLine& line);
    /// Declares that a run continues: the next `flush` updates the file's time even if there is nothing to write.
    void goes_on() { goes_on_ = true; }
    /// Writes what was added to the files.
    /// @throws StorageError  if a file cannot be written; the unwritten records are lost
    void flush();
    static constexpr std::size_t most_series = 8 << 20;  ///< Bytes of `series.bin` above which it may be replaced.
    static constexpr std::size_t most_log = 8 << 20;     ///< Bytes of `log.jsonl` above which it is replaced.

private:
    void open();
    void open_files();
    void thin_series();
    void thin_log();
    void replace_file(const char* name, std::string& bytes, std::size_t& size);
    using Numbers = std::map<std::pair<std::string, std::string>, std::uint32_t>;
    /// Returns the number of a name; writes a new name first.
    std::uint32_t number_of(Numbers& numbers, char letter, std::pair<std::string, std::string> name, bool holds);
    void record(std::string_view payload);

    std::string path_;
    int series_file_ = -1, log_file_ = -1;
    Numbers numbers_, tensors_;
    std::map<std::uint32_t, std::vector<Point>> waiting_;
    // The contents of the file when it is replaced.
    std::map<std::uint32_t, Series> kept_;
    std::map<std::uint32_t, Distributions> kept_tensors_;
    std::map<std::string, RunStatus> status_;
    std::map<std::string, std::vector<RunMark>> marks_;
    std::size_t series_size_ = 0, log_size_ = 0, most_ = most_series;
    bool goes_on_ = false;
    std::uint32_t last_number_ = ~0u;
    std::pair<std::string, std::string> last_name_;
    std::string bytes_, lines_;
};

/// Reads a run from its folder. Ignores an incomplete last record and invalid lines of the log.
/// @param folder  folder of the run
/// @return series, histograms, states, and the log
/// @throws StorageError  if a file of the run cannot be read
///
/// @par Example
/// @code
/// for (const std::string& name : monitor::runs_in("runs")) {
///     const monitor::KeptRun run = monitor::read_run("runs/" + name);
///     for (const auto& [trainer, series] : run.trainers) std::printf("%s: %zu series\n", trainer.c_str(),
///     series.size());
/// }
/// @endcode
KeptRun read_run(const std::string& folder);
/// Lists the runs in a folder.
/// @param folder  folder of the runs
/// @return names of the subfolders that hold a run, sorted; none if the folder does not exist
/// @see read_run
std::vector<std::string> runs_in(const std::string& folder);

}  // namespace sigma::monitor
