// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>
#include <sigma/core/task.hpp>

#include "board.hpp"
#include "history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_commands = 1000, most_log = 10'000;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

template <class T>
Json value_or_null(const ReadOnlyRegistry& registry, std::string_view name) {
    try {
        if (const auto found = registry.find<T>(name)) return Json(*found);
    } catch (const Error&) {  // of another type
    }
    return nullptr;
}

/// f() between two iterations, where asking is cheap, and no step waits for more than it. Throws Refusal.
void between_steps(const Watched& watched, const std::function<void()>& f) {
    try {
        watched.remote.post([&f] { f(); }).wait();
    } catch (const Refusal&) { throw; } catch (const StateError& error) {
        throw Refusal{409, error.what()};
    } catch (const std::exception& error) { throw Refusal{400, error.what()}; }
}

/// A value that is JSON into one of the registry's type. Throws Refusal, or what the registry throws.
template <class T>
bool set_whole(Registry& registry, const std::string& name, const std::string& type, const Json& value) {
    if (type != type_name<T>()) return false;
    const auto refuse = [&](const std::string& found) -> bool {
        throw Refusal{400, sentence("registry '", name, "': expected a value of type ", type, ", found ", found)};
    };
    if (!value.is_number_integer()) return refuse(text_of(value).substr(0, 100));
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
                          : std::is_signed_v<T> &&
                                value.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
    if (!fits) return refuse(text_of(value));
    registry.set(name, value.get<T>());
    return true;
}
void set_value(Registry& registry, const std::string& name, const Json& value) {
    const std::string type = registry.type_name(name);
    if (set_whole<int>(registry, name, type, value) || set_whole<unsigned>(registry, name, type, value) ||
        set_whole<std::int64_t>(registry, name, type, value) || set_whole<std::uint64_t>(registry, name, type, value))
        return;
    if (type == "double" && value.is_number()) registry.set(name, value.get<double>());
    else if (type == "float" && value.is_number()) registry.set(name, value.get<float>());
    else if (type == "bool" && value.is_boolean()) registry.set(name, value.get<bool>());
    else if (type == "string" && value.is_string()) registry.set(name, value.get<std::string>());
    else
        throw Refusal{400,
                      sentence("registry '", name, "': expected a value of type ", type, ", found ",
                               value.is_structured() ? std::string(value.type_name()) : text_of(value).substr(0, 100))};
}

std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    text.resize(most);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
    return text + "…";
}

/// An array as numbers in a row, with its shape.
struct Numbers {
    std::vector<std::size_t> shape;
    std::vector<double> values;
};
std::optional<Numbers> array_at(const ReadOnlyRegistry& registry, const std::string& name) {
    const auto numbers = [](const auto& array) {
        return Numbers{{array.shape().begin(), array.shape().end()}, {array.data(), array.data() + array.size()}};
    };
    const std::string type = registry.type_name(name);
    if (type == "array of float") {
        if (const auto found = registry.find<Array<float>>(name)) return numbers(*found);
    } else if (type == "array of double") {
        if (const auto found = registry.find<Array<double>>(name)) return numbers(*found);
    }
    return std::nullopt;
}

/// Points of one turn of the stream, at most two for each of 32 columns: the extremes.
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

Board::Board(Options options) : options_(std::move(options)), thread_([this](std::stop_token stop) { run(stop); }) {}

void Board::quiet() {
    thread_.request_stop();
    sleep_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Board::~Board() {
    quiet();
    on_tick(nullptr);
    members_ = nullptr;
    for (const auto& trainer : trainers_) trainer->tap->close();
    try {
        turn();      // what was there at the end
    } catch (...) {  // a disk that is full: the run is over
    }
}

std::string Board::run_folder() const {
    const std::scoped_lock lock(mutex_);
    return folder_path_;
}

// ---- the program ----

void Board::enter(Watched trainer) {
    auto next = std::make_shared<Shown>(std::move(trainer));
    {
        const std::scoped_lock lock(mutex_);
        const auto same = std::ranges::find(trainers_, next->name, &Shown::name);
        if (same != trainers_.end() && (*same)->watched.attach)
            throw ArgumentError("monitor", "a trainer of another name", sentence("a second '", next->name, "'"));
        if (same != trainers_.end()) *same = next;  // known to an environment
        else trainers_.push_back(next);
    }
    if (next->watched.attach) next->watched.attach(next->tap);
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
        const std::scoped_lock lock(mutex_);
        if (std::ranges::find(trainers_, member.name, &Shown::name) == trainers_.end())
            trainers_.push_back(std::make_shared<Shown>(std::move(member)));
    }
}

