// SPDX-License-Identifier: BSL-1.0
#include "board.hpp"
#include "answer.hpp"
#include "forks.hpp"
#include "panels.hpp"

#include <sigma/core/version.hpp>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_log = 10'000;

/// Reduces the points of one turn of the stream to minimum and maximum of each of 32 columns.
std::vector<Point> few(std::vector<Point> points) {
    constexpr std::size_t columns = 32;
    if (points.size() <= 2 * columns) return points;
    std::vector<Point> kept;
    for (std::size_t i = 0; i < columns; ++i) {
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(points.size() * i / columns);
        const auto last = points.begin() + static_cast<std::ptrdiff_t>(points.size() * (i + 1) / columns);
        auto [low, high] = std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
        if (high < low) std::swap(low, high);
        kept.push_back(*low);
        if (high != low) kept.push_back(*high);
    }
    return kept;
}

}  // namespace

Board::Board(Options options) : options_(std::move(options)), thread_([this] { run(); }) {}

void Board::quiet() {
    {
        const std::scoped_lock lock(sleep_mutex_);
        stopping_ = true;
    }
    sleep_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Board::~Board() {
    {
        const std::scoped_lock lock(gate_->mutex);
        gate_->board = nullptr;
    }
    quiet();
    on_tick(nullptr);
    members_ = nullptr;
    for (const auto& trainer : trainers_) trainer->tap->close();
    try {
        turn();  // the last points
        for (int i = 0; i < 200 && predicting(); ++i, turn())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        finish_facts();
        if (folder_) write_arrangement();
        const std::scoped_lock lock(turn_mutex_);
        {
            const std::scoped_lock all(mutex_);
            write_last_distributions();
        }
        for (const auto& trainer : shown()) write_state(*trainer, true);
    } catch (...) {  // the disk is full; the run is over
    }
}

std::string Board::run_folder() const {
    const std::scoped_lock lock(mutex_);
    return folder_path_;
}

// ---- the program ----

void Board::enter(Watched trainer) {
    auto next = std::make_shared<Shown>(std::move(trainer));
    if (options_.runs.empty() || !options_.provenance) next->watched.dataset = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        const auto same = std::ranges::find(trainers_, next->name, &Shown::name);
        if (same != trainers_.end() && (*same)->watched.attach && !(*same)->watched.remote.closed())
            throw ArgumentError("monitor", "a trainer with a new name", sentence("a second '", next->name, "'"));
        for (const Panel& panel : panels_) check_owner(panel, next);
        if (same != trainers_.end()) replace(*same, next);  // known to an environment, or destroyed
        else trainers_.push_back(next);
    }
    next->tap->belongs_to(this);
    if (next->watched.attach) next->watched.attach(next->tap);
}

/// Replaces a trainer by the next one of the same name; call it under mutex_.
void Board::replace(std::shared_ptr<Shown>& gone, std::shared_ptr<Shown> next) {
    take(*gone);
    next->fresh = std::move(gone->fresh);  // still to be written to disk
    gone->tap->close();
    gone = std::move(next);
}

void Board::environment(std::string name, std::uint64_t seed, std::function<std::vector<Watched>()> members) {
    {
        const std::scoped_lock lock(mutex_);
        name_ = std::move(name);
        seed_ = seed;
        members_ = std::move(members);
    }
    meet_members();
}

void Board::meet_members() {
    std::function<std::vector<Watched>()> members;
    {
        const std::scoped_lock lock(mutex_);
        members = members_;
    }
    if (!members) return;
    for (Watched& member : members()) {
        if (member.network.empty()) member.network = detail::layers_of(member.registry);
        if (member.optimizer.empty())
            if (const auto optimizer = member.registry.find<std::string>("optimizer.name"))
                member.optimizer = *optimizer;
        const std::scoped_lock lock(mutex_);
        const auto same = std::ranges::find(trainers_, member.name, &Shown::name);
        if (same != trainers_.end() && (!(*same)->watched.remote.closed() || member.remote.closed())) continue;
        auto next = std::make_shared<Shown>(std::move(member));
        if (same != trainers_.end()) replace(*same, std::move(next));
        else trainers_.push_back(std::move(next));
    }
}

