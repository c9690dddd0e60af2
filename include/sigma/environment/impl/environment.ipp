// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/environment.hpp>

#include <iterator>

namespace sigma::detail {

SIGMA_IMPL std::string exception_text(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& e) { return e.what(); } catch (...) {
        return "an exception that is not a std::exception";
    }
}

SIGMA_IMPL Workspace::Workspace(std::filesystem::path path)
    : path_(std::move(path)), place_(std::filesystem::absolute(path_)) {}

SIGMA_IMPL void Workspace::create() const {
    for (const auto& folder : {cache(), datasets(), storage()}) std::filesystem::create_directories(folder);
}

SIGMA_IMPL sigma::storage::WorkspaceFolders Workspace::folders() const {
    return {(place_ / "cache").string(), (place_ / "datasets").string(), (place_ / "storage").string()};
}

SIGMA_IMPL Environment::Environment(std::string name_of_it, std::uint64_t seed_of_it)
    : log(name_of_it), name_(std::move(name_of_it)), seed_(seed_of_it) {
    registry_.add("name", name_).add("seed", seed_);
    const auto path = [this](const char* name, std::filesystem::path (Workspace::*folder)() const) {
        registry_.link<std::string>(name, [this, folder] { return (workspace().*folder)().string(); });
    };
    registry_.link<std::string>("workspace.path", [this] { return workspace().path().string(); });
    path("workspace.cache", &Workspace::cache);
    path("workspace.datasets", &Workspace::datasets);
    path("workspace.storage", &Workspace::storage);
}

SIGMA_IMPL Environment::~Environment() {
    const auto all = present();
    for (auto member = all.rbegin(); member != all.rend(); ++member) {
        member->remote.stop();
        ended(*member);
    }
    workspace_.leave();
    try {
        registry_.clear();
    } catch (...) {  // a watch threw; the registry was cleared before the watches were notified
    }
}

SIGMA_IMPL Workspace Environment::workspace() const {
    std::lock_guard lock(mutex_);
    return workspace_;
}

SIGMA_IMPL void Environment::workspace(std::filesystem::path path) {
    std::lock_guard lock(mutex_);
    workspace_.leave();
    workspace_ = Workspace(std::move(path));
    workspace_.use();
}

SIGMA_IMPL Registry Environment::registry() const {
    forget_closed();
    return registry_;
}

SIGMA_IMPL void Environment::remove(std::string_view trainer) {
    std::lock_guard changing(changing_);
    std::unique_lock lock(mutex_);
    const auto at = std::ranges::find(members_, trainer, name_of);
    if (at == members_.end() || at->remote.closed()) lock.unlock(), missing(trainer);
    if (at->remote.state() != RunState::idle)
        throw StateError(sentence("remove of trainer '", trainer, "'"), "an idle trainer",
                         sentence("a ", state_text(at->remote.state()), " one"));
    const detail::Member gone = std::move(*at);
    members_.erase(at);
    lock.unlock();  // before the trainer may be destroyed
    unlist(gone);
}

SIGMA_IMPL std::vector<std::string> Environment::names() const {
    std::vector<std::string> all;
    for (const auto& member : present()) all.push_back(member.remote.name());
    return all;
}

SIGMA_IMPL Remote Environment::find(std::string_view trainer) const {
    for (const auto& member : present())
        if (member.remote.name() == trainer) return member.remote;
    missing(trainer);
}

SIGMA_IMPL void Environment::start() {
    std::vector<detail::Member> started;
    for (auto& member : present()) {
        if (member.remote.state() != RunState::idle) continue;
        try {
            member.begin();
        } catch (...) {
            log.error("trainer '", member.remote.name(),
                      "' does not start: ", detail::exception_text(std::current_exception()));
            for (auto other = started.rbegin(); other != started.rend(); ++other) other->remote.stop();
            for (auto& other : started) ended(other);
            throw;
        }
        log.info("trainer '", member.remote.name(), "' started");
        started.push_back(member);
    }
}

SIGMA_IMPL void Environment::wait() const {
    const auto all = present();
    for (const auto& member : all)
        if (member.remote.on_training_thread()) member.remote.wait();  // throws, because it would wait for itself
    std::exception_ptr first;
    for (const auto& member : all) {
        const auto thrown = ended(member);
        if (!first) first = thrown;
    }
    if (first) std::rethrow_exception(first);
}

SIGMA_IMPL void Environment::run() {
    start();
    wait();
}

SIGMA_IMPL void Environment::stop() const {
    const auto all = present();
    for (auto member = all.rbegin(); member != all.rend(); ++member) member->remote.stop();
}

