// SPDX-License-Identifier: BSL-1.0
#include <sigma/environment/environment.hpp>
#include <sigma/monitor/monitor.hpp>
#include <sigma/monitor/watched.hpp>

#include "parts.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace sigma::monitor {

namespace {

/// Returns a function that lists the current trainers of an environment, which must outlive it.
std::function<std::vector<Watched>()> members_of(sigma::detail::Environment& environment) {
    return [&environment] {
        std::vector<Watched> members;
        Registry all = environment.registry();
        for (const std::string& name : environment.names()) try {
                const Remote remote = environment.find(name);
                const auto places = all.resolve_registries(name);
                members.push_back(
                    {.name = name, .remote = remote, .registry = places.empty() ? Registry() : all.child(name)});
            } catch (const Error&) {  // left the environment meanwhile
            }
        return members;
    };
}

}  // namespace

void Monitor::Parts::follow(const sigma::detail::Log& messages) {
    sigma::detail::Log followed = messages;
    auto sink = followed.to(follower(), LogLevel::debug);
    const std::scoped_lock lock(mutex_);
    logs_.emplace_back(std::move(followed), std::move(sink));
}

void Monitor::Parts::follow_none() {
    const std::scoped_lock lock(mutex_);
    for (auto& [from, sink] : logs_) from.remove(sink);
    logs_.clear();
}

Monitor::Monitor(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Monitor::~Monitor() = default;

void Monitor::enter(sigma::detail::Environment& environment) {
    if (!parts_->wanted()) return;
    parts_->board.environment(environment.name(), environment.seed(), members_of(environment));
    follow(environment.log);
}
void Monitor::enter(Watched trainer) {
    if (parts_->wanted()) parts_->board.enter(std::move(trainer));
}
void Monitor::show(Panel panel) { parts_->show(std::move(panel)); }
void Monitor::on_start(std::string trainer, std::function<void()> begin) {
    parts_->on_start(std::move(trainer), std::move(begin));
}
void Monitor::follow(const sigma::detail::Log& messages) { parts_->follow(messages); }
void Monitor::fork(const std::string& trainer, const std::string& run, std::uint64_t iteration) {
    parts_->board.fork(trainer, run, iteration).wait();
    parts_->board.turn();  // begins the new record
}
std::string Monitor::run_folder() const { return parts_->board.run_folder(); }

}  // namespace sigma::monitor
