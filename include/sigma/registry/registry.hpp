// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/registry/tree.hpp>
#include <sigma/registry/value.hpp>

namespace sigma::detail {

std::string describe(Item& item);

/// ArgumentError unless the text is parts between dots, without what patterns use.
void check_name(std::string_view name);

/// "network.layers" and "1-dense" of "network.layers.1-dense".
struct NameEnd {
    std::string_view before, last;
    explicit NameEnd(std::string_view name);
};

/// The registry under `name`, with all registries on the way; RegistryError where one of them is a value.
std::shared_ptr<Branch> grow(std::shared_ptr<Branch> at, std::string_view name);

/// Adds make() under a name that is free; null where it is taken.
template <class Make>
std::shared_ptr<Leaf> add_leaf(const std::shared_ptr<Branch>& owner, std::string_view name, Make make) {
    std::shared_ptr<Leaf> leaf;
    owner->children.update([&](Children& children) {
        if (find_child(children, name)) return false;
        leaf = make();
        children.push_back({std::string(name), leaf, false});
        return true;
    });
    return leaf;
}

/// Who watches, from `owner` upwards, the values in `item`, which stands or stood there under `rungs.front()`.
void calls_below(Branch& owner, std::vector<Rung>& rungs, std::vector<Call>& calls);
void calls_below(Branch& owner, const Child& child, std::vector<Call>& calls);

void leave(const std::shared_ptr<Branch>& owner, const Child& child);

/// For what has just lost its name: its cells tell nobody any more, its functions are not called any more.
void put_down(const std::shared_ptr<Branch>& owner, const Child& child, std::vector<Call>& calls);

/// Removes a name with all below it, but leaves mounted registries as they are. Adds who is to be told.
bool take_out(const std::shared_ptr<Branch>& owner, std::string_view name, std::vector<Call>& calls);

/// Puts make() in the place of what has the name, which is taken out in the same moment; at the end where nothing has
/// it. allow(child) may refuse by throwing; done() is called when the tree has changed, before anybody is told.
template <class Make, class Allow, class Done>
void exchange(const std::shared_ptr<Branch>& owner, std::string_view name, bool mounted, Make make, Allow allow,
              Done done) {
    Child old, fresh;
    owner->children.update([&](Children& children) {
        const Child* const child = find_child(children, name);
        if (child) allow(*child);
        fresh = Child{std::string(name), make(), mounted};
        if (child) {
            old = *child;
            children[static_cast<std::size_t>(child - children.data())] = fresh;
        } else {
            children.push_back(fresh);
        }
        return true;
    });
    done();
    watch_generation.fetch_add(1);
    std::vector<Call> calls, more;
    calls_below(*owner, fresh, calls);
    if (old.item) {
        calls_below(*owner, old, more);
        put_down(owner, old, more);
    }
    for (Call& call : more) {
        bool known = false;
        for (const Call& c : calls) known = known || (c.watcher == call.watcher && c.name == call.name);
        if (!known) calls.push_back(std::move(call));
    }
    make_calls(calls);
}

/// One at a time, so that no two mounts close a circle together.
inline std::mutex mounting;

bool holds(Branch& branch, const Branch* wanted);

}  // namespace sigma::detail

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
