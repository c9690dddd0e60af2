// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/profile.hpp>
#include <sigma/environment/log.hpp>
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/watched.hpp>

#include "allowance.hpp"
#include "json.hpp"
#include "machine.hpp"
#include "provenance.hpp"
#include "step_profile.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sigma::monitor {

/// An error for a client: an HTTP status and a message.
struct Refusal {
    unsigned status = 400;
    std::string sentence;
};

/// The time that a run may wait for questions: a fifth of its time, and at most half a second at once. A question that
/// takes longer is answered, and the next ones are refused until the time has recovered.
class Share {
public:
    static constexpr double part = 0.2, most = 0.5;

    bool is_left() const {
        const std::scoped_lock lock(mutex_);
        return seconds_.left() > 0;
    }
    void use(double seconds) {
        const std::scoped_lock lock(mutex_);
        seconds_.use(seconds);
    }

private:
    mutable std::mutex mutex_;
    Allowance seconds_{part, most};
};

/// The state of reading tensors for histograms. The trainer reads one tensor between two steps, and a later turn of the
/// board takes it (`request`). Each is read at most once a second, and all of them in a hundredth of the run's time.
struct Reading {
    static constexpr std::size_t most = 256;  ///< tensors
    static constexpr double part = 0.01;

    std::optional<Acknowledgement> request{};
    std::size_t next = 0, tensors = 0;
    std::string pattern{}, name{};
    std::uint64_t iteration = 0;
    std::vector<double> values{};
    double seconds = 0;                            ///< time of the trainer for the last tensor
    std::map<std::string, std::uint64_t> known{};  ///< iterations at which tensors were read
    // Used by turns only.
    std::chrono::steady_clock::time_point round{}, due{};
};

/// The state of reading the health of layers: at most once a second, and in a two-hundredth of the run's time. Each
/// reading has two parts, before and after a step, for the change of parameters in between.
struct HealthReading {
    static constexpr double part = 0.005;

    std::optional<Acknowledgement> request{}, after{};
    // Written by the trainer between two steps.
    std::vector<LayerHealth> found{};
    /// Iteration at which the layers were last read.
    std::uint64_t iteration = std::numeric_limits<std::uint64_t>::max() - 1;
    double runtime = 0, seconds = 0;                               ///< running time at the reading; time that it took
    std::chrono::steady_clock::time_point due{};                   ///< used by turns only
    std::optional<std::chrono::steady_clock::time_point> asked{};  ///< last request; guarded by the board's mutex
};

/// A trainer and its data.
struct Shown {
    explicit Shown(Watched trainer) : watched(std::move(trainer)), name(watched.name) {}

    Watched watched;
    std::string name;
    std::shared_ptr<Tap> tap = std::make_shared<Tap>();
    // Guarded by the board's mutex: all points, and those that no turn has sent yet.
    std::map<std::string, Series> series;
    std::map<std::string, std::vector<Point>> fresh;
    // Without an attached tap; used by turns, and by the trainer between two steps:
    std::uint64_t sampled = 0;  ///< iteration of the last sample
    std::optional<Acknowledgement> sampling{};
    std::optional<RunParent> parent{};  ///< parent of a forked run
    std::string failure{};              ///< the last failure that was reported
    std::string state{};                ///< the last state that was written
    double furthest = 0;                ///< largest iteration of a point at the last turn
    Reading reading{};
    HealthReading health{};
    std::vector<Usage> shares{};                  ///< shares of an iteration
    std::set<std::string, std::less<>> unkept{};  ///< series that are not written to disk
    Json facts = Json::object();                  ///< origin of the run
    bool facts_due = true;                        ///< the registry is to be read for facts
    std::optional<Acknowledgement> asking{};
    Json asked{};  ///< the result of `asking`, which the trainer writes between two steps
    std::optional<Gathering> digest{};
    /// The record that a fork has ended, until the next turn writes its end.
    struct Ended {
        RunParent parent;  ///< parent of the next record
        std::map<std::string, Series> series{};
        std::map<std::string, std::vector<Point>> fresh{};
        RunStatus status{};
        std::uint64_t last_mark = 0;  ///< number of its last change
    };
    std::optional<Ended> ended{};  ///< guarded by the board's mutex
    // Guarded by the board's mutex: tensors by the patterns of histograms, and their distributions.
    std::map<std::string, std::vector<std::string>> tensors;
    std::map<std::string, Distributions> distributions;
    std::vector<Usage> usage{};  ///< the last numbers of the machine; guarded as well
    // Held while the network predicts or classifies: one of each at a time.
    std::timed_mutex predicting, classifying;
    mutable Share questions;  ///< time for questions between its steps
};

/// The state of reading the numbers of this machine; used by turns only.
struct SystemReading {
    std::optional<Machine> machine{};
    std::chrono::steady_clock::time_point due{};
    std::unique_ptr<sigma::detail::MeasuredLoops> loops{};
};

