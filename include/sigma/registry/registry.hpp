// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/cell.hpp>
#include <sigma/registry/change.hpp>
#include <sigma/registry/read_only.hpp>
#include <sigma/registry/specificity.hpp>

namespace sigma {

/// What set_all does in registries that the pattern reaches but for its last part, which is missing there.
enum class AddMissing { no, yes };

namespace detail {
/// Any copyable type but registries, which have functions of their own.
template <class T>
concept RegistryItem = std::is_copy_constructible_v<stored<T>> && !std::is_base_of_v<ReadOnlyRegistry, std::decay_t<T>>;
}  // namespace detail

/// A tree of named values of any copyable type. Numbers and truth values are atomics, other values are replaced as a
/// whole. A handle, like ReadOnlyRegistry: copies see, and change, the same tree; copy() is another tree. Safe from any
/// thread: see docs/registry.md for what waits for what.
class Registry : public ReadOnlyRegistry {
public:
    Registry() : ReadOnlyRegistry(std::make_shared<detail::Branch>()) {}

    /// Changes the value, or adds it with the registries on the way. A value keeps its type: RegistryError with both
    /// types where `value` has another, but whole numbers become the floats or doubles they equal; also where it is
    /// read only, or the name is that of a registry.
    template <detail::RegistryItem T>
    Registry& set(std::string_view name, T&& value) {
        using V = detail::stored<T>;
        V fresh(std::forward<T>(value));
        while (true) {
            const auto item = detail::find_item(branch_, name);
            if (item && !name.empty()) {
                set_leaf(detail::as_leaf(item), name, std::move(fresh));
                return *this;
            }
            if (try_add(name,
                        [&](auto owner, auto last) { return detail::make_leaf<V>(owner, last, std::move(fresh)); }))
                return *this;
        }
    }
    /// RegistryError where the name is taken.
    template <detail::RegistryItem T>
    Registry& add(std::string_view name, T&& value) {
        using V = detail::stored<T>;
        return must_add(
            name, [&](auto owner, auto last) { return detail::make_leaf<V>(owner, last, V(std::forward<T>(value))); });
    }
    /// Puts a value of any type in the place of whatever has the name.
    template <detail::RegistryItem T>
    Registry& replace(std::string_view name, T&& value) {
        using V = detail::stored<T>;
        detail::check_name(name);
        const detail::NameEnd end(name);
        const auto owner = detail::grow(branch_, end.before);
        const auto make = [&] { return detail::make_leaf<V>(owner, end.last, V(std::forward<T>(value))); };
        detail::exchange(owner, end.last, false, make, [](const detail::Child&) {}, [] {});
        return *this;
    }

    /// Gives a registry a name in this one, too: both see its changes. RegistryError where the name is taken,
    /// ArgumentError where it would contain itself.
    Registry& add(std::string_view name, const Registry& other) { return mount(name, other, Taken::refused); }
    /// The same, in the place of a registry that had the name; RegistryError where a value has it.
    Registry& set(std::string_view name, const Registry& other) { return mount(name, other, Taken::by_registry); }
    Registry& replace(std::string_view name, const Registry& other) { return mount(name, other, Taken::by_any); }

    /// A value that getter() computes whenever it is read, and setter(value), if given, sets. While the getter gives an
    /// empty std::optional, the value is missing. Both may be called by
    /// several threads at once; when remove() or clear() returns, no other thread is in them. RegistryError where the
    /// name is taken.
    template <class T, class Getter, class Setter = detail::NoSetter>
    Registry& link(std::string_view name, Getter getter, Setter setter = {}) {
        using Leaf = detail::LinkLeaf<detail::stored<T>, Getter, Setter>;
        return must_add(name, [&](auto owner, auto last) {
            return std::make_shared<Leaf>(owner, last, std::move(getter), std::move(setter));
        });
    }
    /// Tells those who watch a linked value that it has changed.
    void announce(std::string_view name) { detail::announce(*leaf_at(name)); }

    /// Publishes a number from a hot path. Adds T{} where the name is missing; RegistryError where the value has
    /// another type or is linked.
    template <class T>
    Cell<detail::stored<T>> cell(std::string_view name);

    /// Removes a value, or a registry with all that is in it (but registries that were added to it stay as they are).
    /// False where there is none. Waits for readers in getters of removed links.
    bool remove(std::string_view name);
    /// Removes everything, as remove does.
    void clear();

    /// Adds tags to a value or a registry; ArgumentError for a tag that no pattern could ask for.
    Registry& tag(std::string_view name, const std::vector<std::string>& tags);
    /// Adds tags to this registry.
    Registry& tag(const std::vector<std::string>& tags) { return tag("", tags); }
    /// False where it did not have the tag.
    bool untag(std::string_view name, std::string_view tag);

