// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/gate.hpp>
#include <sigma/registry/pattern.hpp>
#include <sigma/registry/published.hpp>

#include <functional>

namespace sigma::detail {

struct Branch;
struct Leaf;

/// What has a name: a value (Leaf) or a registry (Branch).
struct Item {
    Published<Tags> tags;

    Item() = default;
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;
    virtual ~Item() = default;
    virtual Branch* branch() { return nullptr; }
    virtual Leaf* leaf() { return nullptr; }
};

/// A registry under a name. A `mounted` one belongs to somebody else: removing its name leaves it as it is.
struct Child {
    std::string name;
    std::shared_ptr<Item> item;
    bool mounted = false;
};
using Children = std::vector<Child>;

const Child* find_child(const Children& children, std::string_view name);

struct Watcher {
    Pattern pattern;
    std::function<void(std::string_view)> call;
    Gate gate;

    Watcher(std::string_view pattern_, std::function<void(std::string_view)> call_);
};

/// Changes whenever a name may begin to be watched: a watch begins, a registry is mounted, a tag is given.
inline std::atomic<std::uint64_t> watch_generation{1};

struct Parent {
    std::weak_ptr<Branch> branch;
    std::string name;
};

struct Branch : Item {
    Published<Children> children;
    Published<std::vector<Parent>> parents;
    Published<std::vector<std::shared_ptr<Watcher>>> watchers;

    Branch* branch() override { return this; }
};

/// A number without its type. Characters are none.
struct AnyNumber {
    enum Kind { none, gone, truth, negative, natural, single, real } kind = none;  // gone: removed meanwhile
    std::int64_t below = 0;                                                        // negative
    std::uint64_t whole = 0;                                                       // natural; truth as 0 or 1
    double value = 0;                                                              // all, rounded
};

/// A value; `watch.hpp` tells those who watch it.
struct Leaf : Item {
    const std::weak_ptr<Branch> owner;
    const std::string name;
    std::atomic<bool> attached{true};
    std::atomic<std::uint64_t> unwatched{0};  // the watch_generation in which nobody was found to watch

    Leaf(std::weak_ptr<Branch> owner_, std::string_view name_) : owner(std::move(owner_)), name(name_) {}
    Leaf* leaf() override { return this; }

    virtual const std::type_info& type() const = 0;
    virtual std::string type_text() const = 0;
    virtual std::string_view type_spelling() const = 0;
    virtual std::string text() const = 0;
    virtual AnyNumber number() const = 0;
    virtual bool writable() const { return true; }
    /// A plain value with the present value, null if there is none any more.
    virtual std::shared_ptr<Leaf> copy(std::weak_ptr<Branch> owner_) const = 0;
    /// After it has lost its name: waits for those who read it through the user's functions.
    virtual void close() {}
};

std::shared_ptr<Leaf> as_leaf(std::shared_ptr<Item> item);
std::shared_ptr<Branch> as_branch(std::shared_ptr<Item> item);

/// The first part of a name, and the rest after its dot.
struct NameParts {
    std::string_view first, rest;
    explicit NameParts(std::string_view name);
};

/// What stands under `name`, null if nothing. An empty name is the registry itself.
std::shared_ptr<Item> find_item(std::shared_ptr<Item> item, std::string_view name);

/// The name from the root on; where a registry is mounted several times, along the first of its places.
std::string full_name(const std::shared_ptr<Branch>& branch, std::string_view name);

/// Calls visit(name, item) for all below in order of insertion, a registry before what is in it.
template <class Visit>
void walk(Branch& branch, const std::string& prefix, const Visit& visit) {
    const auto children = branch.children.load();
    for (const Child& child : *children) {
        const std::string name = prefix.empty() ? child.name : sentence(prefix, ".", child.name);
        visit(name, child.item);
        if (Branch* const below = child.item->branch()) walk(*below, name, visit);
    }
}

/// The same for what the pattern matches.
template <class Visit>
void walk_matches(Branch& branch, const Pattern& pattern, Pattern::Positions at, const std::string& prefix,
                  const Visit& visit) {
    const auto children = branch.children.load();
    for (const Child& child : *children) {
        const auto next = pattern.step(at, child.name, [&] { return child.item->tags.load(); });
        if (next == 0) continue;
        const std::string name = prefix.empty() ? child.name : sentence(prefix, ".", child.name);
        if (pattern.accepts(next)) visit(name, child.item);
        if (Branch* const below = child.item->branch()) walk_matches(*below, pattern, next, name, visit);
    }
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/tree.ipp>
#endif
