// SPDX-License-Identifier: BSL-1.0
// Answers of the board to clients that read.
#include <sigma/core/task.hpp>
#include <sigma/core/version.hpp>
#include <sigma/storage/utf8.hpp>

#include "answer.hpp"
#include "board.hpp"
#include "forks.hpp"
#include "panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace sigma::monitor {

std::string state_of(const Remote& remote) {
    const RunState now = remote.state();
    const RunEnding ending = now == RunState::idle ? remote.ending() : RunEnding{};
    if (ending.how != RunEnding::none) return std::string(ending_text(ending.how));
    return std::string(remote.closed() ? "closed" : sigma::detail::state_text(now));
}

Json Board::trainer_state(const Shown& trainer) const {
    const Watched& w = trainer.watched;
    const ReadOnlyRegistry& r = w.registry;
    const bool closed = w.remote.closed();
    Json result{{"name", trainer.name},
                {"state", state_of(w.remote)},
                {"closed", closed},
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
                {"dropped", trainer.tap->dropped()},
                {"loss", value_or_null<double>(r, "loss")},
                {"failure", nullptr},
                {"reason", nullptr},
                {"epochs_planned", nullptr},
                {"left", nullptr}};
    if (const std::scoped_lock lock(mutex_); trainer.parent) result["parent"] = parent_answer(*trainer.parent);
    const bool over = closed || w.remote.state() == RunState::idle;
    for (const WorkerStatus& worker : trainer.tap->workers())
        result["workers"].push_back({{"state", over            ? "over"
                                               : worker.trains ? "trains"
                                                               : "waits"},
                                     {"steps", worker.steps},
                                     {"steps_per_second", number_or_null(worker.steps_per_second)},
                                     {"loss", number_or_null(worker.loss)},
                                     {"waiting", number_or_null(worker.waiting)},
                                     {"device", worker.device}});
    if (const RunEnding ending = w.remote.ending(); !ending.reason.empty()) {
        result["reason"] = ending.reason;
        if (ending.how == RunEnding::failed) result["failure"] = ending.reason;
    }
    const Json planned = value_or_null<std::uint64_t>(r, "epochs_planned");
    if (planned.is_null() || planned.get<std::uint64_t>() > (1ull << 53)) return result;  // a run without end
    result["epochs_planned"] = planned;
    if (over) return result;
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
                                 {"version", sigma::version()}};
        if (seed_) result["environment"]["seed"] = *seed_;
        result["arranged"] = arranged_;
    }
    for (const auto& trainer : all) result["trainers"].push_back(trainer_state(*trainer));
    for (const TaskView& task : sigma::tasks()) {
        Json one{{"number", task.number()},
                 {"kind", std::string(sigma::detail::task_word(task.kind()))},
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
    if (panels.empty()) {  // the default selection
        if (all.size() > 1) panels.push_back(monitor::overview);
        for (const auto& trainer : all) {
            panels.push_back(chart("loss", "error").of(trainer->name));
            std::vector<std::string> right;
            {
                const std::scoped_lock lock(mutex_);
                take(*trainer);
                for (const char* name : {"accuracy", "validation_accuracy", "validation_loss"})
                    if (trainer->series.contains(name)) right.emplace_back(name);
            }
            if (!right.empty()) panels.push_back(detail::lines("chart", right).of(trainer->name));
            panels.push_back(parameters("optimizer.*").of(trainer->name));
            if (!trainer->watched.nodes.empty()) panels.push_back(monitor::graph.of(trainer->name));
            if (trainer->watched.health) panels.push_back(monitor::health.of(trainer->name));
        }
        panels.push_back(monitor::tasks);
        panels.push_back(monitor::log);
    }
    for (const auto& trainer : all)  // during a run by workers, and after it until the next begins
        if (!trainer->tap->workers().empty())
            panels.push_back(
                detail::plain("workers", all.size() > 1 ? sentence("workers of ", trainer->name).c_str() : "workers")
                    .of(trainer->name));
    const std::vector<std::string> ids = ids_of(panels);
    Json result = Json::array();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& panel = panels[i];
        Json one = monitor::described(panel);
        one["id"] = ids[i];
        one["trainer"] = panel.trainer.empty() && !all.empty() ? all[0]->name : panel.trainer;
        result.push_back(std::move(one));
    }
    return result;
}

Json Board::panel(std::string_view kind, std::string_view id, PanelQuestion question) const {
    const Panel panel = [&] {
        const std::scoped_lock lock(mutex_);
        const std::vector<std::string> ids = ids_of(panels_);
        for (std::size_t i = 0; i < panels_.size(); ++i)
            if (panels_[i].kind->word == kind && ids[i] == id) return panels_[i];
        throw Refusal{
            404, sentence("panel '", std::string(id.substr(0, 100)), "': there is no such panel of the kind ", kind)};
    }();
    question.trainer = [&] { return find(panel.trainer); };
    return panel.kind->answer(panel, question);
}

