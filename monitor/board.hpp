// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/log.hpp>
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/watched.hpp>

#include "allowance.hpp"
#include "json.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sigma::monitor {

/// Said to a client: a status of HTTP and a sentence.
struct Refusal {
    unsigned status = 400;
    std::string sentence;
};

/// How long a run may wait for questions: a fifth of the time, or half a second at once. One that takes longer than
/// what is left is answered, and the next ones wait for it.
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

/// The tensor that is read for histograms: between two steps by the trainer, and then by a turn of the board, as
/// `asked` says. Each is read once a second at most, and all of them in a hundredth of a run's time.
struct Reading {
    static constexpr std::size_t most = 256;  ///< tensors
    static constexpr double part = 0.01;

    std::optional<Acknowledgement> asked{};
    std::size_t next = 0, tensors = 0;
    std::string pattern{}, name{};
    std::uint64_t iteration = 0;
    std::vector<double> values{};
    double seconds = 0;                            ///< that the trainer took for it
    std::map<std::string, std::uint64_t> known{};  ///< the iterations at which tensors were read
    // Of turns alone.
    std::chrono::steady_clock::time_point round{}, due{};
};

/// A trainer with what is kept of it.
struct Shown {
    explicit Shown(Watched trainer) : watched(std::move(trainer)), name(watched.name) {}

    Watched watched;
    std::string name;
    std::shared_ptr<Tap> tap = std::make_shared<Tap>();
    // Under the board's mutex: all points that were taken, and those that no turn has told yet.
    std::map<std::string, Series> series;
    std::map<std::string, std::vector<Point>> fresh;
    // Where nothing is attached; of turns, and of the trainer between two of its steps:
    std::uint64_t sampled = 0;  ///< the iteration
    std::optional<Acknowledgement> sampling{};
    std::string failure{};  ///< the last one that was told
    std::string state{};    ///< the last one that was written
    double furthest = 0;    ///< iteration of any point, at the last turn
    Reading reading{};
    // Under the board's mutex: tensors by the patterns of histograms, and how their numbers were distributed.
    std::map<std::string, std::vector<std::string>> tensors;
    std::map<std::string, Distributions> distributions;
    // Held by who asks the network something: one prediction and one classification at a time.
    std::timed_mutex predicting, classifying;
    mutable Share asked;  ///< of what is read between its steps
};

/// A command that a client gave.
struct Given {
    std::uint64_t id = 0;
    std::string command, trainer;
    std::optional<Acknowledgement> acknowledgement{};
    std::string status = "pending", reason{};
};

/// What has changed since the last: what clients of the stream are told.
struct Tick {
    std::map<std::string, std::map<std::string, std::vector<Point>>> points;  ///< trainer, series
    std::string state;                  ///< a message as JSON, empty where none is due
    std::vector<std::string> messages;  ///< of the log and of commands
};

/// All that is shown, and what can be done to it, without any network. Its own thread takes what trainers leave; what
/// asks a trainer waits for its next iteration, and no lock is held meanwhile.
class Board {
public:
    struct Options {
        std::string runs{};
        bool read_only = false;
        std::chrono::milliseconds tensors{1000};  ///< between two readings of one
    };
    explicit Board(Options options);
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    ~Board();

    bool read_only() const { return options_.read_only; }
    std::string run_folder() const;
    /// Without a trainer, beside a folder of runs: it is they that are shown.
    bool only_runs() const;

    // ---- the program ----

    /// Throws ArgumentError where one of that name is attached already.
    void enter(Watched trainer);
    /// Trainers of an environment, with what they have by name.
    void environment(std::string name, std::uint64_t seed, std::function<std::vector<Watched>()> members);
    void on_start(std::string trainer, std::function<void()> begin);
    void show(Panel panel);
    void add_log(std::string level, std::string_view source, std::string_view message, double time);
    /// For a sink of a log: add_log while the board is there, and then nothing. A log may be calling a sink that was
    /// removed meanwhile.
    std::function<void(const LogRecord&)> follower();
    /// Called on the board's thread, twenty times a second at most.
    void on_tick(std::function<void(std::shared_ptr<const Tick>)> call);
    /// One turn of that thread, now: for tests.
    void turn();
    /// Ends that thread: nobody is told anything any more.
    void quiet();

