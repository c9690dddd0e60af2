// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/network/fingerprint.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/trainer/machines/machines.hpp>
#include <sigma/trainer/search.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <system_error>
#include <thread>
#include <tuple>

namespace sigma {

namespace detail {

/// Returns a number with four significant digits: "0.00312", "12.5".
SIGMA_IMPL std::string four_digits(double x) {
    std::string text;
    append_formatted(text, x, {.letter = 'g', .digits = 4});
    return text;
}
SIGMA_IMPL std::string searched_loss(const SearchedTrial& t) {
    if (!t.failed.empty()) return "failed";
    return four_digits(t.loss) + (t.ended_early ? " (early)" : "");
}
/// Orders trials by their loss. Trials without a loss come next, failed trials last.
SIGMA_IMPL bool is_before(const SearchedTrial& a, const SearchedTrial& b) {
    const auto place = [](const SearchedTrial& t) { return !t.failed.empty() ? 2 : std::isnan(t.loss) ? 1 : 0; };
    if (place(a) != place(b)) return place(a) < place(b);
    return place(a) == 0 && a.loss != b.loss ? a.loss < b.loss : a.number < b.number;
}
SIGMA_IMPL const SearchedTrial::Choice* find_choice(const SearchedTrial& t, std::string_view name) {
    for (const auto& c : t.choices)
        if (c.name == name) return &c;
    return nullptr;
}
/// Returns a table: a head, and one row for each trial. The last column holds the reason of a failure.
SIGMA_IMPL std::vector<std::vector<std::string>> searched_rows(const std::vector<SearchedTrial>& trials, bool exact) {
    std::vector<std::vector<std::string>> rows{{"trial", "loss", "seconds"}};
    std::vector<std::string>& head = rows.front();
    for (const SearchedTrial& t : trials)
        for (const auto& c : t.choices)
            if (std::find(head.begin() + 3, head.end(), c.name) == head.end()) head.push_back(c.name);
    for (const SearchedTrial& t : trials) {
        std::vector<std::string> row{sentence(t.number), exact ? sentence(t.loss) : searched_loss(t),
                                     exact ? sentence(t.seconds) : fixed_text(t.seconds, 2)};
        for (std::size_t i = 3; i < rows.front().size(); ++i) {
            const auto* c = find_choice(t, rows.front()[i]);
            // The text of a real number is rounded.
            const bool number = exact && c != nullptr && c->text == four_digits(c->number);
            row.push_back(c == nullptr ? "" : number ? sentence(c->number) : c->text);
        }
        row.push_back(exact && t.ended_early && t.failed.empty() ? "early" : t.failed);
        rows.push_back(std::move(row));
    }
    rows.front().push_back(exact ? "ended" : "");
    return rows;
}

}  // namespace detail

SIGMA_IMPL const SearchedTrial::Choice& SearchedTrial::choice(std::string_view name) const {
    if (const Choice* c = detail::find_choice(*this, name)) return *c;
    throw ArgumentError("trial", "the name of a chosen hyperparameter", sentence("'", name.substr(0, 60), "'"));
}

SIGMA_IMPL const SearchedTrial& SearchResult::best() const {
    const auto found = std::min_element(trials.begin(), trials.end(), detail::is_before);
    if (found == trials.end() || std::isnan(found->loss))
        throw ArgumentError("search", "1 or more trials with a loss", "0");
    return *found;
}

SIGMA_IMPL std::string SearchResult::table() const {
    std::vector<SearchedTrial> order = trials;
    std::sort(order.begin(), order.end(), detail::is_before);
    const auto rows = detail::searched_rows(order, false);
    std::string text;
    std::vector<std::size_t> widths(rows[0].size() - 1);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], terminal::width(row[i]));
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            text += sentence(i == 0 ? "" : "  ", std::string(widths[i] - terminal::width(row[i]), ' '), row[i]);
        text += sentence(row.back().empty() ? "" : "  ", row.back(), '\n');
    }
    return text;
}

