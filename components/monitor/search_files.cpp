// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/utf8.hpp>

#include "answer.hpp"
#include "board.hpp"
#include "folder_files.hpp"
#include "search_files.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::string_view ending = ".jsonl", beginning = "[\"search by ";

/// Splits a name into "search.jsonl" and the number of the process, 0 for the first; empty for other names.
std::pair<std::string, std::uint64_t> part_of(const std::string& name) {
    if (name.size() > ending.size() && name.ends_with(ending)) return {name, 0};
    const std::size_t point = name.rfind('.');
    std::uint64_t number = 0;
    if (point == name.npos || point <= ending.size() || !std::string_view(name).substr(0, point).ends_with(ending) ||
        name[point + 1] == '0' || !sigma::detail::read_number(std::string_view(name).substr(point + 1), number))
        return {};
    return {name.substr(0, point), number};
}

/// A reader of the cells of a line, which is an array of texts.
struct Cells {
    storage::JsonTokens& in;
    char mark = '[';

    std::string text() {
        in.take(std::exchange(mark, ','));
        return in.string("a text");
    }
    template <class X>
    X number(X most) {
        in.take(std::exchange(mark, ','));
        const std::size_t at = in.position();
        const std::string found = in.string("a text");
        X x{};
        if (!sigma::detail::read_number(found, x)) in.refuse(at, "a number", storage::quotation(found));
        if (x > most) in.refuse(at, sentence("a number up to ", most), storage::quotation(found));
        return x;
    }
    std::uint64_t whole(std::uint64_t most) { return number(most); }
    double real() { return number(HUGE_VAL); }
};

SearchView::Trial trial_of(storage::JsonTokens& in, SearchView& view, std::size_t most_names) {
    constexpr std::uint64_t exact = std::uint64_t{1} << 53,
                            any = ~std::uint64_t{0};  // `exact`: largest whole number of JavaScript
    Cells cells{in};
    SearchView::Trial trial;
    trial.number = cells.whole(exact);
    trial.loss = cells.real();
    trial.seconds = cells.real();
    trial.early = cells.whole(any) != 0;
    trial.failed = shortened(cells.text(), 1000);
    const std::uint64_t choices = cells.whole(1000), reached = cells.whole(1'000'000);
    for (std::uint64_t i = 0; i < choices; ++i) {
        const std::string name = shortened(cells.text(), 200);
        const SearchView::Choice choice{true, cells.real(), shortened(cells.text(), 200)};
        cells.whole(any), cells.whole(any);
        const auto at = std::ranges::find(view.names, name);
        const auto place = static_cast<std::size_t>(at - view.names.begin());
        if (at == view.names.end()) {
            if (view.names.size() == most_names) {
                ++view.names_left_out;
                continue;
            }
            view.names.push_back(name);
        }
        trial.choices.resize(std::max(trial.choices.size(), place + 1));
        trial.choices[place] = choice;
    }
    for (std::uint64_t i = 0; i < reached; ++i) cells.whole(any), cells.real();
    in.take(']');
    return trial;
}

std::vector<std::string> settings_of(storage::JsonTokens& in) {
    std::vector<std::string> settings;
    in.take('[');
    do {
        if (settings.size() == 100) in.refuse("']'");
        settings.push_back(shortened(in.string("a setting of a search"), 200));
    } while (in.take_if(','));
    in.take(']');
    return settings;
}

}  // namespace

