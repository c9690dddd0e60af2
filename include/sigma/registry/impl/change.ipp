// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/change.hpp>

namespace sigma::detail {

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
                                "more");
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
                    next = child->item;  // another thread was faster
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

SIGMA_IMPL void clear_branch(const std::shared_ptr<Branch>& branch, std::vector<Call>& calls) {
    const auto children = branch->children.load();
    for (const Child& child : *children) take_out(branch, child.name, calls);
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

SIGMA_IMPL void copy_into(const std::shared_ptr<Branch>& to, const Branch& from) {
    to->tags.store(from.tags.load());
    auto fresh = std::make_shared<Children>();
    const auto children = from.children.load();
    for (const Child& child : *children) {
        std::shared_ptr<Item> item;
        if (Leaf* const leaf = child.item->leaf()) {
            item = leaf->copy(to);
            if (!item) continue;  // removed meanwhile
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

}  // namespace sigma::detail
