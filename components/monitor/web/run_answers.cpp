// SPDX-License-Identifier: BSL-1.0
#include "web/run_answers.hpp"
#include "answer.hpp"
#include "forks.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_charts = 40, most_marks = 100;

Json described(const RunView& run, bool live) {
    Json one{{"id", run.id},
             {"name", run.name},
             {"began", number_or_null(run.began)},
             {"growing", run.growing},
             {"live", live},
             {"read", run.read},
             {"facts", run.facts},
             {"trainers", Json::array()}};
    if (run.damaged) one["damaged"] = true;
    if (run.left_out > 0) one["left_out"] = run.left_out;
    const auto trainer_of = [&](const std::string& name) -> Json& {
        for (Json& trainer : one["trainers"])
            if (trainer["name"] == name) return trainer;
        one["trainers"].push_back({{"name", name},
                                   {"network", ""},
                                   {"optimizer", ""},
                                   {"facts", Json::object()},
                                   {"iteration", nullptr},
                                   {"seconds", nullptr},
                                   {"state", nullptr},
                                   {"reason", nullptr},
                                   {"ended", nullptr},
                                   {"series", Json::array()},
                                   {"tensors", 0}});
        return one["trainers"].back();
    };
    for (const RunView::Trainer& trainer : run.trainers) {
        Json& to = trainer_of(trainer.name);
        to["network"] = trainer.network;
        to["optimizer"] = trainer.optimizer;
        to["facts"] = trainer.facts;
        if (trainer.parent) to["parent"] = parent_answer(*trainer.parent);
        const RunStatus& status = trainer.status;
        if (status.state.empty()) continue;
        // A killed program has not written how its run ended.
        const bool on = status.state == "running" || status.state == "paused";
        to["state"] = on && !run.growing ? "broken off" : status.state;
        if (!status.reason.empty()) to["reason"] = status.reason;
        if (!on) to["ended"] = number_or_null(status.iteration);
    }
    for (const RunView::Trainer& trainer : run.trainers)
        for (const RunMark& mark : std::span(trainer.marks).last(std::min(trainer.marks.size(), most_marks)))
            trainer_of(trainer.name)["marks"].push_back(mark_answer(trainer.name, mark));
    for (const RunView::Line& line : run.lines) {
        Json& to = trainer_of(line.trainer);
        const auto at_least = [&](const char* name, double x) {
            if (std::isfinite(x) && (!to[name].is_number() || to[name].get<double>() < x)) to[name] = x;
        };
        if (line.points > 0) at_least("iteration", line.last.x), at_least("seconds", line.last.seconds);
        to["series"].push_back({{"name", line.name},
                                {"points", line.points},
                                {"last", line.points > 0 ? number_or_word(line.last.y) : Json(nullptr)}});
    }
    for (const auto& [trainer, count] : run.tensors) trainer_of(trainer)["tensors"] = count;
    if (run.predictions) one["predictions"] = true;
    return one;
}

Refusal no_run(std::string_view run) {
    return {404, sentence("run '", run.substr(0, 100), "': there is no such run in the folder")};
}

/// Returns names of series, the most important ones first. A number that no run has changed, such as a hyperparameter,
/// is a column of the table, and needs no chart.
std::vector<std::string> names_of(const std::vector<RunView>& runs) {
    std::set<std::string> all;
    for (const RunView& run : runs)
        for (const RunView::Line& line : run.lines)
            if (!line.holds || line.points > 1) all.insert(line.name);
    std::vector<std::string> names(all.begin(), all.end());
    const auto rank = [](const std::string& name) {
        constexpr std::string_view first[] = {"loss", "validation_loss", "error", "accuracy", "validation_accuracy"};
        return std::ranges::find(first, name) - std::begin(first);
    };
    std::ranges::sort(names, {}, [&](const std::string& name) { return std::pair(rank(name), name); });
    names.resize(std::min(names.size(), most_charts));
    return names;
}

}  // namespace

Json RunAnswers::list(const Board& board) const {
    Json result{{"runs", Json::array()}, {"left_out", 0}};
    if (!library_) return result;
    const std::string live = std::filesystem::path(board.run_folder()).filename().string();
    for (const RunView& run : library_->runs()) result["runs"].push_back(described(run, run.id == live));
    result["left_out"] = library_->left_out();
    return result;
}

Json RunAnswers::history(std::string_view run, std::string_view trainer, std::string_view name, double from, double to,
                         std::size_t points) const {
    const auto found = library_ ? library_->history(run, trainer, name, from, to, points) : RunLibrary::Found{};
    if (found.what == RunLibrary::Found::no_run) throw no_run(run);
    if (found.what == RunLibrary::Found::no_series)
        throw Refusal{404, sentence("series '", name.substr(0, 100), "': the run has no such series")};
    Json result = history_answer(name, found.buckets, found.last, found.holds);
    result["run"] = run;
    result["read"] = found.read;
    return result;
}