SIGMA_IMPL std::string SearchResult::csv() const {
    std::string text;
    for (const auto& row : detail::searched_rows(trials, true)) {
        for (const std::string& cell : row) {
            const bool quoted = cell.find_first_of(",\"\r\n") != cell.npos;
            if (quoted) text += '"';
            for (const char c : cell) text.append(c == '"' ? 2 : 1, c);
            text += sentence(quoted ? "\"" : "", &cell == &row.back() ? '\n' : ',');
        }
    }
    return text;
}

namespace detail {

/// The known part of a grid. A node is a choice, and below each of its points stands the next choice. A combination is
/// coded as a number: point + of · (point of the next choice + its `of` · …). Trials have the order of these numbers,
/// most of which are known long before the whole tree is.
struct GridNode {
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::string name{};
    std::vector<GridNode> points{};
    bool ended = false;  ///< true if nothing is chosen at this node

    GridNode& step(std::string_view name_, std::uint64_t point, std::uint64_t of) {
        if (points.empty() && !ended) name = name_, points.resize(of);
        if (name != name_ || points.size() != of)
            throw ArgumentError("grid", sentence("'", name, "' of ", points.size(), " points, as before"),
                                sentence("'", name_, "' of ", of));
        return points[point];
    }
    void end(std::uint64_t code) {
        if (points.empty()) ended = true;
        else points[code % points.size()].end(code / points.size());
    }
    /// Returns the smallest combination that is at least `from`, and whether it is known to exist.
    std::pair<std::uint64_t, bool> next(std::uint64_t from) const {
        if (points.empty()) return from == 0 ? std::pair(from, true) : std::pair(ended ? none : from, ended);
        std::pair least(none, true);
        const std::uint64_t of = points.size();
        for (std::uint64_t i = 0; i < of; ++i) {
            const auto [below, certain] = points[i].next(from <= i ? 0 : (from - i - 1) / of + 1);
            if (below <= (none - 1 - i) / of) least = std::min(least, std::pair(below * of + i, certain));
        }
        return least;
    }
};

/// Calls `cell` for each cell of a line of the file. A line is an array of texts, since JSON has no NaN.
template <class Cell>
void each_cell(SearchedTrial& t, Cell cell) {
    auto number = static_cast<std::uint64_t>(t.number);
    std::uint64_t early = t.ended_early, choices = t.choices.size(), reached = t.reached.size();
    cell(number), cell(t.loss), cell(t.seconds), cell(early), cell(t.failed), cell(choices), cell(reached);
    t.number = static_cast<std::int64_t>(number), t.ended_early = early != 0;
    // Reading adds one element at a time, since the number in the file may be wrong.
    for (std::uint64_t i = 0; i < choices; ++i) {
        SearchedTrial::Choice& c = i < t.choices.size() ? t.choices[i] : t.choices.emplace_back();
        cell(c.name), cell(c.number), cell(c.text), cell(c.point), cell(c.of);
    }
    for (std::uint64_t i = 0; i < reached; ++i) {
        auto& [steps, loss] = i < t.reached.size() ? t.reached[i] : t.reached.emplace_back();
        cell(steps), cell(loss);
    }
}

/// Thrown through the user's function by a trial that has repeated all choices of a stored trial.
struct ChoosesTheSame {};

/// The shared state of the trials of one search.
struct SearchState {
    const SearchOptions& options;
    const AnyFunction<double(Trial&)>& loss_of;
    const bool is_grid = options.by == SearchBy::grid;
    const std::int64_t rank = options.machines ? options.machines->rank() : 0,
                       ranks = options.machines ? options.machines->count() : 1;
    const std::string file = file_of(options.file, rank);

    std::mutex keeping{};  ///< guards the next two members
    const std::string best_file = file_of(options.best, rank);
    double best = HUGE_VAL;  ///< smallest loss that was kept

    std::mutex mutex{};  ///< guards all members below
    std::condition_variable changed{};
    std::map<std::int64_t, SearchedTrial> done{};
    std::map<std::uint64_t, std::vector<double>> reached{};  ///< sorted losses by step
    GridNode grid{};
    std::int64_t number = 0;                          ///< number of the last trial that began
    std::uint64_t code = 0;                           ///< grid: the next combination is at least this one
    std::exception_ptr thrown{};                      ///< ends the search
    std::string image{};                              ///< contents of the file
    std::uint64_t points = 0;                         ///< grid: number of points of all trials in files
    std::set<std::int64_t> in_files{};                ///< numbers of stored trials
    std::map<std::uint64_t, std::int64_t> of_code{};  ///< grid: stored trials by their combination
    std::int64_t ended = 0;                           ///< number of other processes that have ended

