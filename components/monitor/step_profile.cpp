// SPDX-License-Identifier: BSL-1.0
#include "step_profile.hpp"
#include "answer.hpp"
#include "board.hpp"
#include "forks.hpp"

#include <sigma/device/profile.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace sigma::monitor {

namespace {

/// Returns the training step of a trainer, or null if several trainers ran: the profile adds up their steps.
const ProfiledProgram* step_of(const Profile& profile, const std::vector<GraphNode>& nodes) {
    const ProfiledProgram* found = nullptr;
    if (profile.loops.size() > 1) return nullptr;
    for (const ProfiledProgram& program : profile.programs) {
        const bool own = std::ranges::all_of(program.rows, [&](const ProfileRow& row) {
            return row.layer.empty() || nodes.empty() ||
                   std::ranges::find(nodes, row.layer, &GraphNode::name) != nodes.end();
        });
        const auto whole = [](const ProfiledProgram& p) { return p.seconds * static_cast<double>(p.runs); };
        if (program.name == "training step" && own && (found == nullptr || whole(program) > whole(*found)))
            found = &program;
    }
    return found;
}

/// Makes the JSON of a profile, with numbers of one iteration.
Json answer_of(const Profile& profile, const Shown& trainer) {
    const auto loop = std::ranges::find(profile.loops, trainer.name, &ProfiledLoop::trainer);
    if (loop == profile.loops.end()) return {{"failed", "No step ended while the profile was measured."}};
    Json result{{"iterations", loop->iterations}, {"seconds", loop->seconds}};
    for (const ProfileRow& part : loop->rows)
        result["parts"].push_back({{"name", part.kernel},
                                   {"seconds", part.seconds / static_cast<double>(loop->iterations)},
                                   {"share", part.share}});
    const ProfiledProgram* const step = step_of(profile, trainer.watched.nodes);
    if (step == nullptr) return result;
    result["device"] = step->device;
    result["threads"] = step->threads;
    result["records"] = step->records;
    const auto runs = static_cast<double>(step->runs);
    std::vector<ProfileRow> rows = step->rows;
    std::ranges::sort(rows, {}, [](const ProfileRow& row) {  // in the order of the network; -1 comes last
        return std::pair(static_cast<unsigned>(row.layer_number), row.number);
    });
    for (const ProfileRow& row : rows)
        if (row.seconds > 0)
            result["kernels"].push_back({{"number", row.number},
                                         {"layer", row.layer},
                                         {"part", row.part},
                                         {"operation", row.kernel},
                                         {"seconds", row.seconds / runs},
                                         {"share", row.share},
                                         {"bytes", row.bytes / runs},
                                         {"peak", number_or_null(row.share_of_peak)}});
    return result;
}

}  // namespace

StepProfile::~StepProfile() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
}

void StepProfile::begin(std::shared_ptr<Shown> trainer) {
    const std::scoped_lock lock(mutex_);
    if (measuring_) throw Error(sentence("profile of trainer '", trainer_, "': it is still being measured"));
    if (trainer->watched.remote.state() != RunState::running)
        throw Error(sentence("profile of trainer '", trainer->name, "': it is not running"));
    if (!trainer->watched.load) throw Error(sentence("profile of trainer '", trainer->name, "': ", untyped));
    if (thread_.joinable()) thread_.join();
    trainer_ = trainer->name;
    result_ = nullptr;
    done_ = 0;
    thread_ = std::thread([this, one = std::move(trainer)] {
        Json result;
        try {
            result = measure(*one);
        } catch (const std::exception& error) { result = {{"failed", error.what()}}; }
        const std::scoped_lock ended(mutex_);
        result["version"] = ++version_;
        result_ = std::move(result);
        measuring_ = false;
    });
    measuring_ = true;
}

Json StepProfile::measure(const Shown& trainer) {
    constexpr auto longest = std::chrono::minutes(1);
    const auto iteration = [&] { return trainer.watched.registry.find<std::uint64_t>("iteration").value_or(0); };
    std::uint64_t first = iteration();
    const auto began = std::chrono::steady_clock::now();
    const Profile profile = sigma::detail::profile_of([&] {
        while (!stopping_ && trainer.watched.remote.state() == RunState::running) {
            const std::uint64_t now = iteration();
            first = std::min(first, now);  // the run was rewound
            // The iteration in progress is not counted: the profile has whole iterations only.
            done_ = now > first ? now - first - 1 : 0;
            if (done_ >= steps || (done_ > 0 && std::chrono::steady_clock::now() - began > longest)) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    return answer_of(profile, trainer);
}

Json StepProfile::answer(std::string_view trainer, std::uint64_t seen) const {
    const std::scoped_lock lock(mutex_);
    if (trainer_ != trainer) return nullptr;
    if (measuring_) return {{"measuring", std::min(done_.load(), steps)}};
    if (result_["version"] == seen) return {{"version", seen}};
    return result_;
}

}  // namespace sigma::monitor
