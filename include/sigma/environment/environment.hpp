// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Environments: several trainers in one program, with a log, a workspace and a registry. Include it yourself.

#include <sigma/environment/log.hpp>
#include <sigma/registry/registry.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/trainer/run/control.hpp>
#include <sigma/trainer/trainer_registry.hpp>

#include <concepts>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace sigma::detail {

/// A type that an environment can run: it has a Control, and `start(arguments...)` starts it on a thread of its own
/// (`Control::start`). Name, state and commands are those of the Control.
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

/// A trainer without its type. `trainer` keeps a shared trainer alive.
struct Member {
    Remote remote;
    std::function<void()> begin;
    std::shared_ptr<void> trainer{};
    bool listed = false;  // in the environment's registry
    std::shared_ptr<std::exception_ptr> logged = std::make_shared<std::exception_ptr>();  // the last failure in the log
};

/// The folders in which a program keeps files between runs.
///
/// The library reads and writes relative names there, as if the workspace were the working directory. A program uses
/// one workspace at a time. No folder is made before `create`.
/// @see Sigma
class Workspace {
public:
    /// Constructs a workspace. Makes no folders.
    /// @param path  folder of the workspace (default: "workspace" in the working directory)
    explicit Workspace(std::filesystem::path path = "workspace");

    /// Returns the folder of the workspace.
    /// @return the folder
    const std::filesystem::path& path() const& { return path_; }
    /// @overload
    std::filesystem::path path() && { return path_; }
    /// Returns the folder of downloads and cached blocks of data, unless SIGMA_CACHE names another.
    /// @return the folder
    std::filesystem::path cache() const { return path_ / "cache"; }
    /// Returns the folder in which ready data sets are sought, after SIGMA_DATA.
    /// @return the folder
    std::filesystem::path datasets() const { return path_ / "datasets"; }
    /// Returns the folder in which checkpoints, parameters, preprocessings and vocabularies with relative names are
    /// saved and loaded.
    /// @return the folder
    std::filesystem::path storage() const { return path_ / "storage"; }

    /// Makes the folders that are missing.
    /// @throws std::filesystem::filesystem_error  if a folder cannot be made
    void create() const;

    /// Makes the program use this workspace, instead of another, until `leave`.
    void use() const { sigma::storage::use_workspace(folders()); }
    /// Makes the program use no workspace, if it uses this one.
    void leave() const { sigma::storage::leave_workspace(folders()); }

private:
    sigma::storage::WorkspaceFolders folders() const;

    std::filesystem::path path_, place_;  // as given, and absolute
};

}  // namespace sigma::detail

namespace sigma {

namespace detail {

/// Several trainers that run at once, with one log, one workspace and one registry: the class `Sigma`.
///
/// A trainer that you add by reference leaves the environment when it is destroyed, so either may be destroyed first.
/// Any thread may call any function. Do not call `wait` and `run` on a thread that trains.
///
/// @par Example
/// @code
/// Sigma sigma("lab");
/// sigma.log.to_terminal();
/// sigma.add(trainer, cpu(2), 20);  // trainer.start(cpu(2), 20) when the environment starts
/// sigma.run();
/// @endcode
class Environment {
public:
    /// The log. Messages of the environment itself have the environment's name.
    Log log;

    /// Constructs an environment with a seed from the clock.
    /// @param name_of_it  name, which messages have
    explicit Environment(std::string name_of_it) : Environment(std::move(name_of_it), seed_of_the_clock()) {}
    /// Constructs an environment.
    /// @param name_of_it  name, which messages have
    /// @param seed_of_it  number that `seed()` returns
    Environment(std::string name_of_it, std::uint64_t seed_of_it);
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    /// Stops the trainers one after the other, the last added first. The log gets their errors.
    ~Environment();

    /// Returns the name.
    /// @return the name
    const std::string& name() const& { return name_; }
    /// @overload
    std::string name() && { return name_; }
    /// Returns the seed, for trainers and minibatches: the given number, or one from the clock. Write it down to repeat
    /// a run.
    /// @return the seed
    std::uint64_t seed() const { return seed_; }
    /// Returns the workspace: that of `workspace(path)`, or "workspace".
    /// @return the workspace
    Workspace workspace() const;
    /// Sets the workspace. The program uses it until another one is set or this environment is destroyed.
    ///
    /// A program has one workspace, as it has one working directory.
    /// @param path  folder of the workspace; `workspace().create()` makes it
    void workspace(std::filesystem::path path);

    /// Returns a registry of all trainers.
    ///
    /// Each trainer's registry is under the trainer's name, with the tag "trainer": `digits.error`,
    /// `<trainer>.accuracy`. `name`, `seed` and `workspace.path`, `.cache`, `.datasets`, `.storage` are those of the
    /// environment. The registry is empty when the environment is destroyed.
    /// @return the registry
    Registry registry() const;

