// SPDX-License-Identifier: BSL-1.0
#include "terminal/model.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/terminal.hpp>

#include "answer.hpp"
#include "panels.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_lines = 5000, most_printed = 10'000, most_shown = 64;
constexpr double patience_with_logs = 0.1;  // seconds

/// The line that this thread last wrote to a followed log.
std::string& followed_line() {
    thread_local std::string line;
    return line;
}

/// Removes terminal colors: ESC [ … up to a letter.
std::string without_colours(std::string_view line) {
    std::string result;
    while (!line.empty()) {
        if (!line.starts_with("\033[")) {
            result += line.front();
            line.remove_prefix(1);
            continue;
        }
        const auto end = std::ranges::find_if(line.substr(2), [](char c) { return c >= '@' && c <= '~'; });
        line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(end - line.substr(2).begin()) + 3));
    }
    return result;
}

std::uint64_t whole_in(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// Converts JSON to a number; words are numbers that are not finite.
double number_of_word(const Json& x) {
    if (x.is_number()) return x.get<double>();
    constexpr double most = std::numeric_limits<double>::infinity();
    return x == "inf" ? most : x == "-inf" ? -most : std::numeric_limits<double>::quiet_NaN();
}

/// Returns the name of a checkpoint that the board accepts.
std::string file_name(const std::string& trainer, std::uint64_t iteration) {
    std::string name = trainer.substr(0, 60);
    for (char& c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) c = '-';
    return sentence(name, "-", iteration, ".safetensors");
}

const char* word_of(Wish wish) {
    switch (wish) {
        case Wish::pause: return "pause";
        case Wish::resume: return "resume";
        case Wish::step: return "step";
        case Wish::stop: return "stop";
        case Wish::save: return "save";
        case Wish::start: return "start";
        default: return nullptr;
    }
}

/// Returns the names of a parameters panel: its pattern, sliders, and choices.
std::vector<std::string> patterns_of(const Panel& panel) {
    std::vector<std::string> patterns;
    const auto* shown = as<ParametersKind>(panel);
    if (shown == nullptr) return patterns;
    if (!shown->pattern.empty()) patterns.push_back(shown->pattern);
    for (const Field& field : shown->fields) patterns.push_back(field.name);
    return patterns;
}

Json workers_of(const std::string& trainer, const Json& now) {
    for (const Json& each : now["trainers"])
        if (text_in(each, "name") == trainer && each.contains("workers")) return each["workers"];
    return Json::array();
}
/// Makes a table of the workers.
void add_workers(const Json& workers, PanelSeen& to) {
    std::vector<std::vector<std::string>> cells{{"state", "steps", "steps/s", "loss", "waits", "device"}};
    std::size_t training = 0;
    for (const Json& each : workers) {
        training += text_in(each, "state") == "trains";
        const auto number = [&](const char* name) {
            return each[name].is_number() ? short_number(each[name].get<double>()) : std::string("-");
        };
        cells.push_back({text_in(each, "state"), sentence(whole_in(each, "steps")), number("steps_per_second"),
                         number("loss"), sentence(std::lround(100 * number_in(each, "waiting")), " %"),
                         text_in(each, "device")});
    }
    std::vector<std::size_t> widths(cells[0].size());
    for (const auto& row : cells)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], sigma::terminal::width(row[i]));
    for (const auto& row : cells) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - sigma::terminal::width(row[i]), ' ');
            const bool is_word = i == 0 || i + 1 == row.size();
            line += sentence(i == 0 ? "" : "  ", is_word ? "" : blanks, row[i], is_word ? blanks : "");
        }
        to.rows.emplace_back(to.rows.empty() ? "worker" : sentence(to.rows.size()), line);
    }
    to.title = sentence(to.title, ": ", training, " of ", workers.size(), " train");
}

}  // namespace

Model::Model(Board& board, bool keeps_files, std::function<void()> changed)
    : board_(board), keeps_files_(keeps_files), changed_(std::move(changed)) {}

Model::~Model() { log_printed(std::numeric_limits<double>::infinity()); }