    static constexpr std::uint64_t most_points = 4'000'000;
    static std::string file_of(const std::string& file, std::int64_t rank) {
        return file.empty() || rank == 0 ? file : sentence(file, '.', rank);
    }
    /// Makes `trial` the next trial. Returns false if there are no more trials.
    bool begin(Trial& trial, std::unique_lock<std::mutex>& lock) {
        hear();
        for (;;) {
            std::pair next(code, true);
            while (!thrown && is_grid && !(next = grid.next(code)).second) {
                if (ranks == 1) changed.wait(lock);
                else if (!hear()) changed.wait_for(lock, std::chrono::milliseconds(1));
            }
            if (thrown || (is_grid ? next.first == GridNode::none : number == options.trials)) return false;
            code = next.first + 1;
            if (const auto there = of_code.find(next.first); is_grid && there != of_code.end()) {
                if (is_own(there->second)) post_choices(done.at(there->second).choices, 0, true);
                continue;
            }
            do ++number;
            while (is_grid && in_files.contains(number));
            if (!is_own(number) || in_files.contains(number)) continue;
            trial.now_ = {.number = number};
            trial.code_ = next.first;
            trial.node_ = &grid;
            return true;
        }
    }
    bool is_own(std::int64_t trial) const { return (trial - 1) % ranks == rank; }
    void end(Trial& trial) {
        trial.node_->end(trial.code_);
        if (is_grid) post_choices(trial.now_.choices, trial.code_, true);
        changed.notify_all();
        SearchedTrial& t = done[trial.number()] = std::move(trial.now_);
        if (!file.empty()) {
            add(t);
            save();
        }
        if (options.quiet) return;
        std::string line = sentence("trial ", t.number, is_grid ? "" : sentence('/', options.trials),
                                    t.failed.empty() ? "   loss " : "   ", searched_loss(t));
        for (const auto& c : t.choices) line += sentence("   ", c.name, " ", c.text);
        terminal::print(stdout, sentence(line, t.failed.empty() ? "" : "   ", t.failed));
    }
    void work() try {
        std::unique_lock lock(mutex);
        SearchedTrial now;
        for (Trial trial(*this, now); begin(trial, lock); end(trial)) {
            lock.unlock();
            const auto began = std::chrono::steady_clock::now();
            try {
                trial.now_.loss = loss_of(trial);
            } catch (const MachineError&) { throw; } catch (const std::exception& e) {
                trial.now_.loss = std::nan("");
                trial.now_.failed = terminal::shortened(e.what(), 1000, true);  // one line of UTF-8
                if (trial.now_.failed.empty()) trial.now_.failed = "no reason";
            }
            trial.now_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            lock.lock();
        }
    } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
        changed.notify_all();
    }

    void add(char mark, std::string_view text) { add_text(image, mark, text); }
    static void add_text(std::string& to, char mark, std::string_view text) {
        to += mark;
        storage::append_json_string(to, text);
    }

    // ---- messages to and from other processes ----

