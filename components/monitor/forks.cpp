// SPDX-License-Identifier: BSL-1.0
// Runs that continue from a checkpoint of another run.
#include "forks.hpp"

#include <sigma/core/number_text.hpp>
#include <sigma/hook/hook_thread.hpp>
#include <sigma/storage/safetensors.hpp>

#include "answer.hpp"
#include "board.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace sigma::monitor {

namespace {

/// Returns the checkpoints of a trainer that the record of a run names, by iteration, as far as they exist.
std::map<std::uint64_t, Checkpoint> checkpoints_of(const std::string& folder, const std::string& trainer) {
    std::map<std::uint64_t, Checkpoint> result;
    const KeptRun run = read_run(folder);
    const auto marks = run.marks.find(trainer);
    if (marks == run.marks.end()) return result;
    for (const RunMark& mark : marks->second) {
        if (mark.kind != "save") continue;
        // A name is that of a file in the folder of the run; `operator/` keeps an absolute path.
        const std::filesystem::path path = std::filesystem::absolute(folder) / mark.name;
        if (auto found = checkpoint_at(path.string())) result[found->iteration] = std::move(*found);
    }
    return result;
}

Checkpoint checkpoint_of(const std::string& runs, const std::string& run, const std::string& trainer,
                         std::uint64_t iteration) {
    const std::vector<std::string> names = runs_in(runs);
    const std::filesystem::path folder = std::filesystem::path(runs) / run;
    std::error_code failed;
    if (std::ranges::find(names, run) == names.end() || std::filesystem::is_symlink(folder, failed))
        throw ArgumentError(sentence("fork of trainer '", trainer, "'"), sentence("a run in the folder '", runs, "'"),
                            sentence("'", shortened(run, 100), "'"));
    const auto all = checkpoints_of(folder.string(), trainer);
    if (const auto at = all.find(iteration); at != all.end()) return at->second;
    std::string exist;
    for (const auto& [one, _] : all) exist += sentence(exist.empty() ? "" : ", ", one);
    throw ArgumentError(
        sentence("fork of trainer '", trainer, "'"),
        exist.empty()
            ? sentence("a checkpoint of this trainer in the run '", run, "', which has none that exists")
            : sentence("an iteration with a checkpoint in the run '", run, "', which has ", shortened(exist, 200)),
        sentence("iteration ", iteration));
}

}  // namespace

std::optional<Checkpoint> checkpoint_at(const std::string& path) {
    try {
        std::error_code failed;
        if (!std::filesystem::is_regular_file(path, failed)) return std::nullopt;
        const SafetensorsFile file = SafetensorsFile::open(path);
        const std::string *iteration = file.metadata("run.iteration"), *seconds = file.metadata("runtime");
        Checkpoint found{.file = path};
        if (iteration == nullptr || seconds == nullptr || !sigma::detail::read_number(*iteration, found.iteration) ||
            !sigma::detail::read_number(*seconds, found.seconds))
            return std::nullopt;
        return found;
    } catch (const Error&) {  // no such file, or another one
        return std::nullopt;
    }
}

Json parent_answer(const RunParent& parent) {
    return {{"run", parent.run}, {"iteration", parent.iteration}, {"seconds", number_or_null(parent.seconds)}};
}

std::optional<RunParent> parent_in(const Json& trainer) {
    if (!trainer.is_object()) return std::nullopt;
    const auto found = trainer.find("parent");
    if (found == trainer.end() || !found->is_object()) return std::nullopt;
    const auto iteration = found->find("iteration");
    if (iteration == found->end() || !iteration->is_number_unsigned()) return std::nullopt;
    return RunParent{shortened(text_in(*found, "run"), 200), iteration->get<std::uint64_t>(),
                     number_in(*found, "seconds")};
}

Acknowledgement Board::fork(const std::string& trainer, const std::string& run, std::uint64_t iteration) {
    std::shared_ptr<Shown> one;
    std::string runs;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& shown : trainers_)
            if (shown->name == trainer) one = shown;
        runs = options_.runs;
    }
    if (runs.empty())
        throw StateError(sentence("fork of trainer '", trainer, "'"), "a monitor with the option runs",
                         "no such option");
    if (!one) throw ArgumentError("fork", "the name of a trainer of this monitor", sentence("'", trainer, "'"));
    if (!one->watched.load) throw Error(sentence("fork of trainer '", trainer, "': ", untyped));
    // A trainer with `load` was watched with its type, so `core` is not null.
    if (one->watched.remote.on_training_thread() || sigma::detail::HookThread::works_for(one->watched.core))
        throw StateError(sentence("fork of trainer '", trainer, "'"), "a call from another thread, or between two runs",
                         "a call by a hook");
    turn();  // writes what is known of the present run
    {
        const std::scoped_lock lock(turn_mutex_);
        if (folder_) folder_->flush();
    }
    const std::string of = run.empty() ? std::filesystem::path(run_folder()).filename().string() : run;
    const Checkpoint from = checkpoint_of(runs, of, trainer, iteration);
    const RunParent parent{of, from.iteration, from.seconds};
    return one->watched.load(from.file, [gate = gate_, weak = std::weak_ptr(one), parent] {
        const auto forked = weak.lock();
        const std::scoped_lock lock(gate->mutex);
        if (gate->board != nullptr && forked) gate->board->end_record(forked, parent);
    });
}

