// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/read_only.hpp>

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
    if (!item) throw RegistryError(full_name(name), "a value or a registry", "none");
    return item;
}

SIGMA_IMPL std::shared_ptr<detail::Leaf> ReadOnlyRegistry::leaf_at(std::string_view name) const {
    auto item = detail::find_item(branch_, name);
    if (!item || !item->leaf()) detail::refuse_missing(full_name(name), item.get());
    return detail::as_leaf(std::move(item));
}

SIGMA_IMPL std::shared_ptr<detail::Branch> ReadOnlyRegistry::branch_at(std::string_view name) const {
    auto item = detail::find_item(branch_, name);
    if (!item) throw RegistryError(full_name(name), "a registry", "none");
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

}  // namespace sigma

namespace sigma::detail {

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

SIGMA_IMPL std::string ReadOnlyRegistry::text() const {
    std::string text;
    detail::dump(*branch_, "", text);
    return text;
}

}  // namespace sigma