    /// Sends the choices of a grid, and whether the trial ends with them.
    void post_choices(const std::vector<SearchedTrial::Choice>& choices, std::uint64_t left, bool is_end) {
        if (ranks == 1) return;
        std::string text;
        add_text(text, '[', is_end ? "end" : "chosen"), add_text(text, ',', sentence(left));
        for (const auto& c : choices)
            add_text(text, ',', c.name), add_text(text, ',', sentence(c.point)), add_text(text, ',', sentence(c.of));
        post(text + ']');
    }
    void post_reached(std::uint64_t steps, double loss) {
        if (ranks == 1) return;
        std::string text;
        add_text(text, '[', "reached"), add_text(text, ',', sentence(steps)), add_text(text, ',', sentence(loss));
        post(text + ']');
    }
    void post(const std::string& text) const { options.machines->group->post(text); }
    /// Handles received messages. Returns whether there were any.
    bool hear() {
        if (ranks == 1) return false;
        const std::vector<std::string> all = options.machines->group->posted();
        for (const std::string& text : all) hear(text);
        return !all.empty();
    }
    void hear(const std::string& text) {
        static const std::string from = "another process";
        if (text.empty()) {  // the process has ended its trials
            ++ended;
            return;
        }
        storage::JsonTokens in(text, from, 0);
        in.take('[');
        const std::string kind = in.string("the kind of a message");
        const auto take = [&](auto x) {
            in.take(',');
            read_number(in.string("a number"), x);
            return x;
        };
        const auto first = take(std::uint64_t{0});
        if (kind == "reached") {
            reach(first, take(0.0));
            return;
        }
        GridNode* node = &grid;
        try {
            while (in.take_if(',')) {
                const std::string name = in.string("a name");
                const auto point = take(std::uint64_t{0});
                node = &node->step(name, point, take(std::uint64_t{0}));
            }
            if (kind == "end") node->end(first);
        } catch (const ArgumentError&) {}  // a trial that chose differently from those before, and failed there
        changed.notify_all();
    }
    /// Handles all messages until every process has ended its trials.
    void hear_all() {
        if (ranks == 1) return;
        post("");
        for (std::unique_lock lock(mutex); ended + 1 < ranks;)
            if (!hear()) changed.wait_for(lock, std::chrono::milliseconds(1));
    }

    // ---- the file ----

