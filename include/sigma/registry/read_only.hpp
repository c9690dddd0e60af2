// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/conversion.hpp>

namespace sigma {

class Registry;

namespace detail {

/// A value of any type, for reports.
class RegistryValue {
public:
    explicit RegistryValue(std::shared_ptr<const detail::Leaf> leaf) : leaf_(std::move(leaf)) {}

    std::string type_name() const { return leaf_->type_text(); }
    std::string text() const { return leaf_->text(); }
    bool read_only() const { return !leaf_->writable(); }
    /// None if it is no T (nor a number that a floating T holds exactly).
    template <class T>
    std::optional<detail::stored<T>> as() const {
        try {
            return detail::read<detail::stored<T>>(*leaf_, [] { return std::string(); });
        } catch (const RegistryError&) { return std::nullopt; }
    }
    /// Any number, rounded to double; none if it is no number.
    std::optional<double> number() const;

private:
    std::shared_ptr<const detail::Leaf> leaf_;
};

}  // namespace detail

/// Reads a registry: values with names in a tree, "optimizer.learning_rate". A handle: copies see the same tree, and
/// keep it alive. Every function may be called from any thread at any time; none waits for more than the copy of a
/// pointer, except for what a user's getter waits for. Include <sigma/registry/registry.hpp>.
class ReadOnlyRegistry {
public:
    /// The value: exactly a T, or, where T is float or double, a number that T holds exactly.
    /// RegistryError where the name is missing or the type another.
    template <class T>
    detail::stored<T> get(std::string_view name) const {
        const auto leaf = leaf_at(name);
        auto value = detail::read<detail::stored<T>>(*leaf, namer(name));
        if (!value) detail::refuse_missing(full_name(name));
        return std::move(*value);
    }
    /// The same, none where the name is missing. RegistryError where the type is another.
    template <class T>
    std::optional<detail::stored<T>> find(std::string_view name) const {
        const auto item = detail::find_item(branch_, name);
        if (!item) return std::nullopt;
        if (!item->leaf()) detail::refuse_missing(full_name(name), item.get());
        return detail::read<detail::stored<T>>(*item->leaf(), namer(name));
    }
    /// The value without a copy of it: it stays what it was when a new one is set. The type must be T.
    template <class T>
    std::shared_ptr<const detail::stored<T>> share(std::string_view name) const {
        using V = detail::stored<T>;
        const auto leaf = leaf_at(name);
        if (leaf->type() != typeid(V)) detail::refuse_type<V>(full_name(name), *leaf);
        auto value = static_cast<const detail::LeafOf<V>&>(*leaf).share();
        if (!value) detail::refuse_missing(full_name(name));
        return value;
    }
    detail::RegistryValue value(std::string_view name) const { return detail::RegistryValue(leaf_at(name)); }

    /// Is there a value or a registry?
    bool contains(std::string_view name) const { return detail::find_item(branch_, name) != nullptr; }
    /// The names of this level, values and registries, in the order in which they were added. All values:
    /// resolve("**").
    std::vector<std::string> names() const;
    std::string type_name(std::string_view name) const { return leaf_at(name)->type_text(); }
    std::string to_text(std::string_view name) const { return leaf_at(name)->text(); }
    /// The tags of a value or a registry, in the order in which they were given; those of this one without a name.
    std::vector<std::string> tags(std::string_view name = "") const { return *item_at(name)->tags.load(); }

    /// Calls visit(full name, RegistryValue) for each value, in order.
    template <class Visit>
    void visit(Visit visit) const {
        detail::walk(*branch_, "", [&](const std::string& name, const std::shared_ptr<detail::Item>& item) {
            if (auto leaf = detail::as_leaf(item))
                visit(std::string_view(name), detail::RegistryValue(std::move(leaf)));
        });
    }
    /// The tree with tags, types and values, one a line.
    std::string text() const;

