// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/log.hpp>
#include <sigma/environment/runnable.hpp>
#include <sigma/environment/workspace.hpp>

#include <iterator>

namespace sigma {

/// Several trainers at once, with one log, one workspace and one place to look them up:
///
///     Sigma sigma("lab");
///     sigma.log.to_terminal();
///     sigma.add(digits, cpu(2), 20);     // digits.start(cpu(2), 20) when the environment starts
///     sigma.add(letters, cpu(), 10);
///     sigma.run();
///
/// A trainer that was added by reference leaves when it is destroyed, so either may end first. Any thread may call
/// anything; `wait` and `run` not on a thread that trains.
class Environment {
public:
    /// Messages of the environment itself have its name.
    Log log;

    explicit Environment(std::string name_of_it) : Environment(std::move(name_of_it), seed_of_the_clock()) {}
    Environment(std::string name_of_it, std::uint64_t seed_of_it)
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
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    /// Stops the trainers one after the other, the last added first; what ended them goes to the log.
    ~Environment() {
        const auto all = present();
        for (auto member = all.rbegin(); member != all.rend(); ++member) {
            member->remote.stop();
            ended(*member);
        }
        workspace_.leave();
        try {
            registry_.clear();
        } catch (...) {  // by who watches; it is empty before they are told
        }
    }

    const std::string& name() const { return name_; }
    /// For all that is random: given, or from the clock; to be written down so that a run can be repeated.
    std::uint64_t seed() const { return seed_; }
    Workspace workspace() const {
        std::lock_guard lock(mutex_);
        return workspace_;
    }
    /// Sets it, and the program uses it while this environment lives, or until another is set: a program has one workspace as it
    /// has one working directory.
    void workspace(std::filesystem::path path) {
        std::lock_guard lock(mutex_);
        workspace_.leave();
        workspace_ = Workspace(std::move(path));
        workspace_.use();
    }

    /// Everything by name: what each trainer has under the trainer's own name, and tagged "trainer"
    /// (`<trainer>.accuracy`, `digits.optimizer.*`); name, seed and workspace of the environment. A handle, which is empty
    /// when the environment is gone.
    Registry registry() const {
        forget_closed();
        return registry_;
    }

    /// A trainer that stays the caller's, to be started with these arguments. Throws ArgumentError when there is one of
    /// its name, or when it has a registry and its name is no part of a name there, or that of another value.
    template <class T, class... Arguments>
        requires Runnable<T, Arguments...>
    void add(T& trainer, Arguments... arguments) {
        enter({trainer.control(), [&trainer, arguments...] { trainer.start(arguments...); }}, detail::registry_of(trainer));
    }
    /// One that lives as long as the environment does, at least.
    template <class T, class... Arguments>
        requires Runnable<T, Arguments...>
    void add(std::shared_ptr<T> trainer, Arguments... arguments) {
        enter({trainer->control(), [t = trainer.get(), arguments...] { t->start(arguments...); }, trainer},
              detail::registry_of(*trainer));
    }
    /// Throws StateError while it runs, ArgumentError when there is none of that name.
    void remove(std::string_view trainer) {
        std::lock_guard changing(changing_);
        std::unique_lock lock(mutex_);
        const auto at = std::ranges::find(members_, trainer, name_of);
        if (at == members_.end() || at->remote.closed()) lock.unlock(), missing(trainer);
        if (at->remote.state() != RunState::idle)
            throw StateError(sentence("remove of trainer '", trainer, "'"), "an idle trainer",
                             sentence("a ", state_text(at->remote.state()), " one"));
        const detail::Member gone = std::move(*at);
        members_.erase(at);
        lock.unlock();  // before its trainer may be destroyed
        unlist(gone);
    }
    /// Names in the order of adding.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& member : present()) all.push_back(member.remote.name());
        return all;
    }
    bool contains(std::string_view trainer) const { return std::ranges::count(names(), trainer) != 0; }
    /// Commands to a trainer. Throws ArgumentError when there is none of that name.
    Remote find(std::string_view trainer) const {
        for (const auto& member : present())
            if (member.remote.name() == trainer) return member.remote;
        missing(trainer);
    }

    /// Starts the trainers that are idle, in the order of adding. When one cannot start, those that could are stopped
    /// and what it threw is thrown.
    void start() {
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
    /// Waits until all have ended. What ended them goes to the log, and the first of it, by order of adding, is thrown.
    void wait() const {
        const auto all = present();
        for (const auto& member : all)
            if (member.remote.on_training_thread()) member.remote.wait();  // throws
        std::exception_ptr first;
        for (const auto& member : all) {
            const auto thrown = ended(member);
            if (!first) first = thrown;
        }
        if (first) std::rethrow_exception(first);
    }
    void run() {
        start();
        wait();
    }
    /// Commands to all that run. `stop` does it in the reverse order of adding; `wait` says when they have ended.
    void stop() const {
        const auto all = present();
        for (auto member = all.rbegin(); member != all.rend(); ++member) member->remote.stop();
    }
    std::vector<Acknowledgement> pause() const { return command(&Remote::pause); }
    std::vector<Acknowledgement> resume() const { return command(&Remote::resume); }

private:
    static std::uint64_t seed_of_the_clock() {
        return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    }
    static std::string_view name_of(const detail::Member& member) { return member.remote.name(); }

    void enter(detail::Member member, std::optional<Registry> its) {
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
    void check_listed(const std::string& trainer) const {
        if (trainer.empty() || trainer.find_first_of(".*<>,") != trainer.npos)
            throw ArgumentError(sentence("environment '", name_, "'"), "a trainer's name without '.', '*', '<', '>' and ','",
                                sentence("'", trainer, "'"));
        for (const char* own : {"name", "seed", "workspace"})
            if (trainer == own)
                throw ArgumentError(sentence("environment '", name_, "'"), "a trainer's name that is not the environment's own",
                                    sentence("'", trainer, "'"));
    }
    void unlist(const detail::Member& gone) const {
        if (gone.listed) registry_.remove(gone.remote.name());
    }
    void forget_closed() const {
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
    // Those that were not destroyed, as they are now: nobody waits for a trainer while the environment is locked.
    std::vector<detail::Member> present() const {
        std::lock_guard lock(mutex_);
        std::vector<detail::Member> all;
        std::ranges::copy_if(members_, std::back_inserter(all),
                             [](const auto& member) { return !member.remote.closed(); });
        return all;
    }
    [[noreturn]] void missing(std::string_view trainer) const {
        std::string known;
        for (const std::string& other : names()) known += sentence(known.empty() ? "'" : ", '", other, "'");
        throw ArgumentError(sentence("environment '", name_, "'"),
                            known.empty() ? "a trainer" : sentence("one of the trainers ", known),
                            sentence("'", trainer, "'"));
    }
    // Waits for the end of a trainer's run; what ended it, which goes to the log once.
    std::exception_ptr ended(const detail::Member& member) const {
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
    std::vector<Acknowledgement> command(Acknowledgement (Remote::*give)() const) const {
        std::vector<Acknowledgement> given;
        for (const auto& member : present()) {
            try {
                given.push_back((member.remote.*give)());
            } catch (const StateError&) {  // idle
            }
        }
        return given;
    }

    std::string name_;
    std::uint64_t seed_;
    mutable std::recursive_mutex changing_;  // held while members and registry_ change together; users may be called meanwhile
    mutable std::mutex mutex_;               // of what follows; nobody else is called meanwhile
    Workspace workspace_;
    mutable std::vector<detail::Member> members_;  // a trainer that was destroyed may still be there
    mutable Registry registry_;
};

using Sigma = Environment;

}  // namespace sigma