void SearchFiles::look() {
    const auto now = std::chrono::steady_clock::now();
    if (looked_ != std::chrono::steady_clock::time_point{} && now - looked_ < limits_.every) return;
    looked_ = now;
    const Descriptor folder = storage::open_at(AT_FDCWD, folder_.c_str(), as_folder);
    std::map<std::string, std::map<std::uint64_t, std::string>> parts;
    std::map<std::string, double> changed;
    std::error_code failed;
    std::size_t seen = 0;
    std::string start;
    if (folder)
        for (auto entry = std::filesystem::directory_iterator(folder_, failed);
             !failed && entry != std::filesystem::directory_iterator() && seen < limits_.entries;
             entry.increment(failed), ++seen) {
            const std::string name = entry->path().filename().string();
            if (name.starts_with('.') || storage::utf8_fault(name) != name.npos) continue;
            const auto [of, number] = part_of(name);
            struct stat found{};
            if (of.empty()) continue;
            const Descriptor file = file_in(folder.number(), name.c_str());
            if (!file || ::fstat(file.number(), &found) != 0) continue;
            if (bytes_from(file, start, 0, beginning.size()) != beginning) continue;
            parts[of][number] = name;
            double& last = changed[of];
            last = std::max(last, when(found));
        }
    files_.clear();
    for (const auto& [name, all] : parts) {
        if (!all.contains(0)) continue;  // files of further processes without the first are no search
        SearchFile& file = files_.emplace_back(SearchFile{name, {}, changed[name]});
        for (const auto& [_, part] : all) file.parts.push_back(part);
    }
    std::ranges::sort(files_, [](const auto& a, const auto& b) {
        return a.changed != b.changed ? a.changed > b.changed : a.name < b.name;
    });
    left_out_ = files_.size() - std::min(files_.size(), limits_.files);
    files_.resize(files_.size() - left_out_);
}

std::vector<SearchFile> SearchFiles::list() {
    const std::scoped_lock lock(mutex_);
    look();
    return files_;
}

std::size_t SearchFiles::left_out() const {
    const std::scoped_lock lock(mutex_);
    return left_out_;
}

SearchView SearchFiles::read(std::string_view name, std::string_view seen) {
    const auto files = list();
    const auto wanted = std::ranges::find(files, name, &SearchFile::name);
    const Descriptor folder = storage::open_at(AT_FDCWD, folder_.c_str(), as_folder);
    struct Part {
        const std::string& name;
        Descriptor file;
        std::size_t size;
    };
    std::vector<Part> parts;
    std::size_t bytes = 0;
    std::string state;
    if (wanted != files.end() && folder)
        for (const std::string& part : wanted->parts) {
            Descriptor file = file_in(folder.number(), part.c_str());
            struct stat found{};
            if (!file || ::fstat(file.number(), &found) != 0) continue;  // removed meanwhile
            const auto size = static_cast<std::size_t>(found.st_size);
            state += sentence(part, '/', found.st_ino, '/', size, '/', found.st_mtim.tv_sec, '.', found.st_mtim.tv_nsec,
                              '/');
            bytes += std::min(size, limits_.bytes + 1);
            parts.push_back({part, std::move(file), size});
        }
    if (parts.empty())
        throw Refusal{404, sentence("search '", name.substr(0, 100), "': there is no such file in the folder")};
    if (bytes > limits_.bytes)
        throw Refusal{
            413, sentence("search '", name.substr(0, 100), "': the files are larger than ", limits_.bytes, " bytes")};
    SearchView view{.file = *wanted, .version = sentence(std::hash<std::string>()(state))};
    if (seen == view.version) return view;

    std::map<std::uint64_t, SearchView::Trial> trials;  // a trial that occurs twice counts once, as in a search
    std::string buffer;
    for (const Part& part : parts) {
        std::string_view text = bytes_from(part.file, buffer, 0, part.size);
        text = text.substr(0, text.rfind('\n') + 1);  // the last line may be incomplete
        storage::JsonTokens in(text, part.name, 0);
        auto settings = settings_of(in);
        if (&part != parts.data() && settings != view.settings)
            throw DataError(part.name, "line 1", sentence("the settings of '", view.file.name, "'"),
                            "those of another search");
        view.settings = std::move(settings);
        for (in.skip_blanks(); !in.at_end(); in.skip_blanks()) {
            SearchView::Trial trial = trial_of(in, view, limits_.names);
            trials[trial.number] = std::move(trial);
            if (trials.size() > limits_.read)
                throw Refusal{413, sentence("search '", name.substr(0, 100), "': the files have more than ",
                                            limits_.read, " trials")};
        }
    }
    for (auto& [_, trial] : trials) view.trials.push_back(std::move(trial));
    const auto place = [](const SearchView::Trial& t) {
        const int kind = !t.failed.empty() ? 2 : std::isnan(t.loss) ? 1 : 0;
        return std::tuple(kind, kind == 0 ? t.loss : 0, t.number);
    };
    std::ranges::sort(view.trials, {}, place);
    view.left_out = view.trials.size() - std::min(view.trials.size(), limits_.trials);
    view.trials.resize(view.trials.size() - view.left_out);
    return view;
}

}  // namespace sigma::monitor