    // ---- clients; each throws Refusal where it cannot be done ----

    Json state() const;
    Json panels() const;
    /// Whose steps an answer for it may wait for; empty where it has none.
    std::string trainer_of(std::string_view trainer) const;
    std::string trainer_of_panel(std::string_view id) const;
    Json registry(std::string_view trainer, std::string_view pattern) const;
    Json set(const std::string& trainer, const std::string& name, const Json& value);
    Json command(const std::string& trainer, const std::string& command, const std::string& file);
    Json command(std::uint64_t id);
    Json series(std::string_view trainer) const;
    Json history(std::string_view trainer, std::string_view name, double from, double to, std::size_t points) const;
    Json log(std::uint64_t after, std::string_view level, std::string_view search) const;
    Json graph(std::string_view trainer) const;
    Json parameter(std::string_view trainer, const std::string& name, std::size_t bins, bool values, std::size_t limit,
                   std::size_t columns = static_cast<std::size_t>(-1)) const;
    Json histogram(std::string_view trainer, const std::string& pattern, const std::string& name) const;
    Json predict(std::string_view trainer, const Json& input);
    /// Of a panel of that kind, with pictures of records where they are wanted.
    Json panel(std::string_view kind, std::string_view id, bool pictures = false) const;
    std::string metrics() const;

private:
    std::shared_ptr<Shown> find(std::string_view trainer) const;
    std::vector<std::shared_ptr<Shown>> shown() const;
    void run();
    void keep_no_more(std::string_view reason);
    void meet_members();
    /// Throws ArgumentError for a chart that names another trainer in front of its numbers, and so would stay empty.
    /// Under mutex_.
    void check_owner(const Panel& panel, const std::shared_ptr<Shown>& coming = nullptr) const;
    void describe_run(const std::vector<std::shared_ptr<Shown>>& trainers);
    static void replace(std::shared_ptr<Shown>& gone, std::shared_ptr<Shown> next);
    static void sample_from_outside(const std::shared_ptr<Shown>& trainer);
    void read_tensors(const std::shared_ptr<Shown>& trainer, bool first);
    void write_last_distributions();
    /// How its run is, where that has changed, and where the monitor leaves it.
    void write_state(Shown& trainer, bool leaves);
    /// What the trainer has left up to now; under mutex_.
    static void take(Shown& trainer);
    /// Where the trainer is, if that is before its furthest point: what is later is forgotten now, since it may be
    /// paused there and take no step that would say so.
    std::optional<double> gone_back(Shown& trainer, double furthest);
    void follow_commands(Tick* tick);
    void settle(Given& given);
    std::string file_for(const std::string& file, bool exists) const;
    Json described(const Given& given) const;
    Json trainer_state(const Shown& trainer) const;

    Options options_;
    mutable std::mutex mutex_;  // never held while a trainer is asked
    std::vector<std::shared_ptr<Shown>> trainers_;
    std::vector<Panel> panels_;
    std::string name_;
    std::optional<std::uint64_t> seed_;
    std::function<std::vector<Watched>()> members_;
    std::map<std::string, std::function<void()>> begins_;
    std::deque<Given> commands_;
    std::uint64_t given_ = 0;
    std::deque<LogLine> log_;
    std::uint64_t logged_ = 0;
    std::function<void(std::shared_ptr<const Tick>)> tell_;

    std::mutex waiting_mutex_;  // held for a moment, also by threads that train
    std::vector<LogLine> waiting_log_;

    struct Gate {
        explicit Gate(Board* to) : board(to) {}
        std::mutex mutex;
        Board* board;
    };
    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>(this);  // who holds it may outlive the board

    std::mutex turn_mutex_;  // of what a turn uses alone
    std::unique_ptr<RunFolder> folder_;
    double began_ = 0;                               ///< the run, in seconds since 1970
    std::vector<std::shared_ptr<Shown>> described_;  ///< trainers that run.json has
    std::string folder_path_;
    int turns_ = 0;

    std::mutex sleep_mutex_;
    std::condition_variable sleep_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all of it
};

}  // namespace sigma::monitor