void Model::show(Panel panel) {
    for (const char* known : {"chart", "parameters", "log", "graph", "tasks"})
        if (panel.kind->word == known) {
            const std::scoped_lock lock(mutex_);
            panels_.push_back(std::move(panel));
            return;
        }
    throw ArgumentError(sentence("panel '", panel.title, "' of a terminal"), "chart, parameters, graph, tasks or log",
                        sentence("one of the kind ", panel.kind->word));
}

void Model::can_start(std::string trainer) {
    const std::scoped_lock lock(mutex_);
    starts_.insert(std::move(trainer));
}

void Model::add(std::string_view lines) {
    if (detail::KnownLine::is_known(&board_, lines)) return;
    const std::scoped_lock lock(printed_mutex_);
    const double time = seconds_now();
    while (!lines.empty()) {
        std::string line = without_colours(lines.substr(0, lines.find('\n')));
        lines.remove_prefix(
            std::min(lines.size(), lines.find('\n') == lines.npos ? lines.size() : lines.find('\n') + 1));
        if (line.empty() || line == std::exchange(followed_line(), {})) continue;
        printed_.push_back({std::this_thread::get_id(), std::move(line), time});
        if (printed_.size() > most_printed) printed_.pop_front();  // the drawing thread may be waiting for the terminal
    }
}

void Model::add(const LogRecord& record) {
    std::string_view line = record.line;
    while (line.ends_with('\n')) line.remove_suffix(1);
    {
        const std::scoped_lock lock(printed_mutex_);
        const auto is_it = [&](const Printed& one) { return one.by == std::this_thread::get_id() && one.line == line; };
        // Keeps the line as printed, with its level in words, rather than showing it twice.
        if (std::erase_if(shown_, is_it) > 0) return;
        if (!printed_.empty() && is_it(printed_.back())) printed_.pop_back();
        else followed_line() = line;
    }
    if (detail::KnownLine::is_known(&board_, record.message)) return;
    board_.add_log(std::string(sigma::detail::level_text(record.level)), record.source, record.message,
                   std::chrono::duration<double>(record.time.time_since_epoch()).count());
}

void Model::log_printed(double until) {
    const std::scoped_lock lock(printed_mutex_);
    while (!printed_.empty() && printed_.front().time < until) {
        board_.add_log("info", "", printed_.front().line, printed_.front().time);
        shown_.push_back(std::move(printed_.front()));
        printed_.pop_front();
        if (shown_.size() > most_shown) shown_.pop_front();
    }
}

std::vector<TrainerSeen> Model::trainers(const Json& now) const {
    std::vector<TrainerSeen> result;
    for (const Json& each : now["trainers"]) {
        TrainerSeen trainer{.name = text_in(each, "name"), .state = text_in(each, "state")};
        trainer.device = text_in(each, "device");
        trainer.reason = text_in(each, "reason");
        trainer.epoch = whole_in(each, "epoch");
        trainer.iteration = whole_in(each, "iteration");
        trainer.batches = whole_in(each, "batches_per_epoch");
        if (whole_in(each, "epochs_planned") > 0) trainer.epochs = whole_in(each, "epochs_planned");
        if (each["left"].is_number()) trainer.left = each["left"].get<double>();
        trainer.per_second = number_in(each, "records_per_second");
        trainer.runtime = number_in(each, "runtime");
        trainer.can_start = starts_.contains(trainer.name);
        result.push_back(std::move(trainer));
    }
    return result;
}

/// Returns the program's panels, or the default selection.
std::vector<Panel> Model::panels_for(const std::string& trainer, const Json& now) const {
    std::vector<Panel> result;
    // During a run by workers, and after it until the next begins.
    if (!workers_of(trainer, now).empty()) result.push_back(detail::plain("workers", "workers").of(trainer));
    if (!panels_.empty()) {
        for (const Panel& panel : panels_)
            if (panel.trainer.empty() || panel.trainer == trainer) result.push_back(panel);
        return result;
    }
    std::vector<std::string> more;
    const Json all = board_.series(trainer);
    for (const char* name : {"validation_loss", "accuracy", "validation_accuracy"})
        if (std::ranges::any_of(all, [&](const Json& each) { return text_in(each, "name") == name; }))
            more.emplace_back(name);
    result.push_back(chart("loss", "error"));
    for (const std::string& name : more) result.push_back(chart(name));
    result.push_back(monitor::parameters("optimizer.*"));
    return result;
}