/// A question about a panel that is shown.
struct PanelQuestion {
    bool pictures = false;       ///< includes pictures of records if true
    std::size_t record = 0;      ///< the chosen record
    std::uint64_t seen = 0;      ///< version of the answer that the client has
    std::string_view records{};  ///< indices of records: "3,17"
    /// Returns the panel's trainer. Throws Refusal if there is none. Set by the board.
    std::function<std::shared_ptr<Shown>()> trainer{};
};

/// A command from a client.
struct Command {
    std::uint64_t id = 0;
    std::string command, trainer, file{}, client{};
    std::optional<Acknowledgement> acknowledgement{};
    std::string status = "pending", reason{};
};

/// The changes since the last turn, for clients of the stream.
struct Tick {
    std::map<std::string, std::map<std::string, std::vector<Point>>> points;  ///< trainer, series
    std::string state;                                                        ///< message as JSON; empty if none is due
    std::vector<std::string> messages;                                        ///< messages of the log and of commands
};

/// The data and commands of a monitor, without any network protocol. Its own thread takes the points of trainers. A
/// question to a trainer waits for its next iteration, without holding a lock.
class Board {
public:
    struct Options {
        std::string runs{};
        bool read_only = false;
        bool provenance = true;
        std::chrono::milliseconds tensors{1000};  ///< time between two readings of a tensor
    };
    explicit Board(Options options);
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    ~Board();

    bool read_only() const { return options_.read_only; }
    std::string run_folder() const;
    /// Returns whether the board shows only a folder of runs: it has no trainer and no environment.
    bool only_runs() const;

    // ---- the program ----

    /// Adds a trainer. Throws ArgumentError if a trainer with this name is attached already.
    void enter(Watched trainer);
    /// Adds the trainers of an environment, now and when they join.
    void environment(std::string name, std::uint64_t seed, std::function<std::vector<Watched>()> members);
    void on_start(std::string trainer, std::function<void()> begin);
    void show(Panel panel);
    void add_log(std::string level, std::string_view source, std::string_view message, double time);
    /// Returns a function for a sink of a log. It calls add_log while the board exists, and does nothing later, since a
    /// log may call a sink that was removed meanwhile.
    std::function<void(const LogRecord&)> follower();
    /// Sets the function that the board's thread calls at most twenty times a second.
    void on_tick(std::function<void(std::shared_ptr<const Tick>)> call);
    /// Makes one turn of that thread now; for tests.
    void turn();
    /// Ends that thread.
    void quiet();

    // ---- clients; each throws Refusal on failure ----