void Board::on_start(std::string trainer, std::function<void()> begin) {
    const std::scoped_lock lock(mutex_);
    begins_[std::move(trainer)] = std::move(begin);
}

void Board::show(Panel panel) {
    const std::scoped_lock lock(mutex_);
    panels_.push_back(std::move(panel));
}

void Board::add_log(std::string level, std::string_view source, std::string_view message, double time) {
    const std::scoped_lock lock(waiting_mutex_);
    if (waiting_log_.size() >= most_log) return;
    waiting_log_.push_back({0, time, std::move(level), std::string(source), std::string(message.substr(0, 4096))});
}

void Board::on_tick(std::function<void(std::shared_ptr<const Tick>)> call) {
    const std::scoped_lock lock(mutex_);
    tell_ = std::move(call);
}

// ---- its thread ----

void Board::run(const std::stop_token& stopping) {
    while (!stopping.stop_requested()) {
        try {
            turn();
        } catch (const std::exception& error) {  // a full disk; the run goes on without being kept
            const std::scoped_lock lock(turn_mutex_);
            folder_.reset();
            options_.runs.clear();
            add_log("error", "monitor", error.what(), seconds_now());
        }
        std::unique_lock lock(sleep_mutex_);
        sleep_.wait_for(lock, stopping, std::chrono::milliseconds(50), [] { return false; });
    }
}

/// Of who is known by a registry only: at most ten times a second, and where it has moved.
void Board::sample_from_outside(Shown& trainer) {
    const auto now = [&] {
        const Json found = value_or_null<std::uint64_t>(trainer.watched.registry, "iteration");
        return found.is_null() ? std::uint64_t{0} : found.get<std::uint64_t>();
    };
    if (trainer.watched.remote.closed() || now() == trainer.sampled) return;
    try {
        trainer.watched.remote
            .post([&] {
                trainer.sampled = now();
                trainer.tap->sample(trainer.watched.registry, static_cast<double>(trainer.sampled),
                                    trainer.watched.remote.runtime());
            })
            .wait();
    } catch (const std::exception&) {  // it has gone
    }
}

bool Board::only_runs() const {
    const std::scoped_lock lock(mutex_);
    return !options_.runs.empty() && trainers_.empty() && !members_;
}

void Board::turn() {
    const std::scoped_lock turning(turn_mutex_);
    const int number = turns_++;
    if (number % 20 == 0) meet_members();
    auto tick = std::make_shared<Tick>();
    const auto trainers = shown();

    if (!options_.runs.empty() && !folder_ && !trainers.empty()) {
        Json description{
            {"name", name_.empty() ? trainers[0]->name : name_}, {"version", SIGMA_VERSION}, {"began", seconds_now()}};
        for (const auto& trainer : trainers)
            description["trainers"].push_back({{"name", trainer->name},
                                               {"network", trainer->watched.network},
                                               {"optimizer", trainer->watched.optimizer}});
        folder_ =
            std::make_unique<RunFolder>(options_.runs, name_.empty() ? trainers[0]->name : name_, text_of(description));
        const std::scoped_lock lock(mutex_);
        folder_path_ = folder_->path();
    }

    std::vector<LogLine> fresh;
    for (const auto& trainer : trainers) {
        if (!trainer->watched.attach && number % 2 == 0) sample_from_outside(*trainer);
        for (std::string& line : trainer->tap->take_lines()) add_log("info", trainer->name, line, seconds_now());
        auto& points = tick->points[trainer->name];
        {
            const std::scoped_lock lock(mutex_);
            trainer->tap->drain([&](const std::string& name, const Point& point) {
                trainer->series[name].append(point);
                points[name].push_back(point);
            });
        }
        if (folder_)
            for (const auto& [name, added] : points)
                for (const Point& point : added) folder_->add(trainer->name, name, point);
        for (auto& [name, added] : points) added = few(std::move(added));
        if (number % 2 == 0 && trainer->watched.attach) trainer->tap->ask();
    }
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
    follow_commands(tick.get());
    if (number % 5 == 0) tick->state = text_of({{"type", "state"}, {"state", state()}});
    if (folder_ && number % 10 == 0) folder_->flush();

    std::function<void(std::shared_ptr<const Tick>)> tell;
    {
        const std::scoped_lock lock(mutex_);
        tell = tell_;
    }
    if (tell) tell(std::move(tick));
}