PanelSeen Model::seen(const Panel& panel, const std::string& trainer, const Json& now, std::size_t points) const {
    const std::string_view kind = panel.kind->word;
    PanelSeen result{.kind = std::string(kind), .title = panel.title};
    double reached = 0;
    for (const Json& each : now["trainers"]) {
        if (text_in(each, "name") != trainer) continue;
        reached = static_cast<double>(whole_in(each, "iteration"));
        const std::string state = text_in(each, "state");
        if (kind == "chart" && (state == "failed" || state == "stopped" || state == "finished"))
            result.ended = sentence(state, " at ", whole_in(each, "iteration"));
    }
    const auto* lines = as<LinesKind>(panel);
    const std::vector<std::string> names = lines != nullptr ? lines->series : std::vector<std::string>();
    const Json series = names.empty() ? Json::array() : board_.series(trainer);
    for (const std::string& name : names) {
        Curve curve{.name = name};
        try {
            constexpr double most = std::numeric_limits<double>::max();
            const Json found = board_.history(trainer, name, -most, most, points);
            const auto number = [](const Json& x) {
                return x.is_number() ? x.get<double>() : std::numeric_limits<double>::quiet_NaN();
            };
            const bool held = found["held"] == true;
            for (std::size_t i = 0; i < found["x"].size(); ++i) {
                const double x = number(found["x"][i]), y = number(found["y"][i]);
                if (held && !curve.points.empty()) curve.points.emplace_back(x, curve.points.back().second);
                curve.points.emplace_back(x, y);
            }
            if (held && !curve.points.empty() && reached > curve.points.back().first)
                curve.points.emplace_back(reached, curve.points.back().second);
            if (const auto odd = found.find("odd"); odd != found.end())
                for (const Json& one : *odd) curve.odd.emplace_back(number(one[0]), number_of_word(one[1]));
        } catch (const Refusal&) {  // no values yet
        }
        for (const Json& each : series)  // exact, while points may be means
            if (text_in(each, "name") == name && !each["last"].is_null()) curve.last = number_of_word(each["last"]);
        result.curves.push_back(std::move(curve));
    }
    for (const std::string& pattern : patterns_of(panel)) {
        const auto found = parameters_.find({trainer, pattern});
        if (found == parameters_.end()) continue;
        for (const auto& row : found->second)
            if (std::ranges::find(result.rows, row) == result.rows.end()) result.rows.push_back(row);
    }
    if (kind == "graph") {
        const Json found = board_.graph(trainer);
        for (const Json& step : found["data"]) result.rows.emplace_back(text_in(step, "kind"), text_in(step, "text"));
        for (const Json& node : found["nodes"])
            result.rows.emplace_back(text_in(node, "name"), sentence(text_in(node, "kind"), text_in(node, "shape")));
    }
    if (kind == "workers") add_workers(workers_of(trainer, now), result);
    if (kind == "tasks")
        for (const Json& task : now["tasks"]) {
            std::string done = sentence(whole_in(task, "done"));
            if (task["total"].is_number()) done += sentence(" of ", whole_in(task, "total"));
            result.rows.emplace_back(sentence(text_in(task, "kind"), " ", text_in(task, "description")),
                                     sentence(done, " ", text_in(task, "unit")));
        }
    return result;
}

void Model::read_parameters(const std::string& trainer, const std::vector<Panel>& panels) {
    const auto now = std::chrono::steady_clock::now();
    if (reading_ || now - read_ < std::chrono::milliseconds(500)) return;
    std::vector<std::string> patterns;
    for (const Panel& panel : panels)
        for (std::string& pattern : patterns_of(panel)) patterns.push_back(std::move(pattern));
    if (patterns.empty()) return;
    reading_ = true;
    reader_.give([this, trainer, patterns] {
        for (const std::string& pattern : patterns) {
            Rows rows;
            try {
                for (const Json& each : board_.registry(trainer, pattern)) {
                    const std::string text = text_in(each, "text");
                    rows.emplace_back(text_in(each, "name"), text.empty() ? text_in(each, "type") : text);
                }
            } catch (const Refusal& refusal) {
                rows.emplace_back(refusal.sentence, "");
            } catch (const std::exception& thrown) { rows.emplace_back(thrown.what(), ""); } catch (...) {
                rows.emplace_back(own_exception, "");
            }
            const std::scoped_lock lock(mutex_);
            parameters_[{trainer, pattern}] = std::move(rows);
        }
        {
            const std::scoped_lock lock(mutex_);
            reading_ = false;
            read_ = std::chrono::steady_clock::now();
        }
        changed_();
    });
}

