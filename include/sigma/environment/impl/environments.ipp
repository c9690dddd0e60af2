// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/environments.hpp>

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
    static Table& all = *new Table;  // never destroyed: threads may look things up until the process ends
    return all;
}

}  // namespace sigma
