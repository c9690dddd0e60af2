// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/registry.hpp>

namespace sigma::detail {

SIGMA_IMPL void clear_branch(const std::shared_ptr<Branch>& branch, std::vector<Call>& calls) {
    const auto children = branch->children.load();
    for (const Child& child : *children) take_out(branch, child.name, calls);
}

SIGMA_IMPL void copy_into(const std::shared_ptr<Branch>& to, const Branch& from) {
    to->tags.store(from.tags.load());
    auto fresh = std::make_shared<Children>();
    const auto children = from.children.load();
    for (const Child& child : *children) {
        std::shared_ptr<Item> item;
        if (Leaf* const leaf = child.item->leaf()) {
            item = leaf->copy(to);
            if (!item) continue;  // removed in the meantime
            item->tags.store(leaf->tags.load());
        } else {
            auto below = std::make_shared<Branch>();
            below->parents.store(std::make_shared<const std::vector<Parent>>(1, Parent{to, child.name}));
            copy_into(below, *child.item->branch());
            item = std::move(below);
        }
        fresh->push_back({child.name, std::move(item), false});
    }
    to->children.store(std::move(fresh));
}

SIGMA_IMPL std::string describe(Item& item) {
    Leaf* const leaf = item.leaf();
    return leaf ? sentence("a value of type ", leaf->type_text()) : "a registry";
}

SIGMA_IMPL void check_name(std::string_view name) {
    std::size_t part = 1;
    for (std::string_view rest = name;; ++part) {
        const std::size_t end = rest.find('.');
        const std::string_view text = rest.substr(0, end);
        if (text.empty())
            throw ArgumentError(sentence("name '", name, "'"), "a name in each part",
                                sentence("nothing in part ", part));
        if (const auto i = text.find_first_of("*<>,"); i != text.npos)
            throw ArgumentError(sentence("name '", name, "'"), "no '*', '<', '>' and ','", sentence("'", text[i], "'"));
        if (part > Pattern::most_parts)
            throw ArgumentError(sentence("name '", name, "'"), sentence("at most ", Pattern::most_parts, " parts"),
                                sentence(Pattern::most_parts + 1, " or more"));
        if (end == rest.npos) return;
        rest.remove_prefix(end + 1);
    }
}

SIGMA_IMPL NameEnd::NameEnd(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    before = dot == name.npos ? std::string_view() : name.substr(0, dot);
    last = dot == name.npos ? name : name.substr(dot + 1);
}

SIGMA_IMPL std::shared_ptr<Branch> grow(std::shared_ptr<Branch> at, std::string_view name) {
    while (!name.empty()) {
        const NameParts parts(name);
        std::shared_ptr<Item> next = find_item(at, parts.first);
        if (!next)
            at->children.update([&](Children& children) {
                if (const Child* const child = find_child(children, parts.first)) {
                    next = child->item;  // another thread has added it
                    return false;
                }
                auto fresh = std::make_shared<Branch>();
                fresh->parents.store(
                    std::make_shared<const std::vector<Parent>>(1, Parent{at, std::string(parts.first)}));
                children.push_back({std::string(parts.first), fresh, false});
                next = std::move(fresh);
                return true;
            });
        if (!next->branch()) throw RegistryError(full_name(at, parts.first), "a registry", describe(*next));
        at = as_branch(std::move(next));
        name = parts.rest;
    }
    return at;
}

SIGMA_IMPL void calls_below(Branch& owner, std::vector<Rung>& rungs, std::vector<Call>& calls) {
    Item* const item = rungs.back().item;
    if (item->leaf()) {
        std::vector<Rung> upwards(rungs.rbegin(), rungs.rend());
        collect_calls(owner, upwards, calls);
        return;
    }
    const auto children = item->branch()->children.load();
    for (const Child& child : *children) {
        rungs.push_back({child.name, child.item.get()});
        calls_below(owner, rungs, calls);
        rungs.pop_back();
    }
}

SIGMA_IMPL void calls_below(Branch& owner, const Child& child, std::vector<Call>& calls) {
    std::vector<Rung> rungs{{child.name, child.item.get()}};
    calls_below(owner, rungs, calls);
}

SIGMA_IMPL void leave(const std::shared_ptr<Branch>& owner, const Child& child) {
    child.item->branch()->parents.update([&](auto& parents) {
        for (auto p = parents.begin(); p != parents.end(); ++p)
            if (p->name == child.name && p->branch.lock() == owner) {
                parents.erase(p);
                return true;
            }
        return false;
    });
}

SIGMA_IMPL void put_down(const std::shared_ptr<Branch>& owner, const Child& child, std::vector<Call>& calls) {
    if (Leaf* const leaf = child.item->leaf()) {
        leaf->attached.store(false, std::memory_order_release);
        leaf->close();
    } else {
        leave(owner, child);
        if (!child.mounted) clear_branch(as_branch(child.item), calls);
    }
}

SIGMA_IMPL bool take_out(const std::shared_ptr<Branch>& owner, std::string_view name, std::vector<Call>& calls) {
    Child taken;
    const bool there = owner->children.update([&](Children& children) {
        const Child* const child = find_child(children, name);
        if (!child) return false;
        taken = *child;
        children.erase(children.begin() + (child - children.data()));
        return true;
    });
    if (!there) return false;
    calls_below(*owner, taken, calls);
    put_down(owner, taken, calls);
    return true;
}

SIGMA_IMPL bool holds(Branch& branch, const Branch* wanted) {
    if (&branch == wanted) return true;
    const auto children = branch.children.load();
    for (const Child& child : *children)
        if (Branch* const below = child.item->branch(); below && holds(*below, wanted)) return true;
    return false;
}

SIGMA_IMPL void dump(Branch& branch, const std::string& indent, std::string& text) {
    const auto children = branch.children.load();
    for (const Child& child : *children) {
        text += indent + child.name;
        const auto tags = child.item->tags.load();
        for (const std::string& tag : *tags) text += (&tag == tags->data() ? " <" : ",") + tag;
        if (!tags->empty()) text += '>';
        if (Leaf* const leaf = child.item->leaf()) {
            text += sentence(": ", leaf->type_text());
            if (const std::string value = leaf->text(); !value.empty()) text += sentence(" = ", value);
        }
        text += '\n';
        if (Branch* const below = child.item->branch()) dump(*below, indent + "  ", text);
    }
}

}  // namespace sigma::detail