void Board::on_start(std::string trainer, std::function<void()> begin) {
    const std::scoped_lock lock(mutex_);
    begins_[std::move(trainer)] = std::move(begin);
}

void Board::show(Panel panel) {
    examine(panel);
    if (auto its_own = panel.kind->another()) panel.kind = std::move(its_own);
    const std::scoped_lock lock(mutex_);
    check_owner(panel);
    panels_.push_back(std::move(panel));
}

void Board::check_owner(const Panel& panel, const std::shared_ptr<Shown>& coming) const {
    auto all = trainers_;
    if (coming) all.push_back(coming);
    if (all.empty()) return;
    const std::string& name_of_own = panel.trainer.empty() ? all[0]->name : panel.trainer;
    // A trainer that comes may replace one of the same name.
    const auto own = coming && coming->name == name_of_own ? std::prev(all.end())
                                                           : std::ranges::find(all, name_of_own, &Shown::name);
    if (own == all.end()) return;  // a trainer that is added later
    if ((*own)->watched.attach) panel.kind->check_trainer((*own)->watched);
    const auto* const lines = dynamic_cast<const LinesKind*>(panel.kind.get());
    if (lines == nullptr) return;
    for (const std::string& series : lines->series)
        for (const auto& trainer : all) {
            const std::string& name = trainer->name;
            if (!series.starts_with(sentence(name, "."))) continue;
            if ((*own)->watched.registry.contains(series)) continue;  // a trainer called 'optimizer' is not meant
            throw ArgumentError(sentence(panel.kind->word, " of '", series, "'"), "a name without a trainer",
                                sentence("the trainer '", name, "' in front; write ", panel.kind->word, "(\"",
                                         series.substr(name.size() + 1), "\").of(\"", name, "\")"));
        }
}

void Board::add_log(std::string level, std::string_view source, std::string_view message, double time) {
    const std::scoped_lock lock(waiting_mutex_);
    if (waiting_log_.size() >= most_log) return;
    waiting_log_.push_back({0, time, std::move(level), std::string(source), std::string(message.substr(0, 4096))});
}

std::function<void(const LogRecord&)> Board::follower() {
    return [gate = gate_](const LogRecord& record) {
        const std::scoped_lock lock(gate->mutex);
        if (gate->board == nullptr || detail::KnownLine::is_known(gate->board, record.message)) return;
        gate->board->add_log(std::string(sigma::detail::level_text(record.level)), record.source, record.message,
                             std::chrono::duration<double>(record.time.time_since_epoch()).count());
    };
}

void Board::on_tick(std::function<void(std::shared_ptr<const Tick>)> call) {
    const std::scoped_lock lock(mutex_);
    call_ = std::move(call);
}

// ---- its thread ----

void Board::run() {
    for (;;) {
        try {
            turn();
        } catch (const std::exception& error) { keep_no_more(error.what()); } catch (...) {
            keep_no_more(own_exception);
        }
        std::unique_lock lock(sleep_mutex_);
        if (sleep_.wait_for(lock, std::chrono::milliseconds(50), [this] { return stopping_; })) return;
    }
}

/// Stops writing the run, for example if the disk is full. The run itself continues.
void Board::keep_no_more(std::string_view reason) {
    {
        const std::scoped_lock lock(turn_mutex_, mutex_);
        folder_.reset();
        options_.runs.clear();
    }
    add_log("error", "monitor", reason, seconds_now());
}

/// Samples a trainer that is known by its registry only: at most ten times a second, and only if it has advanced. Does
/// not wait for the trainer, so that a slow step delays no other trainer's data.
void Board::sample_from_outside(const std::shared_ptr<Shown>& trainer) {
    const auto iteration_of = [](const Shown& one) {
        const Json found = value_or_null<std::uint64_t>(one.watched.registry, "iteration");
        return found.is_null() ? std::uint64_t{0} : found.get<std::uint64_t>();
    };
    if (trainer->sampling && !trainer->sampling->done()) return;
    trainer->sampling.reset();
    const Remote& remote = trainer->watched.remote;
    try {
        if (remote.closed() || iteration_of(*trainer) == trainer->sampled) return;
        trainer->sampling = remote.post([weak = std::weak_ptr(trainer), iteration_of] {
            const auto one = weak.lock();
            if (!one) return;
            const std::uint64_t now = iteration_of(*one);
            if (one->tap->sample(one->watched.registry, static_cast<double>(now), one->watched.remote.runtime()))
                one->sampled = now;  // else tries again, even if the run has ended
        });
    } catch (...) {  // the trainer was destroyed, or a function of a registry value throws
    }
}