Json RunAnswers::histogram(std::string_view run, std::string_view trainer, std::string_view name) const {
    using Histogram = RunLibrary::Histogram;
    const Histogram found = library_ ? library_->histogram(run, trainer, name) : Histogram{};
    if (found.what == Histogram::no_run) throw no_run(run);
    if (found.what == Histogram::no_trainer)
        throw Refusal{404, sentence("trainer '", trainer.substr(0, 100), "': the run has no such trainer")};
    if (found.what == Histogram::no_tensor)
        throw Refusal{404, sentence("histogram '", name.substr(0, 100), "': the run has no histograms of this tensor")};
    Json result = histogram_answer();
    result["run"] = run;
    result["trainer"] = found.trainer;
    result["names"] = found.names;
    if (!found.name.empty()) result["name"] = found.name;
    result["distributions"] = distributions_answer(found.distributions);
    result["read"] = found.read;
    return result;
}

Json RunAnswers::predictions(std::string_view run) const {
    const auto text = library_ ? library_->predictions(run) : std::nullopt;
    if (!text) throw Refusal{404, sentence("run '", run.substr(0, 100), "': it has no predictions")};
    auto found = parsed(*text);
    if (!found || !found->is_object())
        throw Refusal{400, sentence("run '", run.substr(0, 100), "': its predictions.json is damaged")};
    return std::move(*found);
}

Json RunAnswers::searches() const {
    Json result{{"searches", Json::array()}, {"left_out", 0}};
    if (!searches_) return result;
    for (const SearchFile& file : searches_->list())
        result["searches"].push_back(
            {{"name", file.name}, {"changed", file.changed}, {"processes", file.parts.size()}});
    result["left_out"] = searches_->left_out();
    return result;
}

Json RunAnswers::search(std::string_view name, std::string_view seen) const {
    if (!searches_)
        throw Refusal{404,
                      sentence("search '", name.substr(0, 100), "': there is no folder of runs; set the option runs")};
    const SearchView view = searches_->read(name, seen);
    Json result{{"name", view.file.name}, {"version", view.version}};
    if (seen == view.version) return result;
    result["changed"] = view.file.changed;
    result["settings"] = view.settings;
    result["choices"] = view.names;
    if (view.left_out > 0) result["left_out"] = view.left_out;
    if (view.names_left_out > 0) result["choices_left_out"] = view.names_left_out;
    Json& trials = result["trials"] = Json::array();
    for (const SearchView::Trial& trial : view.trials) {
        Json one{{"number", trial.number},
                 {"loss", number_or_word(trial.loss)},
                 {"seconds", number_or_null(trial.seconds)},
                 {"choices", Json::array()}};
        if (trial.early) one["early"] = true;
        if (!trial.failed.empty()) one["failed"] = trial.failed;
        for (const SearchView::Choice& choice : trial.choices)
            one["choices"].push_back(choice.there ? Json::array({number_or_null(choice.number), choice.text})
                                                  : Json(nullptr));
        trials.push_back(std::move(one));
    }
    return result;
}

Json RunAnswers::panels(const Board& board) const {
    if (!library_) return board.panels();
    const bool only = board.only_runs();
    Json result = only ? Json::array() : board.panels();
    const Json trainer = result.empty() ? Json("") : result[0]["trainer"];
    result.push_back({{"id", "runs"}, {"kind", "runs"}, {"title", "Runs"}, {"trainer", trainer}, {"tab", "Runs"}});
    if (!searches_->list().empty())
        result.push_back(
            {{"id", "search"}, {"kind", "search"}, {"title", "Search"}, {"trainer", trainer}, {"tab", "Search"}});
    const std::vector<RunView> runs = library_->runs();
    if (only)
        for (const std::string& name : names_of(runs))
            result.push_back({{"id", sentence("runs-", name)},
                              {"kind", "chart"},
                              {"title", name},
                              {"trainer", ""},
                              {"series", Json::array({name})},
                              {"only_runs", true},
                              {"width", 1},
                              {"tab", "Runs"}});
    const auto has_facts = [](const RunView& run) {
        return std::ranges::any_of(run.trainers, [](const auto& one) { return !one.facts.empty(); });
    };
    if (std::ranges::count_if(runs, has_facts) > 1)
        for (const auto& [id, kind, title, width] :
             {std::tuple("differences-of-runs", "differences", "Differences", 3),
              std::tuple("scatter-of-runs", "scatter", "Scatter", 2),
              std::tuple("parallel-of-runs", "parallel", "Parallel coordinates", 3)})
            result.push_back({{"id", id},
                              {"kind", kind},
                              {"title", title},
                              {"trainer", trainer},
                              {"tab", "Runs"},
                              {"width", width}});
    // The live run has separate panels for these.
    const std::string live = std::filesystem::path(board.run_folder()).filename().string();
    const auto add = [&](const char* id, const char* kind, const char* title, auto has) {
        if (std::ranges::any_of(runs, [&](const RunView& run) { return has(run) && run.id != live; }))
            result.push_back({{"id", id}, {"kind", kind}, {"title", title}, {"trainer", trainer}, {"tab", "Runs"}});
    };
    // Their ids differ from "runs-…", the ids of series.
    add("histogram-of-runs", "histogram_of_runs", "Histogram", [](const RunView& run) { return !run.tensors.empty(); });
    add("predictions-of-runs", "predictions_of_runs", "Predictions",
        [](const RunView& run) { return run.predictions; });
    return result;
}

}  // namespace sigma::monitor
