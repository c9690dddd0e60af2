// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/log.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/trainer_registry.hpp>

#include <concepts>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace sigma::detail {

/// What an environment runs: something with a Control that `start(arguments...)` sets going on a thread of its own
/// (`Control::start`). Its name, state and commands are those of the Control.
template <class T, class... Arguments>
concept Runnable = requires(T& trainer, const Arguments&... arguments) {
    { trainer.control() } -> std::convertible_to<const Remote&>;
    trainer.start(arguments...);
};

template <class T>
concept HasRegistry = requires(T& trainer) {
    { trainer.registry() } -> std::convertible_to<const Registry&>;
};
template <class T>
std::optional<Registry> registry_of(T& trainer) {
    if constexpr (HasRegistry<T>) return trainer.registry();
    else return std::nullopt;
}

// A trainer without its type. `trainer` keeps alive one that the environment shares.
struct Member {
    Remote remote;
    std::function<void()> begin;
    std::shared_ptr<void> trainer{};
    bool listed = false;  // in the environment's registry
    std::shared_ptr<std::exception_ptr> logged = std::make_shared<std::exception_ptr>();  // the last failure that was
};

/// Folders below one, for what programs keep between runs. Nothing is made before `create`. A program may use one: its
/// own working directory, as it were, for what this library reads and writes by relative names.
class Workspace {
public:
    explicit Workspace(std::filesystem::path path = "workspace");

    const std::filesystem::path& path() const& { return path_; }
    std::filesystem::path path() && { return path_; }
    /// Of what is downloaded and of blocks of data, unless SIGMA_CACHE names another.
    std::filesystem::path cache() const { return path_ / "cache"; }
    /// Where ready data sets are sought, after SIGMA_DATA.
    std::filesystem::path datasets() const { return path_ / "datasets"; }
    /// Where checkpoints, parameters, preprocessings and vocabularies with relative names are saved and loaded.
    std::filesystem::path storage() const { return path_ / "storage"; }

    /// Makes the folders that are missing. Throws std::filesystem::filesystem_error.
    void create() const;

    /// The program uses it from now on, in place of another, until `leave`.
    void use() const { sigma::storage::use_workspace(folders()); }
    void leave() const { sigma::storage::leave_workspace(folders()); }

private:
    sigma::storage::WorkspaceFolders folders() const;

    std::filesystem::path path_, place_;  ///< as given, and absolute
};

}  // namespace sigma::detail

namespace sigma {

namespace detail {

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
    Environment(std::string name_of_it, std::uint64_t seed_of_it);
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    /// Stops the trainers one after the other, the last added first; what ended them goes to the log.
    ~Environment();

    const std::string& name() const& { return name_; }
    std::string name() && { return name_; }
    /// For all that is random: given, or from the clock; to be written down so that a run can be repeated.
    std::uint64_t seed() const { return seed_; }
    Workspace workspace() const;
    /// Sets it, and the program uses it while this environment lives, or until another is set: a program has one
    /// workspace as it has one working directory.
    void workspace(std::filesystem::path path);

    /// Everything by name: what each trainer has under the trainer's own name, and tagged "trainer"
    /// (`<trainer>.accuracy`, `digits.optimizer.*`); name, seed and workspace of the environment. A handle, which is
    /// empty when the environment is gone.
    Registry registry() const;

    /// A trainer that stays the caller's, to be started with these arguments. Throws ArgumentError when there is one of
    /// its name, or when it has a registry and its name is no part of a name there, or that of another value.
    template <class T, class... Arguments>
        requires Runnable<T, Arguments...>
    void add(T& trainer, Arguments... arguments) {
        enter({trainer.control(), [&trainer, arguments...] { trainer.start(arguments...); }},
              detail::registry_of(trainer));
    }
    /// One that lives as long as the environment does, at least.
    template <class T, class... Arguments>
        requires Runnable<T, Arguments...>
    void add(std::shared_ptr<T> trainer, Arguments... arguments) {
        enter({trainer->control(), [t = trainer.get(), arguments...] { t->start(arguments...); }, trainer},
              detail::registry_of(*trainer));
    }
    /// Throws StateError while it runs, ArgumentError when there is none of that name.
    void remove(std::string_view trainer);
    /// Names in the order of adding.
    std::vector<std::string> names() const;
    bool contains(std::string_view trainer) const { return std::ranges::count(names(), trainer) != 0; }
    /// Commands to a trainer. Throws ArgumentError when there is none of that name.
    Remote find(std::string_view trainer) const;

    /// Starts the trainers that are idle, in the order of adding. When one cannot start, those that could are stopped
    /// and what it threw is thrown.
    void start();
    /// Waits until all have ended. What ended them goes to the log, and the first of it, by order of adding, is thrown.
    void wait() const;
    void run();
    /// Commands to all that run. `stop` does it in the reverse order of adding; `wait` says when they have ended.
    void stop() const;
    std::vector<Acknowledgement> pause() const { return command(&Remote::pause); }
    std::vector<Acknowledgement> resume() const { return command(&Remote::resume); }

private:
    static std::uint64_t seed_of_the_clock();
    static std::string_view name_of(const detail::Member& member) { return member.remote.name(); }

    void enter(detail::Member member, std::optional<Registry> its);
    void check_listed(const std::string& trainer) const;
    void unlist(const detail::Member& gone) const;
    void forget_closed() const;
    // Those that were not destroyed, as they are now: nobody waits for a trainer while the environment is locked.
    std::vector<detail::Member> present() const;
    [[noreturn]] void missing(std::string_view trainer) const;
    // Waits for the end of a trainer's run; what ended it, which goes to the log once.
    std::exception_ptr ended(const detail::Member& member) const;
    std::vector<Acknowledgement> command(Acknowledgement (Remote::*give)() const) const;

    std::string name_;
    std::uint64_t seed_;
    mutable std::recursive_mutex
        changing_;              // held while members and registry_ change together; users may be called meanwhile
    mutable std::mutex mutex_;  // of what follows; nobody else is called meanwhile
    Workspace workspace_;
    mutable std::vector<detail::Member> members_;  // a trainer that was destroyed may still be there
    mutable Registry registry_;
};

}  // namespace detail

using Sigma = detail::Environment;

/// Environments by name, for parts of a program that do not know each other. An environment belongs to those who hold
/// it, and its name is free when nobody does: none is destroyed after main. Any thread may call anything.
class Environments {
public:
    using Pointer = std::shared_ptr<detail::Environment>;

    /// Throws ArgumentError when there is one of that name.
    [[nodiscard]] static Pointer create(const std::string& name, std::optional<std::uint64_t> seed = {});
    [[nodiscard]] static Pointer get_or_create(const std::string& name);
    /// Null when there is none of that name.
    [[nodiscard]] static Pointer find(const std::string& name);
    static bool exists(const std::string& name);
    /// Forgets the name: who holds the environment keeps it. Whether there was one.
    static bool remove(const std::string& name);
    static void clear();

private:
    struct Table {
        std::mutex mutex;
        std::map<std::string, std::weak_ptr<detail::Environment>> environments;

        bool exists(const std::string& name) const;
        Pointer get(const std::string& name) const;
        Pointer make(const std::string& name, std::optional<std::uint64_t> seed);
    };
    static Table& table();
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/environment.ipp>
#endif