void Board::write_marks(Tick& tick) {
    const std::scoped_lock lock(mutex_);
    for (const Made& made : marks_) {
        if (made.number <= told_mark_) continue;
        // A change after a fork belongs to the next record.
        const auto of = std::ranges::find(trainers_, made.trainer, [](const auto& one) { return one->name; });
        if (of != trainers_.end() && (*of)->ended && made.number > (*of)->ended->last_mark) break;
        told_mark_ = made.number;
        if (folder_) folder_->add(made.trainer, made.mark);
        used_ = true;
        Json one = mark_answer(made.trainer, made.mark);
        one["number"] = made.number;
        tick.messages.push_back(text_of({{"type", "mark"}, {"mark", std::move(one)}}));
    }
}

std::optional<double> Board::gone_back(Shown& trainer, double furthest) {
    // Read after the points were taken, so it is not less than theirs while the trainer advances.
    const auto iteration = trainer.watched.registry.find<std::uint64_t>("iteration");
    if (!iteration || static_cast<double>(*iteration) >= furthest) return std::nullopt;
    const auto now = static_cast<double>(*iteration);
    const std::scoped_lock lock(mutex_);
    for (auto& [_, series] : trainer.series)
        if (!series.empty() && series.last().x <= furthest) series.go_back(now);
    std::erase_if(marks_, [&](const Made& made) { return made.trainer == trainer.name && made.mark.iteration > now; });
    return now;
}

/// Writes the newest distributions, which later ones would have replaced.
void Board::write_last_distributions() {
    if (!folder_) return;
    for (const auto& trainer : trainers_)
        for (const auto& [name, kept] : trainer->distributions)
            if (kept.last_is_passing()) folder_->add(trainer->name, name, kept.all().back());
}

void Board::take(Shown& trainer) {
    trainer.tap->drain([&](const std::string& name, bool holds, const Point& point) {
        Series& series = trainer.series[name];
        if (holds) series.hold();
        series.append(point);
        trainer.fresh[name].push_back(point);
    });
}

void Board::write_state(Shown& trainer, bool leaves) {
    if (!folder_) return;
    const Remote& remote = trainer.watched.remote;
    std::string now = state_of(remote);
    std::string reason = remote.ending().reason;
    if (remote.state() != RunState::idle) {
        folder_->goes_on();
        if (leaves) now = "left", reason = "the monitor ended before the run";
    }
    if (now == trainer.state || now == "idle" || now == "closed") return;
    const auto iteration = trainer.watched.registry.find<std::uint64_t>("iteration");
    folder_->add(trainer.name, RunStatus{.state = now,
                                         .reason = std::move(reason),
                                         .iteration = iteration ? static_cast<double>(*iteration) : trainer.furthest,
                                         .time = seconds_now()});
    if (now == "running") trainer.facts_due = true;
    trainer.state = std::move(now);
}

void Board::write_arrangement() {
    std::string text;
    {
        const std::scoped_lock lock(mutex_);
        if (written_ == arranged_) return;
        written_ = arranged_;
        text = text_of(arrangement_);
    }
    folder_->arrange(text);
}

bool Board::only_runs() const {
    const std::scoped_lock lock(mutex_);
    return !options_.runs.empty() && trainers_.empty() && !members_;
}