    void add(SearchedTrial& t) {
        each_cell(t, [this, mark = '['](const auto& x) mutable { add(std::exchange(mark, ','), sentence(x)); });
        image += "]\n";
    }
    void save() { write_file_atomically(file, std::as_bytes(std::span(image))); }
    void resume() {
        const std::string settings[]{sentence("search by ", is_grid ? "grid" : "random"),
                                     sentence("seed ", options.seed),
                                     sentence("points ", options.points),
                                     sentence("stop ", options.stop == SearchStop::halving ? "halving" : "median"),
                                     sentence("reduction_factor ", options.reduction_factor),
                                     sentence("min_resource ", options.min_resource)};
        // Reads the files of other ranks, including ranks of an earlier search with more processes.
        for (std::int64_t r = 0; r <= std::max<std::int64_t>(ranks - 1, rank) || has(r); ++r)
            if (r != rank && has(r)) keep(read(file_of(options.file, r), settings, read_text(source_of(r))));
        if (has(rank)) image = read_text(source_of(rank));
        std::size_t failed = 0;
        const auto begin_image = [&] {
            image.clear();
            for (const std::string& s : settings) add(&s == settings ? '[' : ',', s);
            image += "]\n";
        };
        if (image.empty()) {
            begin_image();
            save();
        } else {
            // A last line without a newline is incomplete.
            if (const std::size_t end = image.rfind('\n'); end != image.npos) image.resize(end + 1);
            std::vector<SearchedTrial> own = read(file, settings, image);
            failed = std::erase_if(own, [](const SearchedTrial& t) { return !t.failed.empty(); });
            if (failed > 0) {
                begin_image();
                for (SearchedTrial& t : own) add(t);
            }
            keep(std::move(own));
        }
        const auto most = std::max_element(done.begin(), done.end(), [](const auto& a, const auto& b) {
            return a.second.choices.size() < b.second.choices.size();
        });
        if (most != done.end() && !most->second.choices.empty()) repeat(most->second);
        if (failed > 0) {
            save();
            if (!options.quiet)
                terminal::print(stdout,
                                sentence("search: trying ", failed, failed == 1 ? " failed trial" : " failed trials",
                                         " of '", file, "' again"));
        }
        if (!best_file.empty() && data::file(storage::placed(best_file)).exists())
            for (const auto& [n, t] : done) best = std::min(best, std::isnan(t.loss) ? best : t.loss);
    }
    data::Source source_of(std::int64_t r) const { return data::file(storage::placed(file_of(options.file, r))); }
    bool has(std::int64_t r) const { return source_of(r).exists(); }
    std::vector<SearchedTrial> read(const std::string& name, std::span<const std::string> settings, std::string text) {
        if (const std::size_t end = text.rfind('\n'); end != text.npos) text.resize(end + 1);
        storage::JsonTokens in(text, name, 0);
        for (const std::string& s : settings) {
            in.take(&s == settings.data() ? '[' : ',');
            if (const std::string there = in.string("a setting of a search"); there != s)
                throw DataError(name, "line 1", s, there);
        }
        in.take(']');
        in.skip_blanks();
        return read_trials(in, name);
    }
    std::vector<SearchedTrial> read_trials(storage::JsonTokens& in, const std::string& name) {
        std::vector<SearchedTrial> trials;
        for (; !in.at_end(); in.take(']'), in.skip_blanks()) {
            SearchedTrial t;
            each_cell(t, [&, mark = '[']<class X>(X& x) mutable {
                in.take(std::exchange(mark, ','));
                const std::size_t at = in.position();
                std::string text = in.string("a text");
                if constexpr (requires { x = text; }) x = std::move(text);
                else if (!read_number(text, x)) in.refuse(at, "a number", storage::quotation(text));
            });
            for (const auto& c : t.choices)
                if (is_grid && (c.point >= c.of || c.of > most_points - points))
                    in.refuse(sentence("a point of a grid, of ", most_points, " in all at most"));
                else points += is_grid ? c.of : 0;
            if (t.number < 1 || (!is_grid && t.number > options.trials))
                throw DataError(name, "", sentence("trials 1 to ", options.trials), sentence("trial ", t.number));
            trials.push_back(std::move(t));
        }
        return trials;
    }
    /// Keeps stored trials. Failed trials are tried again, since the program may have been corrected.
    void keep(std::vector<SearchedTrial> trials) {
        for (SearchedTrial& t : trials) {
            if (!t.failed.empty()) continue;
            for (const auto& [steps, loss] : t.reached) reach(steps, loss);
            in_files.insert(t.number);
            std::uint64_t at = 0, each = 1;
            GridNode* node = &grid;
            try {
                for (const auto& c : t.choices)
                    if (is_grid) node = &node->step(c.name, c.point, c.of), at += each * c.point, each *= c.of;
            } catch (const ArgumentError& e) {
                throw DataError(file, sentence("trial ", t.number), e.expected, e.found);
            }
            if (is_grid) node->end(0), of_code[at] = t.number;
            done[t.number] = std::move(t);
        }
    }
    /// Gathers the trials of all processes in each of them.
    void gather() {
        MachineGroup& group = *options.machines->group;
        image.clear();
        for (auto& [n, t] : done) add(t);
        std::string text;
        for (const std::string& own : group.texts(image, std::numeric_limits<double>::infinity())) text += own;
        broadcast(group, text);
        storage::JsonTokens in(text, "trials of other processes", 0);
        done.clear();
        for (SearchedTrial& t : read_trials(in, "trials of other processes")) done[t.number] = std::move(t);
        if (best_file.empty()) return;
        // The file of the process with the smallest loss replaces that of rank 0.
        const auto least = group.texts(sentence(best), std::numeric_limits<double>::infinity());
        std::int64_t of = 0;
        double loss = best;
        for (std::size_t r = 0; r < least.size(); ++r)
            if (double x = 0; read_number(least[r], x) && x < loss) loss = x, of = static_cast<std::int64_t>(r);
        group.broadcast(&of, sizeof of);
        const auto place = [&](std::int64_t r) { return storage::placed(file_of(options.best, r)); };
        if (rank != 0 && rank == of) std::rename(place(rank).c_str(), place(0).c_str());
        else if (rank != 0) std::remove(place(rank).c_str());
        wait_for_all();  // no process continues before the file is complete
    }
    void wait_for_all() const {
        MachineGroup& group = *options.machines->group;
        char nothing = 0;
        static_cast<void>(group.texts("", std::numeric_limits<double>::infinity()));
        group.broadcast(&nothing, sizeof nothing);
    }
    /// Checks that the function chooses the hyperparameters of a stored trial. Otherwise the file belongs to another
    /// search.
    void repeat(const SearchedTrial& there) {
        SearchedTrial now;
        Trial again(*this, now);
        again.now_.number = there.number;
        again.repeats_ = &there;
        try {
            loss_of(again);
        } catch (const ChoosesTheSame&) { return; }
        differs(again, "no further choice");
    }
    [[noreturn]] void differs(const Trial& again, std::string expected) const {
        const auto& there = again.repeats_->choices[again.now_.choices.size()];
        throw DataError(options.file, sentence("trial ", again.number()), std::move(expected),
                        sentence("'", there.name, "' ", there.text));
    }