Json Board::registry(std::string_view trainer, std::string_view pattern) const {
    const auto one = find(trainer);
    const bool plain = pattern.find_first_of("*<") == pattern.npos;
    Json result = Json::array();
    const auto read = [&] {
        const ReadOnlyRegistry& registry = one->watched.registry;
        for (const std::string& name : registry.resolve(pattern)) {
            const sigma::detail::RegistryValue value = registry.value(name);
            const std::string type = value.type_name();
            Json entry{{"name", name},
                       {"type", type},
                       {"text", ""},
                       {"number", nullptr},
                       {"writable", !value.read_only()},
                       {"tags", registry.tags(name)}};
            // Reads arrays, and computes gradients, only for a request with a plain name.
            if (plain || !type.starts_with("array")) {
                const bool edited = type == "string" && !value.read_only();
                const std::string whole = value.text();
                std::string text = shortened(whole, edited ? most_edited : 200);
                // A client that does not have the exact text must not change it.
                if (edited && (text != whole || storage::utf8_fault(whole) != whole.npos)) entry["partial"] = true;
                entry["text"] = std::move(text);
            }
            if (is_number_type(type) || type == "bool")
                if (const auto number = value.number()) entry["number"] = number_or_null(*number);
            result.push_back(std::move(entry));
        }
    };
    if (!one->watched.remote.closed()) between_steps(*one, read);
    return result;
}

Json history_answer(std::string_view name, const std::vector<Bucket>& buckets, double last, bool held) {
    Json result{{"name", name},
                {"x", Json::array()},
                {"y", Json::array()},
                {"seconds", Json::array()},
                {"last", buckets.empty() && std::isnan(last) ? Json(nullptr) : number_or_word(last)},
                {"held", held}};
    const bool merged = std::ranges::any_of(buckets, [](const Bucket& b) { return b.count > 1; });
    for (const Bucket& bucket : buckets) {
        result["x"].push_back(bucket.last);
        result["y"].push_back(number_or_null(bucket.mean()));
        result["seconds"].push_back(number_or_null(bucket.seconds));
        constexpr std::pair<Bucket::Odd, const char*> words[] = {
            {Bucket::nan, "nan"}, {Bucket::above, "inf"}, {Bucket::below, "-inf"}};
        for (const auto& [bit, word] : words)
            if (bucket.odd & bit) result["odd"].push_back({bucket.last, word});
        if (!merged) continue;
        result["low"].push_back(bucket.finite > 0 ? Json(bucket.low) : Json(nullptr));
        result["high"].push_back(bucket.finite > 0 ? Json(bucket.high) : Json(nullptr));
    }
    return result;
}

Json mark_answer(std::string_view trainer, const RunMark& mark) {
    return {{"trainer", trainer},
            {"kind", mark.kind},
            {"name", mark.name},
            {"before", mark.before},
            {"after", mark.after},
            {"client", mark.client},
            {"iteration", number_or_null(mark.iteration)},
            {"seconds", number_or_null(mark.seconds)},
            {"time", number_or_null(mark.time)}};
}

Json Board::marks() const {
    Json result = Json::array();
    const std::scoped_lock lock(mutex_);
    for (const Made& made : marks_) {
        Json one = mark_answer(made.trainer, made.mark);
        one["number"] = made.number;
        result.push_back(std::move(one));
    }
    return result;
}

Json Board::arrangement() const {
    const std::scoped_lock lock(mutex_);
    return {{"version", arranged_}, {"arrangement", arrangement_}};
}

Json Board::arrange(Json arrangement) {
    if (!arrangement.is_object() && !arrangement.is_null())
        throw Refusal{400, sentence("'arrangement': expected an object or null, found ", arrangement.type_name())};
    const std::scoped_lock lock(mutex_);
    arrangement_ = std::move(arrangement);
    return {{"version", ++arranged_}};
}

Json histogram_answer() { return {{"names", Json::array()}, {"name", nullptr}, {"distributions", Json::array()}}; }

Json distributions_answer(const std::deque<Distribution>& distributions) {
    Json result = Json::array();
    for (const Distribution& one : distributions)
        result.push_back({{"iteration", one.iteration},
                          {"low", number_or_null(one.low)},
                          {"high", number_or_null(one.high)},
                          {"counts", one.counts}});
    return result;
}

Json Board::series(std::string_view trainer) const {
    const auto one = find(trainer);
    Json result = Json::array();
    const std::scoped_lock lock(mutex_);
    take(*one);
    for (const auto& [name, series] : one->series)
        result.push_back({{"name", name},
                          {"points", series.points()},
                          {"last", series.empty() ? Json(nullptr) : number_or_word(series.last().y)}});
    return result;
}

Json Board::history(std::string_view trainer, std::string_view name, double from, double to, std::size_t points) const {
    const auto one = find(trainer);
    std::vector<Bucket> buckets;
    bool held = false;
    double last = std::numeric_limits<double>::quiet_NaN();
    {
        const std::scoped_lock lock(mutex_);
        take(*one);
        const auto found = one->series.find(std::string(name));
        if (found == one->series.end())
            throw Refusal{404,
                          sentence("series '", shortened(std::string(name), 100), "': the trainer has no such number")};
        buckets = found->second.history(from, to, points);
        held = found->second.held();
        if (!found->second.empty()) last = found->second.last().y;
    }
    return history_answer(name, buckets, last, held);
}

Json Board::log(std::uint64_t after, std::string_view level, std::string_view search) const {
    constexpr std::array<std::string_view, 6> levels = {"trace", "debug", "info", "warning", "error", "critical"};
    const auto rank = [&](std::string_view word) { return std::ranges::find(levels, word) - levels.begin(); };
    if (!level.empty() && rank(level) == static_cast<std::ptrdiff_t>(levels.size()))
        throw Refusal{400, sentence("level '", shortened(std::string(level), 100),
                                    "': there is no such level; use trace, debug, info, warning, error or critical")};
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
        result["data"].push_back({{"kind", step.kind}, {"text", step.text}, {"from", step.from}});
    return result;
}

}  // namespace sigma::monitor