/// Creates the folder of the run, or describes the run again when trainers were added or replaced.
void Board::describe_run(const std::vector<std::shared_ptr<Shown>>& trainers) {
    const std::string& name = name_.empty() ? trainers[0]->name : name_;
    if (!folder_) began_ = seconds_now();
    Json description{{"name", name}, {"version", sigma::version()}, {"began", began_}};
    if (options_.provenance) {
        if (!folder_) facts_ = facts_of_program();
        description["facts"] = facts_;
    }
    for (const auto& trainer : trainers) {
        Json& one = description["trainers"].emplace_back();
        one = {
            {"name", trainer->name}, {"network", trainer->watched.network}, {"optimizer", trainer->watched.optimizer}};
        if (options_.provenance) one["facts"] = trainer->facts;
        if (trainer->parent) one["parent"] = parent_answer(*trainer->parent);
    }
    if (folder_) {
        folder_->describe(text_of(description));
    } else {
        folder_ = std::make_unique<RunFolder>(options_.runs, name, text_of(description));
        const std::scoped_lock lock(mutex_);
        folder_path_ = folder_->path();
        // A record that a fork of another trainer begins has all numbers, also those that do not change any more.
        for (const auto& trainer : trainers)
            for (const auto& [series, points] : trainer->series)
                if (points.held() && !points.empty() && !trainer->unkept.contains(series))
                    folder_->add(trainer->name, series, points.last(), true);
    }
    described_ = trainers;
}