    /// Adds a loss at a step. Returns how many earlier losses are smaller, and how many there are.
    std::pair<std::size_t, std::size_t> reach(std::uint64_t steps, double loss) {
        std::vector<double>& all = reached[steps];
        const auto place = std::lower_bound(all.begin(), all.end(), loss);
        const std::pair found(static_cast<std::size_t>(place - all.begin()), all.size());
        all.insert(place, loss);
        return found;
    }
};

}  // namespace detail

SIGMA_IMPL std::int64_t Trial::number() const { return now_.number; }

SIGMA_IMPL double Trial::between(std::string_view name, double least, double greatest, SearchScale scale, bool whole,
                                 const std::string_view* texts) {
    const bool logarithmic = scale == SearchScale::logarithmic;
    if (!std::isfinite(least) || !std::isfinite(greatest) || least > greatest || (logarithmic && !(least > 0)))
        throw ArgumentError(sentence("bounds of '", name, "'"),
                            logarithmic ? "two positive numbers in ascending order" : "two numbers in ascending order",
                            sentence(least, " and ", greatest));
    const auto at = [&](double share, double end) {
        const double x = logarithmic ? least * std::pow(end / least, share) : std::lerp(least, end, share);
        return std::clamp(share < 1 ? x : end, least, end);
    };
    const std::lock_guard lock(search_.mutex);
    // These checks come before the grid is changed.
    if (detail::find_choice(now_, name) != nullptr)
        throw ArgumentError("trial", "a different name for each choice", sentence("'", name, "' twice"));
    if (storage::utf8_fault(name) != name.npos)
        throw ArgumentError("trial", "names in UTF-8", storage::quotation(name));
    SearchedTrial::Choice chosen{.name = std::string(name)};
    bool is_new = false;  // must be sent to other processes
    const SearchedTrial::Choice* there = repeats_ == nullptr ? nullptr : &repeats_->choices[now_.choices.size()];
    if (search_.is_grid) {
        const bool every = texts != nullptr || (whole && greatest - least < search_.options.points);
        const double steps = every ? greatest - least : search_.options.points - 1;
        std::vector<double> points{least};
        for (double i = 1; i <= steps; ++i) {
            const double x = every ? least + i : at(i / steps, greatest);
            if (const double rounded = whole ? std::round(x) : x; rounded > points.back()) points.push_back(rounded);
        }
        chosen.of = points.size();
        chosen.point = there != nullptr ? std::min(there->point, chosen.of - 1) : code_ % chosen.of;
        chosen.number = points[chosen.point];
        is_new = there == nullptr && node_->points.empty();
        if (there == nullptr) node_ = &node_->step(name, chosen.point, chosen.of), code_ /= chosen.of;
        search_.changed.notify_all();
    } else {
        const std::uint64_t stream = detail::mixed(detail::mixed(1, static_cast<std::uint64_t>(now_.number)), name);
        const double drawn = static_cast<double>(Philox(search_.options.seed, stream).block(0)[0]) / 4294967296.0;
        // Each integer, including the bounds, is equally likely.
        const double x = at(drawn, whole ? greatest + 1 : greatest);
        chosen.number = whole ? std::min(std::floor(x), greatest) : x;
    }
    chosen.text = texts != nullptr ? std::string(texts[static_cast<std::size_t>(chosen.number)])
                  : whole          ? sentence(static_cast<int>(chosen.number))
                                   : detail::four_digits(chosen.number);
    if (there != nullptr && chosen != *there) search_.differs(*this, sentence("'", name, "' ", chosen.text));
    if (there != nullptr && there == &repeats_->choices.back()) throw detail::ChoosesTheSame{};
    const double number = now_.choices.emplace_back(std::move(chosen)).number;
    if (is_new) search_.post_choices(now_.choices, 0, false);
    return number;
}
SIGMA_IMPL std::size_t Trial::choice(std::string_view name, std::initializer_list<std::string_view> of) {
    if (of.size() == 0) throw ArgumentError(sentence("choice '", name, "'"), "1 text or more", "0");
    for (const std::string_view text : of)
        if (storage::utf8_fault(text) != text.npos)
            throw ArgumentError(sentence("choice '", name, "'"), "texts in UTF-8", storage::quotation(text));
    const double last = static_cast<double>(of.size()) - 1;
    return static_cast<std::size_t>(between(name, 0, last, SearchScale::linear, true, of.begin()));
}
SIGMA_IMPL bool Trial::falls_behind(std::uint64_t after_steps, double reached) {
    const SearchOptions& o = search_.options;
    const bool halving = o.stop == SearchStop::halving;
    const auto factor = static_cast<std::uint64_t>(o.reduction_factor);
    if (halving) {  // finds the last rung up to this step
        auto rung = static_cast<std::uint64_t>(o.min_resource);
        if (after_steps < rung) return false;
        while (rung <= after_steps / factor) rung *= factor;
        after_steps = rung;
    }
    const std::lock_guard lock(search_.mutex);
    if (now_.ended_early || repeats_ != nullptr) return true;
    for (const auto& [steps, value] : now_.reached)
        if (steps == after_steps) return false;
    if (!std::isfinite(reached)) reached = HUGE_VAL;
    now_.reached.emplace_back(after_steps, reached);
    search_.hear();
    search_.post_reached(after_steps, reached);
    const auto [better, others] = search_.reach(after_steps, reached);
    return now_.ended_early = reached == HUGE_VAL || (halving ? better > 0 && better >= (others + 1) / factor
                                                              : others >= 4 && better > others / 2);
}

