// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/network/fingerprint.hpp>
#include <sigma/tape/refusal.hpp>
#include <sigma/trainer/search.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace sigma {

namespace detail {

/// "0.00312", "12.5"
SIGMA_IMPL std::string four_digits(double x) {
    std::string text;
    append_formatted(text, x, {.letter = 'g', .digits = 4});
    return text;
}
SIGMA_IMPL std::string searched_loss(const SearchedTrial& t) {
    if (!t.refused.empty()) return "refused";
    return four_digits(t.loss) + (t.ended_early ? " (early)" : "");
}
/// The least first; what has no loss last.
SIGMA_IMPL bool is_before(const SearchedTrial& a, const SearchedTrial& b) {
    if (std::isnan(a.loss) || std::isnan(b.loss)) return !std::isnan(a.loss) && std::isnan(b.loss);
    return a.loss < b.loss;
}

}  // namespace detail

SIGMA_IMPL const SearchedTrial::Choice& SearchedTrial::choice(std::string_view name) const {
    for (const Choice& c : choices)
        if (c.name == name) return c;
    throw ArgumentError("trial", "a name under which something was chosen", sentence("'", name.substr(0, 60), "'"));
}

SIGMA_IMPL const SearchedTrial& SearchResult::best() const {
    const auto found = std::min_element(trials.begin(), trials.end(), detail::is_before);
    if (found == trials.end() || std::isnan(found->loss)) throw ArgumentError("search", "a trial with a loss", "none");
    return *found;
}

SIGMA_IMPL std::string SearchResult::table() const {
    std::vector<const SearchedTrial*> order;
    std::vector<std::string> names;
    for (const SearchedTrial& t : trials) {
        order.push_back(&t);
        for (const auto& c : t.choices)
            if (std::find(names.begin(), names.end(), c.name) == names.end()) names.push_back(c.name);
    }
    std::sort(order.begin(), order.end(), [](const SearchedTrial* a, const SearchedTrial* b) {
        return detail::is_before(*a, *b) || (!detail::is_before(*b, *a) && a->number < b->number);
    });
    std::vector<std::vector<std::string>> rows{{"trial", "loss", "seconds"}};
    rows[0].insert(rows[0].end(), names.begin(), names.end());
    for (const SearchedTrial* t : order) {
        std::vector<std::string> row{sentence(t->number), detail::searched_loss(*t), detail::fixed_text(t->seconds, 2)};
        for (const std::string& name : names) {
            std::string text;
            for (const auto& c : t->choices)
                if (c.name == name) text = c.text;
            row.push_back(text);
        }
        rows.push_back(std::move(row));
    }
    std::vector<std::size_t> widths(rows[0].size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            text += sentence(i == 0 ? "" : "  ", std::string(widths[i] - rows[r][i].size(), ' '), rows[r][i]);
        if (r > 0 && !order[r - 1]->refused.empty()) text += "  " + order[r - 1]->refused;
        text += "\n";
    }
    return text;
}

SIGMA_IMPL double Trial::draw(std::string_view name) const {
    const std::uint64_t stream = detail::mixed(static_cast<std::uint64_t>(now_.number), name);
    return static_cast<double>(Philox(seed_, stream).block(0)[0]) / 4294967296.0;
}
SIGMA_IMPL void Trial::note(std::string_view name, double number, std::string text) {
    for (const auto& c : now_.choices)
        if (c.name == name)
            throw ArgumentError("trial", "another name for each choice", sentence("'", name, "' twice"));
    now_.choices.push_back({std::string(name), number, std::move(text)});
}
SIGMA_IMPL double Trial::real(std::string_view name, double least, double greatest, SearchScale scale) {
    const bool logarithmic = scale == SearchScale::logarithmic;
    if (!std::isfinite(least) || !std::isfinite(greatest) || least > greatest || (logarithmic && !(least > 0)))
        throw ArgumentError(sentence("bounds of '", name, "'"),
                            logarithmic ? "two positive numbers, the least first" : "two numbers, the least first",
                            sentence(least, " and ", greatest));
    const double at = draw(name);
    const double x = logarithmic ? least * std::pow(greatest / least, at) : least + (greatest - least) * at;
    note(name, std::clamp(x, least, greatest), detail::four_digits(x));
    return now_.choices.back().number;
}
SIGMA_IMPL int Trial::whole(std::string_view name, int least, int greatest, SearchScale scale) {
    const bool logarithmic = scale == SearchScale::logarithmic;
    if (least > greatest || (logarithmic && least < 1))
        throw ArgumentError(sentence("bounds of '", name, "'"),
                            logarithmic ? "two positive numbers, the least first" : "two numbers, the least first",
                            sentence(least, " and ", greatest));
    // Each number has the same room, also at the ends.
    const double at = draw(name), low = least, high = static_cast<double>(greatest) + 1;
    const double x = logarithmic ? low * std::pow(high / low, at) : low + (high - low) * at;
    const int n = static_cast<int>(std::clamp(std::floor(x), low, static_cast<double>(greatest)));
    note(name, n, sentence(n));
    return n;
}
SIGMA_IMPL std::size_t Trial::choice(std::string_view name, std::initializer_list<std::string_view> of) {
    if (of.size() == 0) throw ArgumentError(sentence("choice '", name, "'"), "one text or more", "none");
    const auto i = static_cast<std::size_t>(draw(name) * static_cast<double>(of.size()));
    note(name, static_cast<double>(i), std::string(of.begin()[i]));
    return i;
}
SIGMA_IMPL bool Trial::falls_behind(std::uint64_t after_steps, double reached) {
    std::vector<double> others;
    for (const Seen& s : seen_)
        if (s.after == after_steps && s.trial != now_.number) others.push_back(s.loss);
    seen_.push_back({now_.number, after_steps, reached});
    constexpr std::size_t enough = 4;
    if (others.size() < enough) return false;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    const bool behind = !(reached <= *middle);
    now_.ended_early = now_.ended_early || behind;
    return behind;
}

SIGMA_IMPL SearchResult search(const SearchOptions& options, const detail::AnyFunction<double(Trial&)>& loss_of) {
    if (options.trials < 1) throw ArgumentError("search with trials", "1 or more", sentence(options.trials));
    SearchResult result;
    std::vector<Trial::Seen> seen;
    for (std::int64_t i = 1; i <= options.trials; ++i) {
        Trial trial(options.seed, i, seen);
        const auto began = std::chrono::steady_clock::now();
        try {
            trial.now_.loss = loss_of(trial);
        } catch (const MistakeError& mistake) {
            trial.now_.refused = mistake.what();
            trial.now_.loss = std::nan("");
        }
        trial.now_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        result.trials.push_back(std::move(trial.now_));
        if (options.quiet) continue;
        const SearchedTrial& t = result.trials.back();
        std::string line = sentence("trial ", i, "/", options.trials, "   loss ", detail::searched_loss(t));
        for (const auto& c : t.choices) line += sentence("   ", c.name, " ", c.text);
        std::puts(line.c_str());
    }
    return result;
}

}  // namespace sigma
