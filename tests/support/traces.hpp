// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/words.hpp>
#include <support/bare_view.hpp>

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The tables of traces in docs/hooks-criteria.md, and what criteria really find.
namespace sigma::test {

/// What a criterion may see of a trainer: everything is set by hand.
class World : public BareView {
public:
    std::map<std::string, double> values;
    MomentCounts counted;
    Moment moment = Moment::iteration;
    double seconds = 0;
    Toggle toggle;
    detail::Slots computed{records, 2, {}};

    const MomentCounts& counts() const override { return counted; }
    double runtime() const override { return seconds; }
    double loss() const override { return of("loss"); }
    double training_loss() const override { return of("error"); }

private:
    static constexpr const detail::ValueRecord* records[] = {&detail::value_record<Computed<"accuracy">>,
                                                             &detail::value_record<Computed<"validation_error">>};
    double of(const char* name) const {
        const auto found = values.find(name);
        return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    }
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
    explicit Trace(const C& criterion, const Toggle& toggle) : fresh_(criterion.node), criterion_(fresh_->clone()) {
        world_.toggle = toggle;
        toggle.set(false);
        criterion_->restart(world_.counted);
    }
    /// What it finds at each look. Before look number `cut`, its state goes through an archive into a fresh copy.
    std::string run(const std::string& looks, int cut = -1) {
        std::string found;
        int number = 0;
        for (const std::string& look : words_of(looks)) {
            if (number++ == cut) renew();
            happen(look);
            HookContext context(world_, world_.computed, world_.moment);
            if (C::timed) context = context.as_timed();
            const sigma::detail::Truth t = criterion_->examine(context);
            const std::string sign = t.event ? (t.level ? "!" : "?") : t.level ? "+" : ".";
            found += (found.empty() ? "" : " ") + (t.fresh ? sign : "(" + sign + ")");
        }
        return found;
    }

private:
    detail::CriterionHandle fresh_;
    sigma::detail::Owned<detail::CriterionNode> criterion_;
    World world_;

    void renew() {
        Archive out;
        criterion_->archive(out);
        criterion_ = fresh_->clone();
        criterion_->restart(world_.counted);
        Archive in(out.words(), out.blobs());
        criterion_->archive(in);
        if (!in.finished()) throw std::runtime_error("the archive holds more than is read");
    }
    void count(Moment m) {
        world_.moment = m;
        if (m == Moment::reset) {
            const std::uint64_t resets = world_.counted[m];
            world_.counted = {};
            world_.counted[m] = resets;
            for (int i = 0; i < world_.computed.size(); ++i) world_.computed[i].restart();
            criterion_->restart(world_.counted);
        }
        ++world_.counted[m];
    }
    void set(const detail::ValueHandle& v, const std::string& number) {
        if (number != "-") {
            const double x = number == "nan" ? std::numeric_limits<double>::quiet_NaN() : std::stod(number);
            if (v.record().kind == detail::ValueRecord::Kind::computed) world_.computed.of(v.record()).publish(x);
            else world_.values[v.text()] = x;
        }
        world_.moment = v.record().moment;
    }
    void happen(const std::string& look) {
        for (int m = 0; m < sigma::detail::moment_count; ++m)
            if (look == sigma::detail::text(static_cast<Moment>(m)) ||
                (m < 2 && look == sigma::detail::text(static_cast<Moment>(m)).substr(0, 1)))
                return count(static_cast<Moment>(m));
        if (look == "on" || look == "off" || look == "pulse" || look == "pulses") {
            if (look == "on" || look == "off") world_.toggle.set(look == "on");
            else
                for (int i = 0; i < (look == "pulse" ? 1 : 2); ++i) world_.toggle.pulse();
            return count(Moment::iteration);
        }
        if (look.size() > 1 && look.back() == 's') {
            world_.seconds = std::stod(look);
            return count(Moment::iteration);
        }
        for (const std::string& part : words_of(look, ',')) {
            const auto sign = part.find('=');
            bool found = false;
            criterion_->visit_values([&](detail::ValueHandle& v) {
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