SIGMA_IMPL void Trial::keep(double trial_loss, const detail::AnyFunction<void(const std::string&)>& save) {
    if (search_.best_file.empty())
        throw ArgumentError("keep of a trial", "a file name in SearchOptions::best", "an empty text");
    const std::lock_guard lock(search_.keeping);
    if (repeats_ != nullptr || !(trial_loss < search_.best)) return;
    save(search_.best_file);
    search_.best = trial_loss;
}

SIGMA_IMPL SearchResult search(const SearchOptions& options, const detail::AnyFunction<double(Trial&)>& loss_of) {
    using Least = std::tuple<const char*, std::int64_t, std::int64_t>;
    for (const auto& [what, least, found] :
         {Least("trials", 1, options.trials), Least("points", 2, options.points), Least("threads", 1, options.threads),
          Least("reduction_factor", 2, options.reduction_factor), Least("min_resource", 1, options.min_resource)})
        if (found < least)
            throw ArgumentError(sentence("search with ", what), sentence(least, " or more"), sentence(found));
    detail::SearchState state{options, loss_of};
    const auto all = [&] {
        if (!options.file.empty()) state.resume();
        if (options.machines) state.wait_for_all();  // so that a late process does not read newer trials of others
        std::vector<std::thread> others;
        try {
            for (int i = 1; i < options.threads; ++i) others.emplace_back([&] { state.work(); });
        } catch (const std::system_error&) {}  // fewer threads suffice
        state.work();
        for (std::thread& t : others) t.join();
        if (state.thrown) std::rethrow_exception(state.thrown);
        state.hear_all();
        if (options.machines) state.gather();
    };
    options.machines ? detail::with_others(*options.machines->group, all) : all();
    SearchResult result;
    for (auto& [number, trial] : state.done) result.trials.push_back(std::move(trial));
    if (std::all_of(result.trials.begin(), result.trials.end(), [](const auto& t) { return !t.failed.empty(); }))
        throw ArgumentError("search", "a successful trial",
                            sentence(result.trials.size(), " failed, the first: ", result.trials[0].failed));
    return result;
}

}  // namespace sigma
