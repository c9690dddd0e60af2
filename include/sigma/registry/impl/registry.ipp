// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/registry.hpp>

namespace sigma {

SIGMA_IMPL bool Registry::remove(std::string_view name) {
    const detail::NameEnd end(name);
    const auto owner = detail::as_branch(detail::find_item(branch_, end.before));
    std::vector<detail::Call> calls;
    const bool there = owner && detail::take_out(owner, end.last, calls);
    detail::make_calls(calls);
    return there;
}

SIGMA_IMPL void Registry::clear() {
    std::vector<detail::Call> calls;
    detail::clear_branch(branch_, calls);
    detail::make_calls(calls);
}

SIGMA_IMPL bool Registry::untag(std::string_view name, std::string_view tag) {
    return item_at(name)->tags.update([&](detail::Tags& tags) { return std::erase(tags, tag) > 0; });
}

SIGMA_IMPL Registry Registry::child(std::string_view name) {
    detail::check_name(name);
    return Registry(detail::grow(branch_, name));
}

SIGMA_IMPL std::optional<Registry> Registry::parent() const {
    auto above = parent_branch();
    return above ? std::optional(Registry(std::move(above))) : std::nullopt;
}

SIGMA_IMPL Registry Registry::root() const {
    Registry at = *this;
    while (auto above = at.parent()) at = *above;
    return at;
}

SIGMA_IMPL Registry& Registry::mount(std::string_view name, const Registry& other, Taken taken) {
    detail::check_name(name);
    const detail::NameEnd end(name);
    const auto owner = detail::grow(branch_, end.before);
    const auto refuse = [&](const detail::Child& child) {
        const bool value = child.item->leaf() != nullptr;
        if (taken == Taken::refused || (value && taken == Taken::by_registry))
            throw RegistryError(full_name(name), value && taken != Taken::refused ? "a registry" : "a new name",
                                detail::describe(*child.item));
    };
    std::unique_lock lock(detail::mounting);
    if (detail::holds(*other.branch_, owner.get()))
        throw ArgumentError(sentence("registry '", full_name(name), "'"), "another registry",
                            "one that contains this name");
    const auto make = [&] {
        other.branch_->parents.update([&](auto& parents) {
            parents.push_back({owner, std::string(end.last)});
            return true;
        });
        return other.branch_;
    };
    detail::exchange(owner, end.last, true, make, refuse, [&] { lock.unlock(); });
    return *this;
}

SIGMA_IMPL Registry& Registry::tag(std::string_view name, const std::vector<std::string>& tags) {
    for (const std::string& tag : tags)
        if (tag.empty() || tag.find_first_of(".*<>,") != tag.npos || tag.front() == ' ' || tag.back() == ' ')
            throw ArgumentError(sentence("tag of '", full_name(name), "'"),
                                "a text without '.', '*', '<', '>', ',' and outer spaces", sentence("'", tag, "'"));
    item_at(name)->tags.update([&](detail::Tags& present) {
        for (const std::string& tag : tags)
            if (!detail::has_tag(present, tag)) present.push_back(tag);
        return true;
    });
    detail::watch_generation.fetch_add(1);
    return *this;
}

SIGMA_IMPL Registry ReadOnlyRegistry::copy() const {
    Registry result;
    detail::copy_into(result.branch_, *branch_);
    return result;
}

}  // namespace sigma