void Board::settle(Given& given) {
    if (given.status != "pending" || !given.acknowledgement || !given.acknowledgement->done()) return;
    given.status = "done";
    try {
        given.acknowledgement->wait();
    } catch (const std::exception& error) {
        given.status = "refused";
        given.reason = error.what();
    } catch (...) {
        given.status = "refused";
        given.reason = "an exception of a type of its own";
    }
    given.acknowledgement.reset();
}

void Board::follow_commands(Tick* tick) {
    const std::scoped_lock lock(mutex_);
    for (Given& given : commands_) {
        if (given.status != "pending") continue;
        settle(given);
        if (given.status == "pending") continue;
        Json message = described(given);
        message["type"] = "command";
        tick->messages.push_back(text_of(message));
    }
}

// ---- clients ----

std::shared_ptr<Shown> Board::find(std::string_view trainer) const {
    const std::scoped_lock lock(mutex_);
    if (trainer.empty() && !trainers_.empty()) return trainers_.front();
    for (const auto& one : trainers_)
        if (one->name == trainer) return one;
    throw Refusal{
        404, sentence("trainer '", shortened(std::string(trainer), 100), "': expected one that is shown, found none")};
}
std::vector<std::shared_ptr<Shown>> Board::shown() const {
    const std::scoped_lock lock(mutex_);
    return trainers_;
}

Json Board::trainer_state(const Shown& trainer) const {
    const Watched& w = trainer.watched;
    const ReadOnlyRegistry& r = w.registry;
    const bool closed = w.remote.closed();
    Json result{{"name", trainer.name},
                {"state", closed ? std::string("closed") : std::string(state_text(w.remote.state()))},
                {"network", w.network},
                {"optimizer", w.optimizer},
                {"device", trainer.tap->device()},
                {"epoch", value_or_null<std::uint64_t>(r, "epoch")},
                {"iteration", value_or_null<std::uint64_t>(r, "iteration")},
                {"batch", value_or_null<std::uint64_t>(r, "batch")},
                {"batches_per_epoch", value_or_null<std::uint64_t>(r, "iterator.batches_per_epoch")},
                {"batch_size", value_or_null<std::uint64_t>(r, "iterator.minibatch_size")},
                {"records", value_or_null<std::uint64_t>(r, "iterator.records")},
                {"records_per_second", value_or_null<double>(r, "samples_per_second")},
                {"runtime", w.remote.runtime()},
                {"epochs_planned", nullptr},
                {"left", nullptr}};
    const Json planned = value_or_null<std::uint64_t>(r, "epochs_planned");
    if (planned.is_null() || planned.get<std::uint64_t>() > (1ull << 53)) return result;  // forever
    result["epochs_planned"] = planned;
    if (closed || w.remote.state() == RunState::idle) return result;
    const double rate = result["records_per_second"].is_number() ? result["records_per_second"].get<double>() : 0;
    const auto count = [&](const char* name) { return result[name].is_number() ? result[name].get<double>() : 0.0; };
    const double epochs_left = planned.get<double>() - count("epoch");
    const double steps = count("batches_per_epoch");
    const double done = steps > 0 ? count("iteration") - count("epoch") * steps : 0;
    const double left = epochs_left * steps - done;
    if (rate > 0 && steps > 0 && left >= 0) result["left"] = left / steps * count("records") / rate;
    return result;
}

