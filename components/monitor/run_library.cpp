// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/utf8.hpp>

#include "answer.hpp"
#include "folder_files.hpp"
#include "forks.hpp"
#include "json.hpp"
#include "run_library.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr const char* predictions_file = "predictions.json";

std::string text_up_to(const Json& object, const char* name, std::size_t most) {
    return text_in(object, name).substr(0, most);
}

/// Returns the facts of an object: numbers, texts and truth values by name.
Json facts_in(const Json& object) {
    constexpr std::size_t most = 120, most_name = 200, most_text = 1000;
    Json facts = Json::object();
    const auto found = object.find("facts");
    if (found == object.end() || !found->is_object()) return facts;
    for (const auto& [name, fact] : found->items()) {
        if (facts.size() >= most) break;
        if (name.size() > most_name || !fact.is_primitive() || fact.is_null()) continue;
        facts[name] = fact.is_string() ? Json(shortened(fact.get<std::string>(), most_text)) : fact;
    }
    return facts;
}

void describe(RunView& run, std::string_view text) {
    const auto description = parsed(text);
    if (!description || !description->is_object()) return;
    if (std::string name = text_up_to(*description, "name", 200); !name.empty()) run.name = std::move(name);
    run.began = number_in(*description, "began");
    run.facts = facts_in(*description);
    const auto trainers = description->find("trainers");
    if (trainers == description->end() || !trainers->is_array()) return;
    for (const Json& trainer : *trainers)
        if (trainer.is_object() && run.trainers.size() < 100)
            run.trainers.push_back({text_up_to(trainer, "name", 200),
                                    text_up_to(trainer, "network", 1000),
                                    text_up_to(trainer, "optimizer", 200),
                                    facts_in(trainer),
                                    parent_in(trainer),
                                    {},
                                    {}});
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }
bool unchanged(const struct stat& a, const struct stat& b) {
    return same_file(a, b) && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
           a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

/// Examines the folder for runs.
void RunLibrary::look() {
    const auto now = std::chrono::steady_clock::now();
    if (looked_ != std::chrono::steady_clock::time_point{} && now - looked_ < limits_.every) return;
    looked_ = now;
    const Descriptor runs = storage::open_at(AT_FDCWD, folder_.c_str(), as_folder);
    struct Seen {
        std::string id;
        struct stat file{}, description{};
        bool predictions = false;
    };
    std::vector<Seen> found;
    std::error_code failed;
    std::size_t seen = 0;
    if (runs)
        for (auto entry = std::filesystem::directory_iterator(folder_, failed);
             !failed && entry != std::filesystem::directory_iterator() && seen < limits_.entries;
             entry.increment(failed), ++seen) {
            std::string id = entry->path().filename().string();
            if (id.starts_with('.') || storage::utf8_fault(id) != id.npos) continue;
            Seen one;
            const Descriptor folder = folder_in(runs.number(), id);
            const auto see = [&](const char* name, struct stat& as) {
                return ::fstatat(folder.number(), name, &as, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(as.st_mode);
            };
            if (!folder || !see("series.bin", one.file)) continue;
            if (!see("run.json", one.description)) one.description = {};
            struct stat predicted{};
            one.predictions = see(predictions_file, predicted);
            one.id = std::move(id);
            found.push_back(std::move(one));
        }
    std::ranges::sort(found, [](const auto& a, const auto& b) {
        return std::pair(when(a.file), a.id) > std::pair(when(b.file), b.id);
    });
    left_out_ = found.size() - std::min(found.size(), limits_.runs);
    found.resize(found.size() - left_out_);

    std::map<std::string, Run, std::less<>> before = std::exchange(runs_, {});
    for (auto& [id, file, description, predictions] : found) {
        auto kept = before.extract(id);
        Run run = kept.empty() ? Run{} : std::move(kept.mapped());
        // run.json changes when trainers are added; then the run is read from its beginning.
        const bool other = kept.empty() || !same_file(run.file, file) || !unchanged(run.description, description) ||
                           std::cmp_less(file.st_size, run.reading.taken()) || run.reading.foreign();
        if (other && !(unchanged(run.file, file) && unchanged(run.description, description))) {
            run.reading = RunReading(run.reading.keeps());
            run.about = {.id = id, .name = id};
            const Descriptor folder = folder_in(runs.number(), id);
            std::string text;
            if (const Descriptor json = file_in(folder.number(), "run.json"))
                describe(run.about, bytes_from(json, text, 0, 1 << 20));
            run.all_read = false;
        }
        run.all_read = run.all_read && unchanged(run.file, file);
        run.file = file;
        run.description = description;
        run.about.predictions = predictions;
        run.about.growing = std::abs(seconds_now() - when(file)) < 10;  // the clock may have been set back
        runs_.emplace(std::move(id), std::move(run));
    }
}

void RunLibrary::read(int runs, Run& run, std::size_t& budget) {
    if (run.all_read || budget == 0) return;
    const Descriptor folder = folder_in(runs, run.about.id);
    const Descriptor file = file_in(folder.number(), "series.bin");
    struct stat now{};
    if (!file || ::fstat(file.number(), &now) != 0 || !same_file(now, run.file)) {  // found out by the next look
        run.all_read = true;
        return;
    }
    while (budget > 0) {
        const std::size_t most = std::max(std::min(budget, std::size_t{4} << 20), records::most_bytes + 64);
        const std::string_view bytes = bytes_from(file, buffer_, run.reading.taken(), most);
        const std::size_t taken = run.reading.feed(bytes);
        budget -= std::min(budget, bytes.size());
        run.all_read = taken == 0 || bytes.size() < most;
        if (run.all_read) break;
    }
}

void RunLibrary::view(Run& run) {
    run.about.lines.clear();
    for (const RunReading::Line& line : run.reading.lines())
        run.about.lines.push_back({line.trainer, line.name, line.points, line.last, line.holds});
    run.about.tensors.clear();
    for (const RunReading::Tensor& tensor : run.reading.tensors()) ++run.about.tensors[tensor.trainer];
    const auto trainer_of = [&](const std::string& name) -> RunView::Trainer& {
        auto at = std::ranges::find(run.about.trainers, name, &RunView::Trainer::name);
        if (at == run.about.trainers.end())
            at = run.about.trainers.insert(at, {name, {}, {}, Json::object(), {}, {}, {}});
        return *at;
    };
    for (const auto& [name, status] : run.reading.status()) trainer_of(name).status = status;
    for (const auto& [name, marks] : run.reading.marks()) trainer_of(name).marks = marks;
    run.about.left_out = run.reading.left_out();
    run.about.damaged = run.reading.damaged();
    const auto taken = static_cast<double>(run.reading.taken()), size = static_cast<double>(run.file.st_size);
    run.about.read = run.all_read || taken >= size ? 1 : taken / size;
}

std::vector<RunView> RunLibrary::runs() {
    const std::scoped_lock lock(mutex_);
    look();
    std::vector<Run*> newest;
    for (auto& [_, run] : runs_) newest.push_back(&run);
    std::ranges::sort(newest, [](const Run* a, const Run* b) {
        return std::pair(when(a->file), a->about.id) > std::pair(when(b->file), b->about.id);
    });
    const Descriptor folder = storage::open_at(AT_FDCWD, folder_.c_str(), as_folder);
    std::size_t budget = limits_.read;
    std::vector<RunView> result;
    // A long run does not delay others: runs that had their turn come last.
    std::vector<Run*> turns = newest;
    while (budget > 0 && std::ranges::any_of(turns, [](const Run* run) { return !run->all_read; })) {
        std::ranges::sort(turns, {}, [](const Run* run) { return std::pair(run->served, -when(run->file)); });
        for (Run* run : turns) {
            if (run->all_read || budget == 0) continue;
            std::size_t slice = std::min(budget, limits_.slice);
            budget -= slice;
            read(folder.number(), *run, slice);
            budget += slice;  // the unused part
            run->served = ++served_;
        }
    }
    for (Run* run : newest) {
        if (run->reading.foreign()) continue;
        view(*run);
        result.push_back(run->about);
    }
    return result;
}

std::size_t RunLibrary::left_out() const {
    const std::scoped_lock lock(mutex_);
    return left_out_;
}

std::size_t RunLibrary::held() const {
    const std::scoped_lock lock(mutex_);
    std::size_t all = 0;
    for (const auto& [_, run] : runs_) all += run.reading.held();
    return all;
}

RunLibrary::Run* RunLibrary::requested_run(std::string_view id) {
    look();
    const auto at = runs_.find(id);
    if (at == runs_.end()) return nullptr;
    Run& run = at->second;
    run.requested = ++requested_;
    if (!run.reading.keeps()) {
        run.reading = RunReading(true);
        run.all_read = false;
    }
    const Descriptor folder = storage::open_at(AT_FDCWD, folder_.c_str(), as_folder);
    std::size_t budget = limits_.read;
    read(folder.number(), run, budget);
    make_room(run);
    if (run.reading.foreign()) return nullptr;
    view(run);
    return &run;
}

RunLibrary::Found RunLibrary::history(std::string_view id, std::string_view trainer, std::string_view name, double from,
                                      double to, std::size_t columns) {
    const std::scoped_lock lock(mutex_);
    const Run* const run = requested_run(id);
    if (run == nullptr) return {};
    Found found{.what = Found::no_series, .read = run->about.read};
    for (const RunReading::Line& line : run->reading.lines())
        if (line.name == name && (trainer.empty() || line.trainer == trainer)) {
            found.what = Found::series;
            found.buckets = line.series.history(from, to, columns);
            found.last = line.last.y;
            found.holds = line.holds;
            break;
        }
    if (found.what == Found::no_series && found.read < 1) found.what = Found::series;  // it may still come
    return found;
}

RunLibrary::Histogram RunLibrary::histogram(std::string_view id, std::string_view trainer, std::string_view name) {
    const std::scoped_lock lock(mutex_);
    const Run* const run = requested_run(id);
    if (run == nullptr) return {};
    Histogram found{.what = Histogram::tensors, .trainer = std::string(trainer), .read = run->about.read};
    const auto& all = run->reading.tensors();
    const auto wanted = std::ranges::find_if(all, [&](const RunReading::Tensor& tensor) {
        return (trainer.empty() || tensor.trainer == trainer) && (name.empty() || tensor.name == name);
    });
    if (wanted != all.end()) {
        found.trainer = wanted->trainer;
        found.name = wanted->name;
        found.distributions = wanted->distributions.all();
    }
    for (const RunReading::Tensor& tensor : all)
        if (tensor.trainer == found.trainer) found.names.push_back(tensor.name);
    if (wanted != all.end() || found.read < 1) return found;  // it may still come
    const auto has = [&](const auto& list, auto of) { return std::ranges::find(list, trainer, of) != list.end(); };
    const bool known = trainer.empty() || !found.names.empty() || has(run->about.trainers, &RunView::Trainer::name) ||
                       has(run->reading.lines(), &RunReading::Line::trainer);
    if (!known) found.what = Histogram::no_trainer;
    else if (!name.empty()) found.what = Histogram::no_tensor;
    return found;
}

std::optional<std::string> RunLibrary::predictions(std::string_view id) {
    constexpr std::size_t most = 16 << 20;
    const std::scoped_lock lock(mutex_);
    look();
    const auto at = runs_.find(id);
    if (at == runs_.end()) return std::nullopt;
    const Descriptor runs = storage::open_at(AT_FDCWD, folder_.c_str(), as_folder);
    const Descriptor folder = folder_in(runs.number(), at->first);
    const Descriptor file = file_in(folder.number(), predictions_file);
    std::string text;
    const std::string_view bytes = file ? bytes_from(file, text, 0, most + 1) : std::string_view();
    return bytes.empty() || bytes.size() > most ? std::nullopt : std::optional<std::string>(bytes);
}

/// Frees the series of the runs that were not requested lately.
void RunLibrary::make_room(const Run& except) {
    std::size_t all = 0;
    std::vector<Run*> others;
    for (auto& [_, run] : runs_) {
        all += run.reading.held();
        if (run.reading.held() > 0 && &run != &except) others.push_back(&run);
    }
    std::ranges::sort(others, {}, &Run::requested);
    for (Run* run : others) {
        if (all <= limits_.held) return;
        all -= run->reading.held();
        run->reading.let_go();
    }
}

}  // namespace sigma::monitor
