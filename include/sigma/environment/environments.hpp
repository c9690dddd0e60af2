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
#include <sigma/environment/impl/environments.ipp>
#endif
