// SPDX-License-Identifier: BSL-1.0
#include <sigma/benchmark.hpp>
#include <sigma/benchmark/allocation_counter.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clock.hpp"

namespace sigma {

namespace {

using detail::Time;

constexpr double short_time = 50e-6;  // calls that take less are repeated
constexpr int least_rounds = 5, most_rounds = 100'000;

/// Returns the number at this share of the sorted list, interpolated between its neighbours.
double quantile(std::vector<double> x, double share) {
    std::ranges::sort(x);
    const double place = share * static_cast<double>(x.size() - 1);
    const auto at = static_cast<std::size_t>(place);
    if (at + 1 >= x.size()) return x.back();
    const double above = place - static_cast<double>(at);
    return (1 - above) * x[at] + above * x[at + 1];
}
double median(const std::vector<double>& x) { return quantile(x, 0.5); }

/// One contender in the rounds.
struct Measured {
    const Contender& of;
    long calls = 1;  ///< calls of `work` in a round
    std::vector<double> processor{}, wall{};
    double allocations = 0;  ///< number in one step of the last round

    double steps() const { return static_cast<double>(calls) * of.steps; }
    Time time() {
        if (of.before) of.before();
        const long allocated = detail::counted_allocations.load();
        const Time start = Time::now();
        for (long i = 0; i < calls; ++i) {
            of.work();
            keep_result(nullptr);
        }
        const Time taken = Time::now() - start;
        allocations = static_cast<double>(detail::counted_allocations.load() - allocated) / steps();
        if (of.after) of.after();
        return taken;
    }
    /// Chooses the number of calls in a round: one, or as many as take 50 microseconds. Returns the time of a round.
    double prepare() {
        time();  // may allocate
        const bool repeats = !of.before && !of.after;
        for (double start = Time::now().wall;; start = Time::now().wall) {
            const double taken = time().wall, all = Time::now().wall - start;
            if (!repeats || taken >= short_time) return all;
            calls = taken > short_time / 8
                        ? static_cast<long>(std::ceil(static_cast<double>(calls) * 1.25 * short_time / taken))
                        : 2 * calls;
        }
    }
};

/// Returns a number for people: "5.62", "110.4", "1234".
std::string short_text(double x) {
    std::string text;
    if (x == std::floor(x) && std::abs(x) < 1e9) detail::append_exact(text, static_cast<long long>(x));
    else detail::append_number(text, x, std::abs(x) < 10 ? 2 : 1);
    return text;
}
std::string exact_text(double x) {
    std::string text;
    detail::append_exact(text, x);
    return text;
}
/// Returns a time with a unit: "12.3 µs".
std::string time_text(double seconds) {
    const std::pair<double, const char*> units[] = {{1e-6, " ns"}, {1e-3, " µs"}, {1, " ms"}, {1e300, " s"}};
    double scale = 1e9;
    for (const auto& [end, unit] : units) {
        std::string text;
        detail::append_formatted(text, seconds * scale, {.letter = 'g', .digits = 3});
        if (std::abs(seconds) * 1.0005 < end) return text + unit;  // 999.7 µs is 1 ms
        scale *= 1e-3;
    }
    return "-";
}

}  // namespace

Comparison::Comparison(std::string title, ComparisonOptions options) : title_(std::move(title)), options_(options) {
    if (!(options.seconds > 0 && options.seconds < 1e9))
        throw ArgumentError("Comparison", "a number of seconds above 0", sentence(options.seconds));
    if (options.rounds < 0 || options.rounds > most_rounds)
        throw ArgumentError("Comparison", sentence("0 to ", most_rounds, " rounds"), sentence(options.rounds));
}

Comparison& Comparison::add(std::string name, std::function<void()> work, Amount amount) {
    return add({.name = std::move(name), .work = std::move(work), .amount = amount});
}

Comparison& Comparison::add(Contender contender) {
    if (contender.name.empty() || contender.name.find_first_of("\r\n") != std::string::npos)
        throw ArgumentError("Comparison::add", "a name of one line", sentence("'", contender.name, "'"));
    if (std::ranges::any_of(contenders_, [&](const Contender& c) { return c.name == contender.name; }))
        throw ArgumentError("Comparison::add", "unique names", sentence("'", contender.name, "' twice"));
    if (!contender.work)
        throw ArgumentError("Comparison::add", "a function", sentence("an empty one for '", contender.name, "'"));
    if (contender.steps < 1)
        throw ArgumentError("Comparison::add", "at least 1 step",
                            sentence(contender.steps, " steps of '", contender.name, "'"));
    contenders_.push_back(std::move(contender));
    return *this;
}

ComparisonReport Comparison::run() {
    if (contenders_.empty()) throw ArgumentError(sentence("comparison '", title_, "'"), "a contender", "none");
    std::vector<Measured> all;
    for (const Contender& c : contenders_) all.push_back({c});
    double round_takes = 0;
    for (Measured& m : all) round_takes += m.prepare();
    const double fitting = std::ceil(options_.seconds * static_cast<double>(all.size()) / round_takes);
    const int rounds = options_.rounds > 0
                           ? options_.rounds
                           : static_cast<int>(std::clamp(fitting, double{least_rounds}, double{most_rounds}));
    for (Measured& m : all) {
        m.processor.reserve(static_cast<std::size_t>(rounds));
        m.wall.reserve(static_cast<std::size_t>(rounds));
    }
    PhiloxSequence random{Philox(1)};
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.bits() % i]);
        for (const std::size_t i : order) {
            Measured& m = all[i];
            const Time taken = m.time();
            m.processor.push_back(taken.processor / m.steps());
            m.wall.push_back(taken.wall / m.steps());
        }
    }
    const bool counts = detail::counted_allocations.load() > 0;
    ComparisonReport report{title_, options_.wall, {}};
    const auto compared = [&](const Measured& m) -> const std::vector<double>& {
        return options_.wall ? m.wall : m.processor;
    };
    for (const Measured& m : all) {
        const std::vector<double>&first = compared(all[0]), &own = compared(m);
        std::vector<double> ratios, more;
        for (std::size_t i = 0; i < own.size(); ++i) {
            ratios.push_back(first[i] / own[i]);
            more.push_back(own[i] - first[i]);
        }
        report.timings.push_back({m.of.name, m.of.amount, median(own), *std::ranges::min_element(own),
                                  median(m.processor), median(m.wall), median(ratios), quantile(ratios, 0.25),
                                  quantile(ratios, 0.75), median(more),
                                  counts ? m.allocations : std::numeric_limits<double>::quiet_NaN(), rounds});
    }
    return report;
}

