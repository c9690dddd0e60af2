// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/tree.hpp>

namespace sigma::detail {

SIGMA_IMPL const Child* find_child(const Children& children, std::string_view name) {
    for (const Child& child : children)
        if (child.name == name) return &child;
    return nullptr;
}

SIGMA_IMPL Watcher::Watcher(std::string_view pattern_, std::function<void(std::string_view)> call_)
    : pattern(pattern_), call(std::move(call_)) {}

SIGMA_IMPL std::shared_ptr<Leaf> as_leaf(std::shared_ptr<Item> item) {
    Leaf* const leaf = item ? item->leaf() : nullptr;
    return {std::move(item), leaf};
}

SIGMA_IMPL std::shared_ptr<Branch> as_branch(std::shared_ptr<Item> item) {
    Branch* const branch = item ? item->branch() : nullptr;
    return {std::move(item), branch};
}

SIGMA_IMPL NameParts::NameParts(std::string_view name) : first(name.substr(0, name.find('.'))) {
    if (first.size() < name.size()) rest = name.substr(first.size() + 1);
}

SIGMA_IMPL std::shared_ptr<Item> find_item(std::shared_ptr<Item> item, std::string_view name) {
    while (!name.empty()) {
        Branch* const branch = item->branch();
        if (!branch) return nullptr;
        const NameParts parts(name);
        const auto children = branch->children.load();
        const Child* const child = find_child(*children, parts.first);
        if (!child || name.ends_with('.')) return nullptr;
        item = child->item;
        name = parts.rest;
    }
    return item;
}

SIGMA_IMPL std::string full_name(const std::shared_ptr<Branch>& branch, std::string_view name) {
    std::string full(name);
    for (std::shared_ptr<Branch> at = branch; at;) {
        const auto parents = at->parents.load();
        at = nullptr;
        for (const Parent& parent : *parents)
            if ((at = parent.branch.lock())) {
                full = full.empty() ? parent.name : sentence(parent.name, ".", full);
                break;
            }
    }
    return full;
}

}  // namespace sigma::detail