SIGMA_IMPL std::uint64_t Environment::seed_of_the_clock() {
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

SIGMA_IMPL void Environment::enter(detail::Member member, std::optional<Registry> its) {
    std::lock_guard changing(changing_);
    forget_closed();
    const std::string trainer = member.remote.name();
    if (its) check_listed(trainer);
    member.listed = its.has_value();
    {
        std::lock_guard lock(mutex_);
        if (std::ranges::find(members_, trainer, name_of) != members_.end())
            throw ArgumentError(sentence("environment '", name_, "'"), "trainers with different names",
                                sentence("two with the name '", trainer, "'"));
    }
    if (its) registry_.add(trainer, its->tag({"trainer"}));
    std::lock_guard lock(mutex_);
    members_.push_back(std::move(member));
}

SIGMA_IMPL void Environment::check_listed(const std::string& trainer) const {
    if (trainer.empty() || trainer.find_first_of(".*<>,") != trainer.npos)
        throw ArgumentError(sentence("environment '", name_, "'"),
                            "a trainer's name without '.', '*', '<', '>' and ','", sentence("'", trainer, "'"));
    for (const char* own : {"name", "seed", "workspace"})
        if (trainer == own)
            throw ArgumentError(sentence("environment '", name_, "'"),
                                "a trainer's name other than name, seed and workspace", sentence("'", trainer, "'"));
}

SIGMA_IMPL void Environment::unlist(const detail::Member& gone) const {
    if (gone.listed) registry_.remove(gone.remote.name());
}

SIGMA_IMPL void Environment::forget_closed() const {
    std::lock_guard changing(changing_);
    std::vector<detail::Member> gone;
    {
        std::lock_guard lock(mutex_);
        for (auto& member : members_)
            if (member.remote.closed()) gone.push_back(member);
        std::erase_if(members_, [](const auto& member) { return member.remote.closed(); });
    }
    for (const auto& member : gone) unlist(member);
}

SIGMA_IMPL std::vector<detail::Member> Environment::present() const {
    std::lock_guard lock(mutex_);
    std::vector<detail::Member> all;
    std::ranges::copy_if(members_, std::back_inserter(all), [](const auto& member) { return !member.remote.closed(); });
    return all;
}

SIGMA_IMPL void Environment::missing(std::string_view trainer) const {
    std::string known;
    for (const std::string& other : names()) known += sentence(known.empty() ? "'" : ", '", other, "'");
    throw ArgumentError(sentence("environment '", name_, "'"),
                        known.empty() ? "a trainer" : sentence("one of the trainers ", known),
                        sentence("'", trainer, "'"));
}

SIGMA_IMPL std::exception_ptr Environment::ended(const detail::Member& member) const {
    try {
        member.remote.wait();
        return nullptr;
    } catch (...) {
        const auto thrown = std::current_exception();
        {
            std::lock_guard lock(mutex_);
            if (std::exchange(*member.logged, thrown) == thrown) return thrown;
        }
        log.error("trainer '", member.remote.name(), "' failed: ", detail::exception_text(thrown));
        return thrown;
    }
}

SIGMA_IMPL std::vector<Acknowledgement> Environment::command(Acknowledgement (Remote::*give)() const) const {
    std::vector<Acknowledgement> given;
    for (const auto& member : present()) {
        try {
            given.push_back((member.remote.*give)());
        } catch (const StateError&) {  // the trainer is idle
        }
    }
    return given;
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL Environments::Pointer Environments::create(const std::string& name, std::optional<std::uint64_t> seed) {
    Table& all = table();
    std::lock_guard lock(all.mutex);
    if (all.exists(name))
        throw ArgumentError("create of an environment", "a new name", sentence("'", name, "', which exists"));
    return all.make(name, seed);
}

SIGMA_IMPL Environments::Pointer Environments::get_or_create(const std::string& name) {
    Table& all = table();
    std::lock_guard lock(all.mutex);
    if (Pointer old = all.get(name)) return old;
    return all.make(name, {});
}

SIGMA_IMPL Environments::Pointer Environments::find(const std::string& name) {
    Table& all = table();
    std::lock_guard lock(all.mutex);
    return all.get(name);
}

SIGMA_IMPL bool Environments::exists(const std::string& name) {
    Table& all = table();
    std::lock_guard lock(all.mutex);
    return all.exists(name);
}

SIGMA_IMPL bool Environments::remove(const std::string& name) {
    Table& all = table();
    std::lock_guard lock(all.mutex);
    const bool existed = all.exists(name);
    all.environments.erase(name);
    return existed;
}

SIGMA_IMPL void Environments::clear() {
    Table& all = table();
    std::lock_guard lock(all.mutex);
    all.environments.clear();
}

SIGMA_IMPL bool Environments::Table::exists(const std::string& name) const {
    const auto at = environments.find(name);
    return at != environments.end() && !at->second.expired();
}

SIGMA_IMPL Environments::Pointer Environments::Table::get(const std::string& name) const {
    const auto at = environments.find(name);
    return at == environments.end() ? nullptr : at->second.lock();
}

SIGMA_IMPL Environments::Pointer Environments::Table::make(const std::string& name, std::optional<std::uint64_t> seed) {
    std::erase_if(environments, [](const auto& entry) { return entry.second.expired(); });
    Pointer made =
        seed ? std::make_shared<detail::Environment>(name, *seed) : std::make_shared<detail::Environment>(name);
    environments[name] = made;
    return made;
}

SIGMA_IMPL Environments::Table& Environments::table() {
    static Table& all = *new Table;  // never destroyed, because threads may use it until the process ends
    return all;
}

}  // namespace sigma