    Json state() const;
    Json panels() const;
    /// Returns the trainer for which an answer may wait; empty if there is none.
    std::string trainer_of(std::string_view trainer) const;
    std::string trainer_of_panel(std::string_view id) const;
    Json registry(std::string_view trainer, std::string_view pattern) const;
    Json set(const std::string& trainer, const std::string& name, const Json& value,
             const std::string& client = "terminal");
    Json command(const std::string& trainer, const std::string& command, const std::string& file,
                 const std::string& client = "terminal");
    Json command(std::uint64_t id);
    /// Continues a trainer from a checkpoint of a run in the folder `runs`, as a new run. An empty name means the
    /// present run. The acknowledgement rethrows what `Trainer::load` throws; the next turn begins the new record.
    /// Throws ArgumentError and StateError as `Monitor::fork` does.
    Acknowledgement fork(const std::string& trainer, const std::string& run, std::uint64_t iteration);
    /// Gives the command `fork`.
    Json command_fork(const std::string& trainer, const std::string& run, std::uint64_t iteration,
                      const std::string& client = "terminal");
    /// Returns the last 1000 changes by users.
    Json marks() const;
    /// Returns how users have arranged the page: version and arrangement.
    Json arrangement() const;
    /// Replaces the arrangement by an object or null, and returns its version.
    Json arrange(Json arrangement);
    Json series(std::string_view trainer) const;
    Json history(std::string_view trainer, std::string_view name, double from, double to, std::size_t points) const;
    Json log(std::uint64_t after, std::string_view level, std::string_view search) const;
    Json graph(std::string_view trainer) const;
    Json parameter(std::string_view trainer, const std::string& name, std::size_t bins, bool values, std::size_t limit,
                   std::size_t columns = static_cast<std::size_t>(-1)) const;
    Json histogram(std::string_view trainer, const std::string& pattern, const std::string& name) const;
    Json predict(std::string_view trainer, const Json& input);
    /// Returns the last numbers of each layer, with their curves.
    Json health(std::string_view trainer);
    /// Returns the numbers of this machine with their curves, and the last profile.
    Json system(std::string_view trainer, std::uint64_t seen = 0) const;
    /// Answers for a panel of that kind.
    Json panel(std::string_view kind, std::string_view id, PanelQuestion question = {}) const;
    std::string metrics() const;

private:
    std::shared_ptr<Shown> find(std::string_view trainer) const;
    std::vector<std::shared_ptr<Shown>> shown() const;
    void run();
    void keep_no_more(std::string_view reason);
    void meet_members();
    /// Throws ArgumentError for a chart with the name of a trainer in front of a number, which would stay empty, and
    /// for a panel that can show nothing of its trainer. Call it under mutex_.
    void check_owner(const Panel& panel, const std::shared_ptr<Shown>& coming = nullptr) const;
    void describe_run(const std::vector<std::shared_ptr<Shown>>& trainers);
    /// Begins to gather facts about the run's origin, and describes the run again when some are known.
    void gather_facts(const std::vector<std::shared_ptr<Shown>>& trainers);
    static void ask_for_facts(const std::shared_ptr<Shown>& trainer);
    /// Waits at most a second for facts that are being gathered, since a short run would have none.
    void finish_facts();
    static void replace(std::shared_ptr<Shown>& gone, std::shared_ptr<Shown> next);
    static void sample_from_outside(const std::shared_ptr<Shown>& trainer);
    void read_tensors(const std::shared_ptr<Shown>& trainer, bool first);
    void read_health(const std::shared_ptr<Shown>& trainer, bool first);
    void read_system(const std::vector<std::shared_ptr<Shown>>& trainers);
    void measure_loops(const std::vector<std::shared_ptr<Shown>>& trainers);
    /// Returns whether a panel of this kind shows the trainer; call it under mutex_.
    bool shows(std::string_view kind, const Shown& trainer, bool first) const;
    /// Lets panels continue their work without clients. Returns whether what they keep has changed.
    bool follow_panels(const std::shared_ptr<Shown>& trainer, bool first);
    /// Writes what panels keep to the folder.
    void write_predictions() const;
    /// Returns whether predictions of the end of a run are still computed.
    bool predicting() const;
    /// Call it under turn_mutex_ and mutex_.
    void write_last_distributions();
    /// Writes a new arrangement of the page to the folder.
    void write_arrangement();
    /// Writes the state of a run if it has changed, or if the monitor ends (`leaves`).
    void write_state(Shown& trainer, bool leaves);
    /// Takes the trainer's points from its tap; call it under mutex_.
    static void take(Shown& trainer);
    /// Returns the trainer's iteration if it is before its furthest point, and removes later points now. A paused
    /// trainer takes no step that would remove them.
    std::optional<double> gone_back(Shown& trainer, double furthest);
    void follow_commands(Tick* tick);
    /// Acts, unless that fails, and keeps the command.
    Json give(Command entry, const std::function<void(Command&)>& act);
    void finish(Command& entry);
    /// Ends the present record of a trainer that has loaded a checkpoint of `parent`, between two of its steps.
    void end_record(const std::shared_ptr<Shown>& trainer, const RunParent& parent);
    /// Begins a new run on disk if a record has ended.
    void begin_record(const std::vector<std::shared_ptr<Shown>>& trainers, Tick& tick);
    /// Marks the checkpoints that the program has saved.
    void mark_saved(const Shown& trainer);
    /// Writes the new changes, and sends them to clients.
    void write_marks(Tick& tick);
    /// Keeps a change by a user, for charts and for the run on disk.
    void mark(const Shown& trainer, RunMark mark);
    void keep_mark(const Shown& trainer, RunMark mark);
    void mark_file(const Command& entry);
    std::string file_for(const std::string& file, bool exists) const;
    Json described(const Command& entry) const;
    Json trainer_state(const Shown& trainer) const;

    Options options_;
    mutable std::mutex mutex_;  // never held while waiting for a trainer
    std::vector<std::shared_ptr<Shown>> trainers_;
    std::vector<Panel> panels_;
    std::string name_;
    std::optional<std::uint64_t> seed_;
    std::function<std::vector<Watched>()> members_;
    std::map<std::string, std::function<void()>> begins_;
    std::deque<Command> commands_;
    std::uint64_t last_command_ = 0;
    struct Made {
        std::uint64_t number = 0;
        std::string trainer;
        RunMark mark;
    };
    std::deque<Made> marks_;
    std::uint64_t last_mark_ = 0, told_mark_ = 0;
    Json arrangement_ = nullptr;
    std::uint64_t arranged_ = 0, written_ = 0;  ///< versions: the present one, and that of the folder
    std::deque<LogLine> log_;
    std::uint64_t logged_ = 0;
    std::function<void(std::shared_ptr<const Tick>)> call_;

    std::mutex waiting_mutex_;  // held briefly, also by threads that train
    std::vector<LogLine> waiting_log_;

    struct Gate {
        explicit Gate(Board* to) : board(to) {}
        std::mutex mutex;
        Board* board;
    };
    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>(this);  // a holder may outlive the board

    std::mutex turn_mutex_;  // guards members that only turns use
    std::unique_ptr<RunFolder> folder_;
    bool used_ = false;                              ///< the run on disk has a step or a change
    double began_ = 0;                               ///< start of the run in seconds since 1970
    std::vector<std::shared_ptr<Shown>> described_;  ///< trainers in run.json
    Json facts_ = Json::object();                    ///< origin of the run
    std::optional<Gathering> source_{};
    std::string folder_path_;
    int turns_ = 0;
    SystemReading system_;

    StepProfile profile_;

    std::mutex sleep_mutex_;
    std::condition_variable sleep_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all other members
};

}  // namespace sigma::monitor
