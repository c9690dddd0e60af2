// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/environment/environment.hpp>

#include <map>
#include <optional>

namespace sigma {

/// Environments by name, for parts of a program that do not know each other. An environment belongs to those who hold
/// it, and its name is free when nobody does: none is destroyed after main. Any thread may call anything.
class Environments {
public:
    using Pointer = std::shared_ptr<Environment>;

    /// Throws ArgumentError when there is one of that name.
    [[nodiscard]] static Pointer create(const std::string& name, std::optional<std::uint64_t> seed = {}) {
        Table& all = table();
        std::lock_guard lock(all.mutex);
        if (all.exists(name))
            throw ArgumentError("create of an environment", "a new name", sentence("'", name, "', which exists"));
        return all.make(name, seed);
    }
    [[nodiscard]] static Pointer get_or_create(const std::string& name) {
        Table& all = table();
        std::lock_guard lock(all.mutex);
        if (Pointer old = all.get(name)) return old;
        return all.make(name, {});
    }
    /// Null when there is none of that name.
    [[nodiscard]] static Pointer find(const std::string& name) {
        Table& all = table();
        std::lock_guard lock(all.mutex);
        return all.get(name);
    }
    static bool exists(const std::string& name) {
        Table& all = table();
        std::lock_guard lock(all.mutex);
        return all.exists(name);
    }
    /// Forgets the name: who holds the environment keeps it. Whether there was one.
    static bool remove(const std::string& name) {
        Table& all = table();
        std::lock_guard lock(all.mutex);
        const bool existed = all.exists(name);
        all.environments.erase(name);
        return existed;
    }
    static void clear() {
        Table& all = table();
        std::lock_guard lock(all.mutex);
        all.environments.clear();
    }

private:
    struct Table {
        std::mutex mutex;
        std::map<std::string, std::weak_ptr<Environment>> environments;

        bool exists(const std::string& name) const {
            const auto at = environments.find(name);
            return at != environments.end() && !at->second.expired();
        }
        Pointer get(const std::string& name) const {
            const auto at = environments.find(name);
            return at == environments.end() ? nullptr : at->second.lock();
        }
        Pointer make(const std::string& name, std::optional<std::uint64_t> seed) {
            std::erase_if(environments, [](const auto& entry) { return entry.second.expired(); });
            Pointer made = seed ? std::make_shared<Environment>(name, *seed) : std::make_shared<Environment>(name);
            environments[name] = made;
            return made;
        }
    };
    static Table& table() {
        static Table& all = *new Table;  // never destroyed: threads may look things up until the process ends
        return all;
    }
};

}  // namespace sigma