void Board::finish_facts() {
    const std::scoped_lock lock(turn_mutex_);
    const auto all = shown();
    const auto pending = [](const std::optional<Gathering>& one) { return one && one->pending(); };
    for (int i = 0; i < 100 && (pending(source_) || std::ranges::any_of(all, pending, &Shown::digest)); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    gather_facts(all);
}

/// Reads the registry between two steps, without waiting for the trainer.
void Board::ask_for_facts(const std::shared_ptr<Shown>& trainer) {
    trainer->facts_due = false;
    try {
        trainer->asking = trainer->watched.remote.post([weak = std::weak_ptr(trainer)] {
            const auto one = weak.lock();
            if (!one) return;
            one->asked = facts_of_trainer(one->watched.registry);
            if (const std::string device = one->tap->device(); !device.empty()) one->asked["device"] = device;
        });
    } catch (const Error&) {  // the trainer was destroyed
    }
}

void Board::gather_facts(const std::vector<std::shared_ptr<Shown>>& trainers) {
    if (!folder_ || !options_.provenance) return;
    bool changed = false;
    const auto take = [&](Json& facts, const Json& found) {
        for (const auto& [name, fact] : found.items()) {
            changed = changed || !facts.contains(name) || facts[name] != fact;
            facts[name] = fact;
        }
    };
    if (!source_) source_.emplace(facts_of_source);
    if (const auto found = source_->take()) take(facts_, *found);
    for (const auto& trainer : trainers) {
        if (const auto data = std::exchange(trainer->watched.dataset, nullptr))
            trainer->digest.emplace([data](const Halted& halted) { return facts_of_data(*data, halted); });
        if (trainer->digest)
            if (const auto found = trainer->digest->take()) take(trainer->facts, *found);
        if (trainer->facts_due && !trainer->asking) ask_for_facts(trainer);
        if (!trainer->asking || !trainer->asking->done()) continue;
        take(trainer->facts, std::exchange(trainer->asked, {}));
        trainer->asking.reset();
    }
    if (changed) describe_run(trainers);
}

void Board::turn() {
    const std::scoped_lock turning(turn_mutex_);
    const int number = turns_++;
    if (number % 20 == 0) meet_members();
    auto tick = std::make_shared<Tick>();
    const auto trainers = shown();

    begin_record(trainers, *tick);
    if (!options_.runs.empty() && !trainers.empty() && trainers != described_) describe_run(trainers);

    std::vector<LogLine> fresh;
    bool predicted = false;
    read_system(trainers);
    for (const auto& trainer : trainers) {
        if (!trainer->watched.attach && number % 2 == 0) sample_from_outside(trainer);
        read_tensors(trainer, trainer == trainers.front());
        read_health(trainer, trainer == trainers.front());
        predicted = follow_panels(trainer, trainer == trainers.front()) || predicted;
        mark_saved(*trainer);
        for (std::string& line : trainer->tap->take_lines()) add_log("info", trainer->name, line, seconds_now());
        auto& points = tick->points[trainer->name];
        const bool gone = trainer->watched.remote.closed() && (!trainer->sampling || trainer->sampling->done());
        double furthest = 0;
        std::set<std::string> held;  // series with changes as points
        {
            const std::scoped_lock lock(mutex_);
            if (trainer->ended) continue;  // forked in this turn: the next one begins the record of these points
            take(*trainer);
            if (gone) trainer->tap->release();
            points.swap(trainer->fresh);
            for (const auto& [name, series] : trainer->series)
                if (series.held()) held.insert(name);
            for (const auto& [_, series] : trainer->series)
                if (!series.empty()) furthest = std::max(furthest, series.last().x);
        }
        trainer->furthest = furthest;
        const std::optional<double> back = gone_back(*trainer, furthest);
        std::string failure = trainer->watched.remote.failure();
        if (failure != trainer->failure && !failure.empty())
            add_log("error", trainer->name, sentence("the run failed: ", failure), seconds_now());
        trainer->failure = std::move(failure);
        used_ = used_ || points.contains("loss") || !trainer->watched.attach;
        if (folder_)
            for (const auto& [name, added] : points)
                if (!trainer->unkept.contains(name))
                    for (const Point& point : added) folder_->add(trainer->name, name, point, held.contains(name));
        write_state(*trainer, false);
        if (back) {
            tick->messages.emplace_back(R"({"type":"missed"})");
            for (auto& [name, added] : points)
                std::erase_if(added, [&](const Point& point) { return point.x > *back; });
        }
        for (auto& [name, added] : points) added = few(std::move(added));
        if (number % 2 == 0 && trainer->watched.attach) trainer->tap->ask();
    }
    if (predicted) write_predictions();
    {
        const std::scoped_lock lock(waiting_mutex_);
        fresh.swap(waiting_log_);
    }
    if (!fresh.empty()) {
        Json records = Json::array();
        const std::scoped_lock lock(mutex_);
        for (LogLine& line : fresh) {
            line.number = ++logged_;
            if (folder_) folder_->add(line);
            records.push_back({{"number", line.number},
                               {"time", line.time},
                               {"level", line.level},
                               {"source", line.source},
                               {"message", line.message}});
            log_.push_back(std::move(line));
        }
        while (log_.size() > most_log) log_.pop_front();
        if (records.size() > 200) records.erase(records.begin(), records.end() - 200);
        tick->messages.push_back(text_of({{"type", "log"}, {"records", std::move(records)}}));
    }
    gather_facts(trainers);
    follow_commands(tick.get());
    write_marks(*tick);
    if (number % 5 == 0) tick->state = text_of({{"type", "state"}, {"state", state()}});
    if (folder_ && number % 10 == 0) {
        write_arrangement();
        folder_->flush();
    }

    std::function<void(std::shared_ptr<const Tick>)> call;
    {
        const std::scoped_lock lock(mutex_);
        call = call_;
    }
    if (call) call(std::move(tick));
}

// ---- clients ----

std::shared_ptr<Shown> Board::find(std::string_view trainer) const {
    const std::scoped_lock lock(mutex_);
    if (trainer.empty() && !trainers_.empty()) return trainers_.front();
    for (const auto& one : trainers_)
        if (one->name == trainer) return one;
    throw Refusal{404, sentence("trainer '", shortened(std::string(trainer), 100), "': there is no such trainer")};
}
std::string Board::trainer_of(std::string_view trainer) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& one : trainers_)
        if (trainer.empty() || one->name == trainer) return one->name;
    return {};
}
std::string Board::trainer_of_panel(std::string_view id) const {
    std::string trainer;
    {
        const std::scoped_lock lock(mutex_);
        const std::vector<std::string> ids = ids_of(panels_);
        const auto at = std::ranges::find(ids, id);
        if (at == ids.end()) return {};
        trainer = panels_[static_cast<std::size_t>(at - ids.begin())].trainer;
    }
    return trainer_of(trainer);
}
std::vector<std::shared_ptr<Shown>> Board::shown() const {
    const std::scoped_lock lock(mutex_);
    return trainers_;
}

}  // namespace sigma::monitor