std::string ComparisonReport::table() const {
    const auto any = [&](auto has) { return std::ranges::any_of(timings, has); };
    const bool operations = any([](const Timing& t) { return t.amount.operations > 0; }),
               bytes = any([](const Timing& t) { return t.amount.bytes > 0; }),
               allocations = any([](const Timing& t) { return !std::isnan(t.allocations); });
    std::string text =
        sentence(title, wall ? " (time on the clock, " : " (processor time, ", timings.empty() ? 0 : timings[0].rounds,
                 " rounds)\n\n| | median | least | × |", operations ? " GFLOP/s |" : "", bytes ? " GB/s |" : "",
                 allocations ? " heap |" : "", "\n|---|---:|---:|---:|", operations ? "---:|" : "",
                 bytes ? "---:|" : "", allocations ? "---:|" : "", "\n");
    for (const Timing& t : timings) {
        std::string name = t.name;
        for (std::size_t i = 0; (i = name.find('|', i)) != std::string::npos; i += 2) name.insert(i, 1, '\\');
        text += sentence("| ", name, " | ", time_text(t.median), " | ", time_text(t.least), " | ", short_text(t.ratio),
                         " |");
        const auto rate = [&](double amount) {
            return amount > 0 ? sentence(" ", short_text(1e-9 * amount / t.median), " |") : " |";
        };
        if (operations) text += rate(t.amount.operations);
        if (bytes) text += rate(t.amount.bytes);
        if (allocations) text += sentence(" ", short_text(t.allocations), " |");
        text += '\n';
    }
    return text;
}

std::string ComparisonReport::csv() const {
    std::string text =
        "contender,clock,median,least,processor,wall,ratio,lower_quartile,upper_quartile,more,allocations,operations,"
        "bytes,rounds\n";
    for (const Timing& t : timings) {
        std::string name = t.name;
        if (name.find_first_of("\",\n") != std::string::npos) {
            for (std::size_t i = 0; (i = name.find('"', i)) != std::string::npos; i += 2) name.insert(i, 1, '"');
            name.insert(0, 1, '"').append(1, '"');
        }
        text.append(name).append(wall ? ",wall" : ",processor");
        for (const double x : {t.median, t.least, t.processor, t.wall, t.ratio, t.lower_quartile, t.upper_quartile,
                               t.more, t.allocations, t.amount.operations, t.amount.bytes})
            text += sentence(",", std::isnan(x) ? "" : exact_text(x));
        text += sentence(",", t.rounds, "\n");
    }
    return text;
}

const Timing& ComparisonReport::operator[](std::string_view name) const& {
    std::string names;
    for (const Timing& t : timings) {
        if (t.name == name) return t;
        names.append(names.empty() ? "" : ", ").append(t.name);
    }
    throw ArgumentError(sentence("report of '", title, "'"), sentence("one of ", names), sentence("'", name, "'"));
}

}  // namespace sigma