    /// Sets all values that the pattern matches, or none where one of them cannot be set so (see set); the names, in
    /// order. With AddMissing::yes, adds the pattern's last part, a plain name, to each registry that the parts before
    /// reach and that lacks it; a pattern of plain names only is then what set does.
    template <detail::RegistryItem T>
    std::vector<std::string> set_all(std::string_view pattern, const T& value, AddMissing missing = AddMissing::no);

    /// The registry under a name, added where missing. RegistryError where a value has it.
    Registry child(std::string_view name);
    std::optional<Registry> parent() const;
    /// The registry above all, this one where nothing is.
    Registry root() const;

private:
    enum class Taken { refused, by_registry, by_any };

    explicit Registry(std::shared_ptr<detail::Branch> branch) : ReadOnlyRegistry(std::move(branch)) {}

    template <class Make>
    bool try_add(std::string_view name, Make make) {
        detail::check_name(name);
        const detail::NameEnd end(name);
        const auto owner = detail::grow(branch_, end.before);
        const auto leaf = detail::add_leaf(owner, end.last, [&] { return make(owner, end.last); });
        if (leaf) detail::announce(*leaf);
        return leaf != nullptr;
    }
    template <class Make>
    Registry& must_add(std::string_view name, Make make) {
        if (try_add(name, std::move(make))) return *this;
        const auto present = detail::find_item(branch_, name);
        throw RegistryError(full_name(name), "a new name",
                            present ? detail::describe(*present) : "one that was in use");
    }
    template <class V>
    void set_leaf(const std::shared_ptr<detail::Leaf>& leaf, std::string_view name, V value) {
        if (!leaf)
            throw RegistryError(full_name(name), sentence("a value of type ", sigma::detail::type_name<V>()),
                                "a registry");
        if (!detail::write(*leaf, std::move(value), namer(name))) detail::refuse_missing(full_name(name));
        detail::announce(*leaf);
    }
    Registry& mount(std::string_view name, const Registry& other, Taken taken);

    friend Registry ReadOnlyRegistry::copy() const;
};

template <class T>
Cell<detail::stored<T>> Registry::cell(std::string_view name) {
    using V = detail::stored<T>;
    using Number = detail::NumberLeaf<V>;
    while (true) {
        if (contains(name)) {
            const auto leaf = leaf_at(name);
            if (leaf->type() != typeid(V)) detail::refuse_type<V>(full_name(name), *leaf);
            auto* const number = dynamic_cast<Number*>(leaf.get());
            if (!number) throw RegistryError(full_name(name), "a value that is stored", "one that is linked");
            return Cell<V>(std::shared_ptr<Number>(leaf, number));
        }
        try_add(name, [](auto owner, auto last) { return detail::make_leaf<V>(owner, last, V{}); });
    }
}

template <detail::RegistryItem T>
std::vector<std::string> Registry::set_all(std::string_view pattern, const T& value, AddMissing missing) {
    using V = detail::stored<T>;
    const V fresh(value);
    const detail::Pattern parsed(pattern);
    if (missing == AddMissing::yes && !parsed.parts().back().plain())
        throw ArgumentError(sentence("pattern '", pattern, "'"), "a last part without '*' and tags, to add it",
                            sentence("'", parsed.parts().back().text, "'"));

    Leaves found = leaves(pattern);
    for (const auto& [name, leaf] : found) detail::write(*leaf, fresh, namer(name), false);
    std::vector<std::string> names;
    for (const auto& [name, leaf] : found) {
        if (!detail::write(*leaf, fresh, namer(name))) continue;  // removed meanwhile
        names.push_back(name);
        detail::announce(*leaf);
    }
    if (missing == AddMissing::no) return names;

    const std::string& last = parsed.parts().back().text;
    const std::string_view before =
        pattern.substr(0, pattern.size() > last.size() ? pattern.size() - last.size() - 1 : 0);
    bool all_plain = true;
    for (const auto& part : parsed.parts()) all_plain = all_plain && part.plain();
    std::vector<std::string> places;
    if (all_plain || before == "**") places.emplace_back(all_plain ? before : "");
    if (!all_plain)
        for (auto& place : resolve_registries(before)) places.push_back(std::move(place));
    for (const std::string& place : places) {
        const std::string name = place.empty() ? last : sentence(place, ".", last);
        if (contains(name)) continue;
        set(name, fresh);
        names.push_back(name);
    }
    return names;
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/registry.ipp>
#endif