Json Board::state() const {
    Json result{{"read_only", options_.read_only},
                {"now", seconds_now()},
                {"trainers", Json::array()},
                {"tasks", Json::array()}};
    if (only_runs()) result["only_runs"] = true;
    std::vector<std::shared_ptr<Shown>> all;
    {
        const std::scoped_lock lock(mutex_);
        all = trainers_;
        result["environment"] = {{"name", name_.empty() && !all.empty() ? all[0]->name : name_},
                                 {"version", SIGMA_VERSION}};
        if (seed_) result["environment"]["seed"] = *seed_;
    }
    for (const auto& trainer : all) result["trainers"].push_back(trainer_state(*trainer));
    for (const TaskView& task : sigma::tasks()) {
        Json one{{"number", task.number()},
                 {"kind", std::string(task_word(task.kind()))},
                 {"description", task.description()},
                 {"unit", task.unit()},
                 {"done", task.done()},
                 {"total", nullptr},
                 {"canceled", task.canceled()}};
        if (const auto total = task.total()) one["total"] = *total;
        result["tasks"].push_back(std::move(one));
    }
    return result;
}

Json Board::panels() const {
    std::vector<Panel> panels;
    std::vector<std::shared_ptr<Shown>> all;
    {
        const std::scoped_lock lock(mutex_);
        panels = panels_;
        all = trainers_;
    }
    if (panels.empty()) {  // what one wants to see
        panels = {monitor::state, monitor::controls, monitor::tasks};
        for (const auto& trainer : all) {
            panels.push_back(chart("loss", "error").of(trainer->name));
            std::vector<std::string> right;
            {
                const std::scoped_lock lock(mutex_);
                for (const char* name : {"accuracy", "validation_accuracy", "validation_loss"})
                    if (trainer->series.contains(name)) right.emplace_back(name);
            }
            if (!right.empty())
                panels.push_back(
                    {.kind = "chart", .title = detail::joined_names(right), .trainer = trainer->name, .series = right});
            panels.push_back(parameters("optimizer.*").of(trainer->name));
            if (!trainer->watched.nodes.empty()) panels.push_back(monitor::graph.of(trainer->name));
        }
        panels.push_back(monitor::log);
    }
    Json result = Json::array();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& panel = panels[i];
        Json one{{"id", sentence(panel.kind, "-", i + 1)},
                 {"kind", panel.kind},
                 {"title", panel.title},
                 {"trainer", panel.trainer.empty() && !all.empty() ? all[0]->name : panel.trainer}};
        if (!panel.series.empty()) one["series"] = panel.series;
        if (!panel.pattern.empty()) one[panel.kind == "weights" ? "parameter" : "pattern"] = panel.pattern;
        if (panel.rows > 0) one["rows"] = panel.rows, one["columns"] = panel.columns;
        result.push_back(std::move(one));
    }
    return result;
}

Json Board::registry(std::string_view trainer, std::string_view pattern) const {
    const auto one = find(trainer);
    const bool plain = pattern.find_first_of("*<") == pattern.npos;
    Json result = Json::array();
    const auto read = [&] {
        const ReadOnlyRegistry& registry = one->watched.registry;
        for (const std::string& name : registry.resolve(pattern)) {
            const RegistryValue value = registry.value(name);
            const std::string type = value.type_name();
            Json entry{{"name", name},
                       {"type", type},
                       {"text", ""},
                       {"number", nullptr},
                       {"writable", !value.read_only()},
                       {"tags", registry.tags(name)}};
            // Arrays are read, and gradients computed, for who asks for one.
            if (plain || !type.starts_with("array")) entry["text"] = shortened(value.text(), 200);
            if (is_number_type(type) || type == "bool")
                if (const auto number = value.number()) entry["number"] = number_or_null(*number);
            result.push_back(std::move(entry));
        }
    };
    if (!one->watched.remote.closed()) between_steps(one->watched, read);
    return result;
}

Json Board::set(const std::string& trainer, const std::string& name, const Json& value) {
    const auto one = find(trainer);
    try {
        set_value(one->watched.registry, name, value);
        // A number of the optimizer is set between two iterations: who reads it now waits for that, as who set it does.
        return {{"name", name}, {"text", shortened(one->watched.registry.to_text(name), 200)}};
    } catch (const StateError& error) { throw Refusal{409, error.what()}; } catch (const Error& error) {
        throw Refusal{400, error.what()};
    }
}