Seen Model::look(const Choice& choice, std::size_t columns) {
    log_printed(seconds_now() - patience_with_logs);
    const Json now = board_.state();
    const std::scoped_lock lock(mutex_);
    Seen result{.trainers = trainers(now), .read_only = board_.read_only()};
    trainer_names_.clear();
    for (const TrainerSeen& each : result.trainers) trainer_names_.push_back(each.name);
    if (!result.trainers.empty()) {
        const std::string& trainer = trainer_names_[std::min(choice.trainer, trainer_names_.size() - 1)];
        const std::vector<Panel> panels = panels_for(trainer, now);
        for (const Panel& panel : panels)
            if (panel.kind->word != "log") result.panels.push_back(seen(panel, trainer, now, points_of_chart(columns)));
        read_parameters(trainer, panels);
    }
    result.shows_log =
        panels_.empty() || std::ranges::any_of(panels_, [](const Panel& p) { return p.kind->word == "log"; });
    for (const Json& each : board_.log(newest_line_, "", "")) {
        newest_line_ = whole_in(each, "number");
        const double time = number_in(each, "time");
        auto place = log_.end();  // printed lines arrive later than logged ones
        while (place != log_.begin() && std::prev(place)->time > time) --place;
        log_.insert(place, {time, text_in(each, "level"), text_in(each, "source"), text_in(each, "message")});
    }
    while (log_.size() > most_lines) log_.pop_front();
    result.log = log_;
    if (command_ && command_->status == "pending" && command_->id != 0) {
        const Json answer = board_.command(command_->id);
        command_->status = text_in(answer, "status");
        command_->reason = text_in(answer, "reason");
    }
    result.command = command_;
    return result;
}

void Model::command(Wish wish, const Choice& choice) {
    const char* const word = word_of(wish);
    const Json now = board_.state();
    const std::scoped_lock lock(mutex_);
    if (word == nullptr || trainer_names_.empty()) return;
    const std::string name = trainer_names_[std::min(choice.trainer, trainer_names_.size() - 1)];
    std::string file;
    if (wish == Wish::save)
        for (const Json& each : now["trainers"])
            if (text_in(each, "name") == name) file = file_name(name, whole_in(each, "iteration"));
    const std::uint64_t number = ++commands_;
    command_ = CommandSeen{.text = trainer_names_.size() > 1 ? sentence(word, " of ", name) : std::string(word)};
    const auto refuse_now = [&](const char* why) {
        command_->status = "refused";
        command_->reason = sentence(word, " of trainer '", name, "': ", why);
    };
    if (board_.read_only()) return refuse_now("the view is read-only");
    if (wish == Wish::save && !keeps_files_)
        return refuse_now("no folder for checkpoints; set the option runs, TerminalOptions{.runs = \"runs\"}");
    if (wish == Wish::save) command_->text += sentence(" ", board_.run_folder(), "/", file);
    commander_.give([this, number, name, order = std::string(word), file] {
        try {
            finish(number, board_.command(name, order, file));
        } catch (const Refusal& refusal) { refuse(number, refusal.sentence); } catch (const std::exception& thrown) {
            refuse(number, thrown.what());
        } catch (...) { refuse(number, own_exception); }
        changed_();
    });
}

void Model::finish(std::uint64_t number, const Json& answer) {
    const std::scoped_lock lock(mutex_);
    if (number != commands_) return;  // there is a newer command
    command_->id = whole_in(answer, "id");
    command_->status = text_in(answer, "status");
    command_->reason = text_in(answer, "reason");
}

void Model::refuse(std::uint64_t number, std::string reason) {
    const std::scoped_lock lock(mutex_);
    if (number != commands_) return;
    command_->status = "refused";
    command_->reason = std::move(reason);
}

}  // namespace sigma::monitor
