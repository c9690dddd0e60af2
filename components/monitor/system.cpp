// SPDX-License-Identifier: BSL-1.0
// Processor, memory and GPUs over a run, and the share of its time that a run waits for data.
#include "answer.hpp"
#include "board.hpp"
#include "panels.hpp"

#include <sigma/device/profiler.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace sigma::monitor {

namespace {

/// Returns the shares of an iteration that wait for data and that compute; nothing if the loop does not measure the
/// first, as with workers.
std::vector<Usage> shares_of(const ProfiledLoop& loop) {
    double data = 0, computing = 0;
    bool known = false;
    for (const ProfileRow& part : loop.rows) {
        if (part.kernel == "wait for data") data = part.share, known = true;
        if (part.kernel == "step" || part.kernel == "modifiers" || part.kernel == "wait for the device")
            computing += part.share;
    }
    if (!known) return {};
    return {{"system.waiting", "run: waits for data", "share", data},
            {"system.computing", "run: computes", "share", computing}};
}

}  // namespace

bool Board::shows(std::string_view kind, const Shown& trainer, bool first) const {
    return std::ranges::any_of(panels_, [&](const Panel& panel) {
        return panel.kind->word == kind && (panel.trainer == trainer.name || (first && panel.trainer.empty()));
    });
}

/// Measures how long runs wait for data: a window of three iterations or more, once a second.
void Board::measure_loops(const std::vector<std::shared_ptr<Shown>>& trainers) {
    constexpr std::uint64_t least = 2;  // the first iteration of a window is left out
    const bool runs =
        std::ranges::any_of(trainers, [](const auto& one) { return one->watched.remote.state() == RunState::running; });
    if (!system_.loops) {
        // Another profile is left alone.
        if (runs && sigma::detail::profile_now() == 0) system_.loops = std::make_unique<sigma::detail::MeasuredLoops>();
        return;
    }
    const auto loops = system_.loops->loops();
    bool all = true;
    for (const auto& trainer : trainers) {
        if (!trainer->watched.attach) continue;  // known by its registry only: it may have a loop of its own
        const auto own = std::ranges::find(loops, trainer->name, &ProfiledLoop::trainer);
        if (own != loops.end() && own->timed >= least) trainer->shares = shares_of(*own);
        else all = all && trainer->watched.remote.state() != RunState::running;
    }
    if (all || !runs) system_.loops.reset();
}

/// Reads the numbers of this machine once a second, while a panel shows them.
void Board::read_system(const std::vector<std::shared_ptr<Shown>>& trainers) {
    const auto now = std::chrono::steady_clock::now();
    std::vector<std::shared_ptr<Shown>> wanted;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& trainer : trainers)
            if (shows("system", *trainer, trainer == trainers.front())) wanted.push_back(trainer);
    }
    if (wanted.empty()) return system_.loops.reset();
    if (system_.loops) measure_loops(wanted);
    if (now < system_.due) return;
    if (!system_.loops) measure_loops(wanted);
    system_.due = now + options_.tensors;
    if (!system_.machine) system_.machine.emplace(Nvml::load());
    const std::vector<Usage> found = system_.machine->read();
    for (const auto& trainer : wanted) {
        const Remote& remote = trainer->watched.remote;
        const auto iteration = trainer->watched.registry.find<std::uint64_t>("iteration").value_or(0);
        const double runtime = remote.runtime();
        const std::scoped_lock lock(mutex_);
        trainer->usage = found;
        trainer->usage.insert(trainer->usage.begin(), trainer->shares.begin(), trainer->shares.end());
        for (const Usage& one : trainer->usage) {
            const Point point{static_cast<double>(iteration), one.value, runtime};
            trainer->unkept.insert(one.name);
            trainer->series[one.name].append(point);
            trainer->fresh[one.name].push_back(point);
        }
    }
}

Json Board::system(std::string_view trainer, std::uint64_t seen) const {
    constexpr std::size_t columns = 120;
    constexpr double all = std::numeric_limits<double>::max();
    const auto one = find(trainer);
    Json result{{"numbers", Json::array()}, {"profile", profile_.answer(one->name, seen)}};
    if (const std::string missing = Machine::missing(); !missing.empty()) result["missing"] = missing;
    const std::scoped_lock lock(mutex_);
    for (const Usage& usage : one->usage) {
        Json& told = result["numbers"].emplace_back(
            Json{{"series", usage.name}, {"label", usage.label}, {"unit", usage.unit}, {"last", usage.value}});
        for (const Bucket& bucket : one->series.at(usage.name).history(-all, all, columns))
            told["y"].push_back(number_or_null(bucket.mean()));
    }
    return result;
}

}  // namespace sigma::monitor