/// Where a file that a client names is: within the folder of the run.
std::string Board::file_for(const std::string& file, bool exists) const {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    };
    if (file.empty() || file.size() > 100 || file[0] == '.' || !std::ranges::all_of(file, fine))
        throw Refusal{400, sentence("file '", shortened(file, 100),
                                    "': expected a name of letters, digits, '-', '_' and '.', found another")};
    const std::string folder = run_folder();
    if (folder.empty())
        throw Refusal{409, "files of a run: expected a folder for them, WebOptions{.runs = \"runs\"}, found none"};
    if (file == "series.bin" || file == "log.jsonl" || file == "run.json")
        throw Refusal{400,
                      sentence("file '", file, "': expected another name than that of a file of the run, found it")};
    const std::string path = folder + "/" + file;
    std::error_code failed;
    if (std::filesystem::is_symlink(path, failed) || (exists && !std::filesystem::is_regular_file(path, failed)))
        throw Refusal{404, sentence("file '", file, "': expected one that is in the folder of the run, found none")};
    return path;
}

Json Board::described(const Given& given) const {
    Json result{{"id", given.id}, {"command", given.command}, {"trainer", given.trainer}, {"status", given.status}};
    if (!given.reason.empty()) result["reason"] = given.reason;
    return result;
}

Json Board::command(const std::string& trainer, const std::string& command, const std::string& file) {
    const auto one = find(trainer);
    const Watched& watched = one->watched;
    const Remote& remote = watched.remote;
    constexpr std::array<std::string_view, 9> known = {"pause",  "resume", "step", "stop", "reset",
                                                       "rewind", "save",   "load", "start"};
    if (std::ranges::find(known, command) == known.end())
        throw Refusal{400, sentence("command '", shortened(command, 100),
                                    "': expected pause, resume, step, stop, reset, rewind, "
                                    "save, load or start, found another")};
    Given given{.command = command, .trainer = one->name};
    std::function<void()> begin;
    std::string path;
    if (command == "save" || command == "load") path = file_for(file, command == "load");
    {
        const std::scoped_lock lock(mutex_);
        const auto found = begins_.find(one->name);
        if (found != begins_.end()) begin = found->second;
    }
    try {
        const auto refuse = [&](const char* expected) {
            throw StateError(sentence(command, " of trainer '", one->name, "'"), expected, "none");
        };
        if (command == "pause") given.acknowledgement = remote.pause();
        else if (command == "resume") given.acknowledgement = remote.resume();
        else if (command == "step") given.acknowledgement = remote.step();
        else if (command == "stop") given.acknowledgement = remote.stop();
        else if (command == "reset") given.acknowledgement = remote.reset();
        else if (command == "rewind") given.acknowledgement = remote.rewind();
        else if (command == "start") {
            if (!begin) refuse("a program that says how, Web::on_start");
            begin();
            given.status = "done";
        } else {
            const auto& act = command == "save" ? watched.save : watched.load;
            if (!act) refuse("a monitor that knows its type, Web::watch");
            given.acknowledgement = act(path);
        }
    } catch (const Refusal&) { throw; } catch (const std::exception& error) {
        given.status = "refused";
        given.reason = error.what();
    }
    settle(given);
    const std::scoped_lock lock(mutex_);
    given.id = ++given_;
    commands_.push_back(given);
    while (commands_.size() > most_commands) commands_.pop_front();
    return described(given);
}

Json Board::command(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    for (Given& given : commands_)
        if (given.id == id) return described(given);
    throw Refusal{404, sentence("command ", id, ": expected one of the last ", most_commands, ", found none")};
}

Json Board::series(std::string_view trainer) const {
    const auto one = find(trainer);
    Json result = Json::array();
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, series] : one->series)
        result.push_back({{"name", name},
                          {"points", series.points()},
                          {"last", series.empty() ? Json(nullptr) : number_or_null(series.last().y)}});
    return result;
}

Json Board::history(std::string_view trainer, std::string_view name, double from, double to, std::size_t points) const {
    const auto one = find(trainer);
    std::vector<Bucket> buckets;
    {
        const std::scoped_lock lock(mutex_);
        const auto found = one->series.find(std::string(name));
        if (found == one->series.end())
            throw Refusal{404, sentence("series '", shortened(std::string(name), 100),
                                        "': expected one of the trainer's numbers, found none")};
        buckets = found->second.history(from, to, points);
    }
    return history_answer(name, buckets);
}