void Board::end_record(const std::shared_ptr<Shown>& trainer, const RunParent& parent) {
    mark_saved(*trainer);
    trainer->tap->forget();
    const Remote& remote = trainer->watched.remote;
    RunStatus status{.state = state_of(remote), .reason = remote.ending().reason, .time = seconds_now()};
    if (remote.state() != RunState::idle) {
        status.state = "stopped";
        status.reason = sentence("a new run continued from iteration ", parent.iteration, " of ", parent.run);
    }
    const std::scoped_lock lock(mutex_);
    take(*trainer);
    for (const auto& [_, series] : trainer->series)
        if (!series.empty()) status.iteration = std::max(status.iteration, series.last().x);
    // The numbers of the next record are known already, without points.
    std::map<std::string, Series> next;
    for (const auto& [name, series] : trainer->series)
        if (Series& empty = next[name]; series.held()) empty.hold();
    next.swap(trainer->series);
    auto fresh = std::exchange(trainer->fresh, {});
    if (trainer->ended) trainer->ended->parent = parent;  // the record that this one ends was never begun
    else trainer->ended = {parent, std::move(next), std::move(fresh), status, last_mark_};
}

void Board::begin_record(const std::vector<std::shared_ptr<Shown>>& trainers, Tick& tick) {
    const auto has_ended = [](const auto& trainer) { return trainer->ended.has_value(); };
    {
        const std::scoped_lock lock(mutex_);
        if (std::ranges::none_of(trainers, has_ended)) return;
    }
    write_marks(tick);
    const std::scoped_lock lock(mutex_);
    for (const auto& trainer : trainers) used_ = used_ || (trainer->ended && trainer->ended->fresh.contains("loss"));
    if (folder_ && !used_) {  // a run that has never begun
        folder_->remove();
    } else if (folder_) {
        write_last_distributions();
        for (const auto& trainer : trainers) {
            RunStatus status{.state = "left",
                             .reason = "the monitor began another run",
                             .iteration = trainer->furthest,
                             .time = seconds_now()};
            if (trainer->ended) {
                for (const auto& [name, points] : trainer->ended->fresh)
                    if (!trainer->unkept.contains(name))
                        for (const Point& point : points)
                            folder_->add(trainer->name, name, point, trainer->ended->series.at(name).held());
                status = trainer->ended->status;
            }
            const bool goes_on = trainer->state == "running" || trainer->state == "paused";
            if (goes_on || (trainer->ended && trainer->state.empty() && status.state != "idle"))
                folder_->add(trainer->name, status);
        }
        folder_->flush();
    }
    folder_.reset();
    for (const auto& trainer : trainers) {
        // The end of the last run is not part of the new record.
        trainer->state = trainer->watched.remote.state() == RunState::idle ? state_of(trainer->watched.remote) : "";
        if (!trainer->ended) continue;
        trainer->parent = trainer->ended->parent;
        std::erase_if(marks_, [&](const Made& made) {
            return made.trainer == trainer->name && made.number <= trainer->ended->last_mark;
        });
        trainer->ended.reset();
        if (trainer->reading.request && trainer->reading.request->done()) trainer->reading.values.clear();
        trainer->distributions.clear();
        trainer->facts_due = true;
    }
    used_ = false;
    written_ = 0;
    source_.reset();
    described_.clear();
    tick.messages.emplace_back(R"({"type":"missed"})");
}

void Board::mark_saved(const Shown& trainer) {
    for (const std::string& file : trainer.tap->take_saved()) {
        const auto found = checkpoint_at(file);
        if (!found) continue;  // it was replaced or removed meanwhile
        const std::filesystem::path path(file);
        const std::string folder = run_folder();
        const bool inside =
            !folder.empty() && path.parent_path() == std::filesystem::absolute(folder).lexically_normal();
        keep_mark(trainer, {.kind = "save",
                            .name = inside ? path.filename().string() : file,
                            .iteration = static_cast<double>(found->iteration),
                            .seconds = found->seconds,
                            .time = seconds_now()});
    }
}

}  // namespace sigma::monitor