    /// The names of the values that a pattern matches, in order: `*` is any characters of a part, `<a,b>` asks for both
    /// tags, `**` is any number of parts. ArgumentError where the pattern is malformed.
    std::vector<std::string> resolve(std::string_view pattern) const;
    /// The names of the registries that a pattern matches, in order.
    std::vector<std::string> resolve_registries(std::string_view pattern) const;

    /// Names and values; RegistryError where one is no T (see get).
    template <class T>
    std::vector<std::pair<std::string, detail::stored<T>>> get_all(std::string_view pattern) const {
        std::vector<std::pair<std::string, detail::stored<T>>> result;
        for (auto& [name, leaf] : leaves(pattern))
            if (auto value = detail::read<detail::stored<T>>(*leaf, namer(name)))
                result.emplace_back(std::move(name), std::move(*value));
        return result;
    }
    /// The one value that the pattern matches. RegistryError for none or several.
    template <class T>
    detail::stored<T> get_one(std::string_view pattern) const {
        auto value = at_most_one<T>(pattern);
        if (!value) throw RegistryError(std::string(pattern), "one value", "none");
        return std::move(*value);
    }
    /// The same, `fallback` for none.
    template <class T>
    detail::stored<T> get_one_or(std::string_view pattern, detail::stored<T> fallback) const {
        auto value = at_most_one<T>(pattern);
        return value ? std::move(*value) : std::move(fallback);
    }

    /// A tree of its own with the same values and tags; links become plain values. Each value is whole, but they are
    /// read one after the other while others may write.
    Registry copy() const;

    /// Calls callback(name) after a value that the pattern matches was set, added or removed, on the thread that did
    /// it, while no lock is held. Changes that the callback makes itself are not told to it. What it throws, the
    /// setting thread gets, after all others were told.
    template <class Callback>
    Watch watch(std::string_view pattern, Callback callback) const {
        return Watch(branch_, std::make_shared<detail::Watcher>(pattern, std::move(callback)));
    }

    /// The registry under a name. RegistryError where there is none.
    ReadOnlyRegistry child(std::string_view name) const { return ReadOnlyRegistry(branch_at(name)); }
    /// The registry in which this one stands (the first of them), none for a root.
    std::optional<ReadOnlyRegistry> parent() const;

    /// Are both the same tree?
    friend bool operator==(const ReadOnlyRegistry& a, const ReadOnlyRegistry& b) { return a.branch_ == b.branch_; }

protected:
    using Leaves = std::vector<std::pair<std::string, std::shared_ptr<detail::Leaf>>>;

    explicit ReadOnlyRegistry(std::shared_ptr<detail::Branch> branch) : branch_(std::move(branch)) {}

    std::string full_name(std::string_view name) const { return detail::full_name(branch_, name); }
    /// The full name only where a message needs it.
    struct Namer {
        const std::shared_ptr<detail::Branch>& branch;
        std::string_view name;
        std::string operator()() const { return detail::full_name(branch, name); }
    };
    Namer namer(std::string_view name) const { return {branch_, name}; }
    std::shared_ptr<detail::Item> item_at(std::string_view name) const;
    std::shared_ptr<detail::Leaf> leaf_at(std::string_view name) const;
    std::shared_ptr<detail::Branch> branch_at(std::string_view name) const;
    std::shared_ptr<detail::Branch> parent_branch() const;
    Leaves leaves(std::string_view pattern) const;
    template <class T>
    std::optional<detail::stored<T>> at_most_one(std::string_view pattern) const {
        const Leaves found = leaves(pattern);
        if (found.size() > 1)
            throw RegistryError(std::string(pattern), "one value",
                                sentence(found.size(), ", '", found[0].first, "' and '", found[1].first,
                                         found.size() > 2 ? "' among them" : "'"));
        if (found.empty()) return std::nullopt;
        return detail::read<detail::stored<T>>(*found[0].second, namer(found[0].first));
    }

    std::shared_ptr<detail::Branch> branch_;
};

namespace detail {

void dump(Branch& branch, const std::string& indent, std::string& text);

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/read_only.ipp>
#endif