Json Board::log(std::uint64_t after, std::string_view level, std::string_view search) const {
    constexpr std::array<std::string_view, 6> levels = {"trace", "debug", "info", "warning", "error", "critical"};
    const auto rank = [&](std::string_view word) { return std::ranges::find(levels, word) - levels.begin(); };
    if (!level.empty() && rank(level) == static_cast<std::ptrdiff_t>(levels.size()))
        throw Refusal{400, sentence("level '", shortened(std::string(level), 100),
                                    "': expected trace, debug, info, warning, error or critical, found another")};
    Json result = Json::array();
    const std::scoped_lock lock(mutex_);
    for (auto line = log_.rbegin(); line != log_.rend() && result.size() < 1000; ++line) {
        if (line->number <= after) break;
        if (!level.empty() && rank(line->level) < rank(level)) continue;
        if (!search.empty() && line->message.find(search) == line->message.npos &&
            line->source.find(search) == line->source.npos)
            continue;
        result.push_back({{"number", line->number},
                          {"time", line->time},
                          {"level", line->level},
                          {"source", line->source},
                          {"message", line->message}});
    }
    std::reverse(result.begin(), result.end());
    return result;
}

Json Board::graph(std::string_view trainer) const {
    const auto one = find(trainer);
    Json result{{"nodes", Json::array()}, {"edges", Json::array()}, {"data", Json::array()}};
    for (std::size_t i = 0; i < one->watched.nodes.size(); ++i) {
        const GraphNode& node = one->watched.nodes[i];
        result["nodes"].push_back({{"id", i},
                                   {"name", node.name},
                                   {"kind", node.kind},
                                   {"shape", node.shape},
                                   {"parameters", node.parameters}});
    }
    for (const auto& [from, to] : one->watched.edges) result["edges"].push_back({from, to});
    for (const PipelineStep& step : one->watched.data)
        result["data"].push_back({{"kind", step.kind}, {"text", step.text}});
    return result;
}

Json Board::parameter(std::string_view trainer, const std::string& name, std::size_t bins, bool values,
                      std::size_t limit) const {
    const auto one = find(trainer);
    std::optional<Numbers> found;
    between_steps(one->watched, [&] {
        if (!one->watched.registry.contains(name))
            throw Refusal{404,
                          sentence("registry '", shortened(name, 100), "': expected an array of numbers, found none")};
        found = array_at(one->watched.registry, name);
    });
    if (!found)
        throw Refusal{400, sentence("registry '", shortened(name, 100),
                                    "': expected an array of numbers that is there, found another value")};
    Numbers& numbers = *found;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double x : numbers.values)
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    std::vector<std::uint64_t> counts(bins, 0);
    const double width = (high - low) / static_cast<double>(bins);
    for (const double x : numbers.values) {
        if (!std::isfinite(x)) continue;
        ++counts[width > 0 ? std::min(bins - 1, static_cast<std::size_t>((x - low) / width)) : 0];
    }
    Json result{
        {"shape", numbers.shape}, {"low", number_or_null(low)}, {"high", number_or_null(high)}, {"counts", counts}};
    if (values) {
        result["values"] = Json::array();
        for (std::size_t i = 0; i < std::min(limit, numbers.values.size()); ++i)
            result["values"].push_back(number_or_null(numbers.values[i]));
    }
    return result;
}

Json Board::predict(std::string_view trainer, const Json& input) {
    const auto one = find(trainer);
    if (!one->watched.predict)
        throw Refusal{400, sentence("predict of trainer '", one->name,
                                    "': expected a network of one input, whose type the monitor knows, found another")};
    const std::size_t wanted = one->watched.inputs;
    if (!input.is_array() || input.size() != wanted)
        throw Refusal{400, sentence("predict of trainer '", one->name, "': expected ", wanted, " numbers, found ",
                                    input.is_array() ? input.size() : 0)};
    std::vector<double> numbers;
    for (const Json& x : input) {
        if (!x.is_number())
            throw Refusal{400,
                          sentence("predict of trainer '", one->name, "': expected numbers, found ", x.type_name())};
        numbers.push_back(x.get<double>());
    }
    try {
        Json output = Json::array();
        for (const double x : one->watched.predict(std::move(numbers))) output.push_back(number_or_null(x));
        Json result{{"output", std::move(output)}};
        if (!one->watched.classes.empty()) result["classes"] = one->watched.classes;
        return result;
    } catch (const StateError& error) { throw Refusal{409, error.what()}; } catch (const std::exception& error) {
        throw Refusal{400, error.what()};
    }
}