    /// Adds a trainer by reference, and the arguments of its `start`. The trainer leaves when it is destroyed.
    /// @param trainer    trainer, or anything with `control()` and `start(arguments…)`
    /// @param arguments  arguments for `trainer.start`, such as `cpu(), 20`
    /// @throws ArgumentError  if there is a trainer of its name, or its name cannot be a part of a name in the registry
    template <class T, class... Arguments>
        requires Runnable<T, Arguments...>
    void add(T& trainer, Arguments... arguments) {
        enter({trainer.control(), [&trainer, arguments...] { trainer.start(arguments...); }},
              detail::registry_of(trainer));
    }
    /// Adds a shared trainer, and the arguments of its `start`. It lives at least as long as the environment.
    /// @param trainer    trainer, or anything with `control()` and `start(arguments…)`
    /// @param arguments  arguments for `trainer->start`, such as `cpu(), 20`
    /// @throws ArgumentError  if there is a trainer of its name, or its name cannot be a part of a name in the registry
    template <class T, class... Arguments>
        requires Runnable<T, Arguments...>
    void add(std::shared_ptr<T> trainer, Arguments... arguments) {
        enter({trainer->control(), [t = trainer.get(), arguments...] { t->start(arguments...); }, trainer},
              detail::registry_of(*trainer));
    }
    /// Removes a trainer.
    /// @param trainer  name of the trainer
    /// @throws StateError     if the trainer is running or paused
    /// @throws ArgumentError  if there is no trainer of this name
    void remove(std::string_view trainer);
    /// Returns the names of the trainers, in the order in which they were added.
    /// @return the names
    std::vector<std::string> names() const;
    /// Returns whether there is a trainer of this name.
    /// @param trainer  name of the trainer
    /// @return true if so
    bool contains(std::string_view trainer) const { return std::ranges::count(names(), trainer) != 0; }
    /// Returns the commands of a trainer: `find("digits").pause()`.
    /// @param trainer  name of the trainer
    /// @return the commands
    /// @throws ArgumentError  if there is no trainer of this name
    Remote find(std::string_view trainer) const;

    /// Starts the idle trainers, in the order in which they were added. If one cannot start, stops those that were
    /// started and throws its exception.
    void start();
    /// Waits until all runs have ended. The log gets each error. Throws the first one, in the order of adding.
    void wait() const;
    /// Starts the trainers and waits: `start()`, then `wait()`.
    void run();
    /// Stops all running trainers, in the reverse order of adding. `wait` returns when they have ended.
    void stop() const;
    /// Pauses all running trainers.
    /// @return an acknowledgement of each, for waiting
    std::vector<Acknowledgement> pause() const { return command(&Remote::pause); }
    /// Resumes all paused trainers.
    /// @return an acknowledgement of each, for waiting
    std::vector<Acknowledgement> resume() const { return command(&Remote::resume); }

private:
    static std::uint64_t seed_of_the_clock();
    static std::string_view name_of(const detail::Member& member) { return member.remote.name(); }

    void enter(detail::Member member, std::optional<Registry> its);
    void check_listed(const std::string& trainer) const;
    void unlist(const detail::Member& gone) const;
    void forget_closed() const;
    // Returns the trainers that were not destroyed. No thread waits for a trainer while the environment is locked.
    std::vector<detail::Member> present() const;
    [[noreturn]] void missing(std::string_view trainer) const;
    // Waits for the end of a trainer's run and returns its error, which is logged once.
    std::exception_ptr ended(const detail::Member& member) const;
    std::vector<Acknowledgement> command(Acknowledgement (Remote::*give)() const) const;

    std::string name_;
    std::uint64_t seed_;
    mutable std::recursive_mutex
        changing_;              // held while members_ and registry_ change together; users may be called meanwhile
    mutable std::mutex mutex_;  // protects the members below; no foreign code is called meanwhile
    Workspace workspace_;
    mutable std::vector<detail::Member> members_;  // a trainer that was destroyed may still be there
    mutable Registry registry_;
};

}  // namespace detail

/// Several trainers that run at once, with one log, one workspace and one registry.
/// @see Environments
using Sigma = detail::Environment;

/// Environments by name, for parts of a program that do not know each other.
///
/// An environment belongs to the holders of its pointer. Its name is free when the last of them is gone, so no
/// environment is destroyed after main. Any thread may call any function.
///
/// @par Example
/// @code
/// const Environments::Pointer lab = Environments::get_or_create("lab");
/// lab->log.info("seed ", lab->seed());
/// @endcode
///
/// @see Environments
class Environments {
public:
    using Pointer = std::shared_ptr<detail::Environment>;  ///< an environment; it lives while a pointer exists

    /// Makes an environment.
    /// @param name  name of the environment
    /// @param seed  seed of the environment (default: from the clock)
    /// @return the environment
    /// @throws ArgumentError  if there is an environment of this name
    [[nodiscard]] static Pointer create(const std::string& name, std::optional<std::uint64_t> seed = {});
    /// Returns the environment of a name, and makes it if there is none.
    /// @param name  name of the environment
    /// @return the environment
    [[nodiscard]] static Pointer get_or_create(const std::string& name);
    /// Returns the environment of a name; null if there is none.
    /// @param name  name of the environment
    /// @return the environment
    [[nodiscard]] static Pointer find(const std::string& name);
    /// Returns whether there is an environment of this name.
    /// @param name  name of the environment
    /// @return true if there is one
    static bool exists(const std::string& name);
    /// Forgets a name. Holders of the environment keep it.
    /// @param name  name of the environment
    /// @return false if there was no environment of this name
    static bool remove(const std::string& name);
    /// Forgets all names.
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