namespace sigma {

namespace detail {

SIGMA_IMPL std::optional<double> RegistryValue::number() const {
    const detail::AnyNumber n = leaf_->number();
    return n.kind <= n.gone ? std::nullopt : std::optional(n.value);
}

}  // namespace detail

SIGMA_IMPL std::vector<std::string> ReadOnlyRegistry::names() const {
    std::vector<std::string> result;
    const auto children = branch_->children.load();
    for (const auto& child : *children) result.push_back(child.name);
    return result;
}

SIGMA_IMPL std::vector<std::string> ReadOnlyRegistry::resolve(std::string_view pattern) const {
    std::vector<std::string> names;
    for (auto& match : leaves(pattern)) names.push_back(std::move(match.first));
    return names;
}

SIGMA_IMPL std::optional<ReadOnlyRegistry> ReadOnlyRegistry::parent() const {
    auto above = parent_branch();
    return above ? std::optional(ReadOnlyRegistry(std::move(above))) : std::nullopt;
}

SIGMA_IMPL std::shared_ptr<detail::Item> ReadOnlyRegistry::item_at(std::string_view name) const {
    auto item = detail::find_item(branch_, name);
    if (!item) throw RegistryError(full_name(name), "a value or a registry", "an unknown name");
    return item;
}

SIGMA_IMPL std::shared_ptr<detail::Leaf> ReadOnlyRegistry::leaf_at(std::string_view name) const {
    auto item = detail::find_item(branch_, name);
    if (!item || !item->leaf()) detail::refuse_missing(full_name(name), item.get());
    return detail::as_leaf(std::move(item));
}

SIGMA_IMPL std::shared_ptr<detail::Branch> ReadOnlyRegistry::branch_at(std::string_view name) const {
    auto item = detail::find_item(branch_, name);
    if (!item) throw RegistryError(full_name(name), "a registry", "an unknown name");
    if (auto* const leaf = item->leaf())
        throw RegistryError(full_name(name), "a registry", sentence("a value of type ", leaf->type_text()));
    return detail::as_branch(std::move(item));
}

SIGMA_IMPL std::shared_ptr<detail::Branch> ReadOnlyRegistry::parent_branch() const {
    const auto parents = branch_->parents.load();
    for (const auto& parent : *parents)
        if (auto above = parent.branch.lock()) return above;
    return nullptr;
}

SIGMA_IMPL ReadOnlyRegistry::Leaves ReadOnlyRegistry::leaves(std::string_view pattern) const {
    Leaves result;
    const detail::Pattern parsed(pattern);
    const auto note = [&](const std::string& name, const std::shared_ptr<detail::Item>& item) {
        if (auto leaf = detail::as_leaf(item)) result.emplace_back(name, std::move(leaf));
    };
    detail::walk_matches(*branch_, parsed, parsed.start(), "", note);
    return result;
}

SIGMA_IMPL std::vector<std::string> ReadOnlyRegistry::resolve_registries(std::string_view pattern) const {
    std::vector<std::string> names;
    const detail::Pattern parsed(pattern);
    const auto note = [&](const std::string& name, const std::shared_ptr<detail::Item>& item) {
        if (item->branch()) names.push_back(name);
    };
    detail::walk_matches(*branch_, parsed, parsed.start(), "", note);
    return names;
}

SIGMA_IMPL std::string ReadOnlyRegistry::text() const {
    std::string text;
    detail::dump(*branch_, "", text);
    return text;
}

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
        throw ArgumentError(sentence("registry '", full_name(name), "'"), "a registry that does not contain this name",
                            "a registry that contains it");
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