Json Board::confusion(std::string_view id) {
    Panel panel;
    std::shared_ptr<Matrix> matrix;
    {
        const std::scoped_lock lock(mutex_);
        for (std::size_t i = 0; i < panels_.size(); ++i)
            if (panels_[i].kind == "confusion" && sentence("confusion-", i + 1) == id) {
                panel = panels_[i];
                auto& kept = matrices_[std::string(id)];
                if (!kept) kept = std::make_shared<Matrix>();
                matrix = kept;
            }
    }
    if (!matrix)
        throw Refusal{404, sentence("panel '", shortened(std::string(id), 100),
                                    "': expected one of the kind confusion, found none")};
    const auto one = find(panel.trainer);
    if (!one->watched.classify || !panel.data || !panel.data->has_labels())
        throw Refusal{400, sentence("confusion of trainer '", one->name,
                                    "': expected a network that classifies, and data with labels, found others")};
    const std::scoped_lock lock(matrix->computing);
    const auto now = std::chrono::steady_clock::now();
    if (!matrix->found.is_null() && now - matrix->when < std::chrono::seconds(1)) return matrix->found;
    try {
        const auto found = one->watched.classify(*panel.data, 10'000);
        std::size_t classes = panel.data->classes().size();
        for (std::size_t i = 0; i < found.size(); ++i)
            classes = std::max({classes, found[i] + 1, panel.data->label(i) + 1});
        std::vector<std::vector<std::uint64_t>> counts(classes, std::vector<std::uint64_t>(classes, 0));
        for (std::size_t i = 0; i < found.size(); ++i) ++counts[panel.data->label(i)][found[i]];
        std::vector<std::string> names = panel.data->classes();
        for (std::size_t i = names.size(); i < classes; ++i) names.push_back(sentence(i));
        matrix->found = {{"classes", names}, {"counts", counts}};
        matrix->when = std::chrono::steady_clock::now();
        return matrix->found;
    } catch (const StateError& error) { throw Refusal{409, error.what()}; } catch (const std::exception& error) {
        throw Refusal{400, error.what()};
    }
}

std::string Board::metrics() const {
    struct Sample {
        std::string trainer;
        double number;
    };
    std::map<std::string, std::vector<Sample>> all;
    std::uint64_t dropped = 0;
    for (const auto& one : shown()) {
        dropped += one->tap->dropped();
        if (one->watched.remote.closed()) continue;
        try {
            between_steps(one->watched, [&] {
                one->watched.registry.visit([&](std::string_view name, const RegistryValue& value) {
                    if (!is_number_type(value.type_name())) return;
                    const auto number = value.number();
                    if (!number) return;
                    std::string word = "sigma_";
                    for (const char c : name) {
                        const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                        word += fine ? c : '_';
                    }
                    all[word].push_back({one->name, *number});
                });
            });
        } catch (const Refusal&) {  // it has gone
        }
    }
    std::string text;
    for (const auto& [name, samples] : all) {
        text += sentence("# TYPE ", name, " gauge\n");
        for (const Sample& sample : samples) {
            text += sentence(name, "{trainer=\"");
            for (const char c : sample.trainer) {
                if (c == '"' || c == '\\') text += '\\';
                if (c == '\n') text += "\\n";
                else text += c;
            }
            text += "\"} ";
            if (std::isnan(sample.number)) text += "NaN";
            else if (std::isinf(sample.number)) text += sample.number > 0 ? "+Inf" : "-Inf";
            else sigma::detail::append_exact(text, sample.number);
            text += '\n';
        }
    }
    return text + sentence("# TYPE sigma_monitor_dropped_points counter\nsigma_monitor_dropped_points ", dropped, "\n");
}

}  // namespace sigma::monitor
