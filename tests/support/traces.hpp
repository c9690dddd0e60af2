// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/toggle.hpp>
#include <sigma/hook/words.hpp>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The tables of traces in docs/hooks.md, and what criteria really find.
namespace sigma::test {

/// What a criterion may see of a trainer: everything is set by hand.
struct World {
    std::map<std::string, double> values;
    std::map<std::string, std::uint64_t> versions;
    MomentCounts counts;
    Moment moment = Moment::iteration;
    double runtime = 0;
    Toggle toggle;
};

class WorldContext {
public:
    WorldContext(World& world, bool timed) : world_(&world), timed_(timed) {}
    Moment moment() const { return world_->moment; }
    const MomentCounts& counts() const { return world_->counts; }
    double runtime() const { return world_->runtime; }
    bool timed() const { return timed_; }
    WorldContext as_timed() const { return {*world_, true}; }
    double get(const auto& v) const {
        const auto found = world_->values.find(v.text());
        return found == world_->values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    }
    std::uint64_t version(const auto& v) const { return world_->versions[v.text()]; }

private:
    World* world_;
    bool timed_;
};

inline std::vector<std::string> words_of(const std::string& text, char separator = ' ') {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);)
        if (!word.empty()) words.push_back(word);
    return words;
}

/// One criterion with a world of its own.
template <AnyCriterion C>
class Trace {
public:
    explicit Trace(C criterion, const Toggle& toggle) : fresh_(criterion), criterion_(criterion) {
        world_.toggle = toggle;
        toggle.set(false);
        criterion_.restart(world_.counts);
    }
    /// What it finds at each look. Before look number `cut`, its state goes through an archive into a fresh copy.
    std::string run(const std::string& looks, int cut = -1) {
        std::string found;
        int number = 0;
        for (const std::string& look : words_of(looks)) {
            if (number++ == cut) renew();
            happen(look);
            WorldContext context(world_, C::timed);
            const Truth t = criterion_.check(context);
            const std::string sign = t.event ? (t.level ? "!" : "?") : t.level ? "+" : ".";
            found += (found.empty() ? "" : " ") + (t.fresh ? sign : "(" + sign + ")");
        }
        return found;
    }

private:
    C fresh_, criterion_;
    World world_;

    void renew() {
        Archive out;
        criterion_.archive(out);
        criterion_ = fresh_;
        criterion_.restart(world_.counts);
        Archive in(out.words(), out.blobs());
        criterion_.archive(in);
        if (!in.finished()) throw std::runtime_error("the archive holds more than is read");
    }
    void count(Moment m) {
        world_.moment = m;
        if (m == Moment::reset) {
            const std::uint64_t resets = world_.counts[m];
            world_.counts = {};
            world_.counts[m] = resets;
            for (auto& [name, version] : world_.versions) version = 0;
            criterion_.restart(world_.counts);
        }
        ++world_.counts[m];
        for (const Moment scale : {Moment::iteration, Moment::epoch})
            world_.values[std::string(text(scale))] = static_cast<double>(world_.counts[scale]);
    }
    template <class V>
    void set(const V& v, const std::string& number) {
        if (number != "-") {
            world_.values[v.text()] = number == "nan" ? std::numeric_limits<double>::quiet_NaN() : std::stod(number);
            ++world_.versions[v.text()];
        }
        world_.moment = V::moment;
    }
    void happen(const std::string& look) {
        for (int m = 0; m < moment_count; ++m)
            if (look == text(static_cast<Moment>(m)) || (m < 2 && look == text(static_cast<Moment>(m)).substr(0, 1)))
                return count(static_cast<Moment>(m));
        if (look == "on" || look == "off" || look == "pulse" || look == "pulses") {
            if (look == "on" || look == "off") world_.toggle.set(look == "on");
            else for (int i = 0; i < (look == "pulse" ? 1 : 2); ++i) world_.toggle.pulse();
            return count(Moment::iteration);
        }
        if (look.size() > 1 && look.back() == 's') {
            world_.runtime = std::stod(look);
            return count(Moment::iteration);
        }
        for (const std::string& part : words_of(look, ',')) {
            const auto sign = part.find('=');
            bool found = false;
            criterion_.visit_values([&](const auto& v) {
                if (sign != std::string::npos && v.text() != part.substr(0, sign)) return;
                set(v, sign == std::string::npos ? part : part.substr(sign + 1));
                found = true;
            });
            if (!found) throw std::runtime_error("what is '" + look + "'?");
        }
        count(world_.moment);
    }
};

/// A row of a table: `criterion` | `looks` | `found`.
struct TraceRow {
    std::string criterion, looks, found;
};

inline std::vector<TraceRow> rows_of(const std::string& page) {
    std::ifstream file(page);
    if (!file) throw std::runtime_error("no file " + page);
    std::vector<TraceRow> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("| `", 0) != 0) continue;
        std::vector<std::string> cells;
        for (std::size_t at = 0; (at = line.find('`', at)) != std::string::npos;) {
            const std::size_t end = line.find('`', at + 1);
            std::string cell = line.substr(at + 1, end - at - 1);
            for (std::size_t bar; (bar = cell.find("\\|")) != std::string::npos;) cell.erase(bar, 1);
            cells.push_back(cell);
            at = end + 1;
        }
        if (cells.size() == 3) rows.push_back({cells[0], cells[1], cells[2]});
    }
    return rows;
}

}  // namespace sigma::test
