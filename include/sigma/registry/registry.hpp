// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The registry: a tree of named values. Include it yourself. For that of a trainer, include
/// `<sigma/trainer/registry.hpp>`.

#include <sigma/registry/tree.hpp>
#include <sigma/registry/value.hpp>

namespace sigma::detail {

std::string describe(Item& item);

/// Throws ArgumentError unless the text is a name: parts between dots, without the characters of patterns.
void check_name(std::string_view name);

/// The parts of "network.layers.1-dense": "network.layers" before the last dot, and "1-dense" after it.
struct NameEnd {
    std::string_view before, last;
    explicit NameEnd(std::string_view name);
};

/// Returns the registry under `name`, and adds it and those above it if missing. Throws RegistryError if one of them is
/// a value.
std::shared_ptr<Branch> grow(std::shared_ptr<Branch> at, std::string_view name);

/// Adds make() under a name. Returns null if the name is taken.
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

/// Collects the callbacks that watch the values in `item` from `owner` upwards. `item` is or was under `rungs.front()`.
void calls_below(Branch& owner, std::vector<Rung>& rungs, std::vector<Call>& calls);
void calls_below(Branch& owner, const Child& child, std::vector<Call>& calls);

void leave(const std::shared_ptr<Branch>& owner, const Child& child);

/// Closes what has lost its name: its cells notify nobody any more, and its functions are no longer called.
void put_down(const std::shared_ptr<Branch>& owner, const Child& child, std::vector<Call>& calls);

/// Removes a name with everything below it. Mounted registries keep their content. Collects the callbacks to call.
bool take_out(const std::shared_ptr<Branch>& owner, std::string_view name, std::vector<Call>& calls);

/// Replaces the item of a name by make(), in one step, or adds it at the end. allow(child) may throw to prevent that.
/// done() is called when the tree has changed, before the callbacks.
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

/// A lock for mounting, so that two mounts cannot make a cycle together.
inline std::mutex mounting;

bool holds(Branch& branch, const Branch* wanted);

}  // namespace sigma::detail

namespace sigma {

class Registry;

namespace detail {

/// A value of any type in a registry.
///
/// @see ReadOnlyRegistry::value, ReadOnlyRegistry::visit
class RegistryValue {
public:
    /// @cond internal
    explicit RegistryValue(std::shared_ptr<const detail::Leaf> leaf) : leaf_(std::move(leaf)) {}
    /// @endcond

    /// Returns the name of the type: "double", "int", "uint64", "string", "vector of float", "array of float", …
    /// @return the name
    std::string type_name() const { return leaf_->type_text(); }
    /// Returns the value as text: numbers and texts in full, arrays with their shape and first elements.
    /// @return the text
    std::string text() const { return leaf_->text(); }
    /// Returns whether the value cannot be set.
    /// @return true if so
    bool read_only() const { return !leaf_->writable(); }
    /// Returns the value as a T.
    /// @tparam T  type of the value, or a floating-point type that holds the number exactly
    /// @return nothing if the value has another type
    template <class T>
    std::optional<detail::stored<T>> as() const {
        try {
            return detail::read<detail::stored<T>>(*leaf_, [] { return std::string(); });
        } catch (const RegistryError&) { return std::nullopt; }
    }
    /// Returns the number, rounded to double.
    /// @return nothing if the value is not a number
    std::optional<double> number() const;

private:
    std::shared_ptr<const detail::Leaf> leaf_;
};

}  // namespace detail

/// A tree of named values that can only be read, such as "optimizer.learning_rate".
///
/// It is a handle: copies refer to the same tree and keep it alive. Any thread may call any function at any time. A
/// function waits at most for the copy of a pointer, or for the getter of a linked value.
///
/// @par Example
/// @code
/// Registry registry;
/// registry.set("optimizer.learning_rate", 0.01);
/// const ReadOnlyRegistry view = registry;
/// const double rate = view.get<double>("optimizer.learning_rate");
/// @endcode
///
/// @see Registry
class ReadOnlyRegistry {
public:
    /// Returns a value.
    /// @tparam T    type of the value. `float` and `double` also read numbers that they hold exactly.
    /// @param name  full name of the value
    /// @return the value
    /// @throws RegistryError  if there is no value of this name, or it has another type
    template <class T>
    detail::stored<T> get(std::string_view name) const {
        const auto leaf = leaf_at(name);
        auto value = detail::read<detail::stored<T>>(*leaf, namer(name));
        if (!value) detail::refuse_missing(full_name(name));
        return std::move(*value);
    }
    /// Returns a value, if it exists.
    /// @tparam T    type of the value. `float` and `double` also read numbers that they hold exactly.
    /// @param name  full name of the value
    /// @return nothing if there is no such name
    /// @throws RegistryError  if the value has another type, or the name is that of a registry
    template <class T>
    std::optional<detail::stored<T>> find(std::string_view name) const {
        const auto item = detail::find_item(branch_, name);
        if (!item) return std::nullopt;
        if (!item->leaf()) detail::refuse_missing(full_name(name), item.get());
        return detail::read<detail::stored<T>>(*item->leaf(), namer(name));
    }
    /// Returns a value without copying it. It does not change when a new value is set.
    /// @tparam T    exact type of the value
    /// @param name  full name of the value
    /// @return the value
    /// @throws RegistryError  if there is no value of this name, or it has another type
    template <class T>
    std::shared_ptr<const detail::stored<T>> share(std::string_view name) const {
        using V = detail::stored<T>;
        const auto leaf = leaf_at(name);
        if (leaf->type() != typeid(V)) detail::refuse_type<V>(full_name(name), *leaf);
        auto value = static_cast<const detail::LeafOf<V>&>(*leaf).share();
        if (!value) detail::refuse_missing(full_name(name));
        return value;
    }
    /// Returns a value of any type.
    /// @param name  full name of the value
    /// @return the value
    /// @throws RegistryError  if there is no value of this name
    detail::RegistryValue value(std::string_view name) const { return detail::RegistryValue(leaf_at(name)); }

    /// Returns whether there is a value or a registry of this name.
    /// @param name  full name
    /// @return true if there is one
    bool contains(std::string_view name) const { return detail::find_item(branch_, name) != nullptr; }
    /// Returns the names of this level, values and registries, in order of insertion. `resolve("**")` returns all names
    /// of values.
    /// @return the names
    std::vector<std::string> names() const;
    /// Returns the name of a value's type, such as "double" or "array of float".
    /// @param name  full name of the value
    /// @return the name
    /// @throws RegistryError  if there is no value of this name
    std::string type_name(std::string_view name) const { return leaf_at(name)->type_text(); }
    /// Returns a value as text.
    /// @param name  full name of the value
    /// @return the text
    /// @throws RegistryError  if there is no value of this name
    std::string to_text(std::string_view name) const { return leaf_at(name)->text(); }
    /// Returns the tags of a value or a registry, in the order in which they were added.
    /// @param name  full name (default: this registry)
    /// @return the tags
    /// @throws RegistryError  if there is no such name
    std::vector<std::string> tags(std::string_view name = "") const { return *item_at(name)->tags.load(); }

    /// Calls a function for each value, in order: `visit(full_name, value)`.
    /// @param visit  function of a `std::string_view` and a value of any type
    template <class Visit>
    void visit(Visit visit) const {
        detail::walk(*branch_, "", [&](const std::string& name, const std::shared_ptr<detail::Item>& item) {
            if (auto leaf = detail::as_leaf(item))
                visit(std::string_view(name), detail::RegistryValue(std::move(leaf)));
        });
    }
    /// Returns the tree as text, one name a line, with tags, types and values.
    /// @return the text
    std::string text() const;

    /// Returns the names of the values that match a pattern, in order.
    ///
    /// `*` stands for any characters of a part, `<a,b>` requires both tags, and `**` stands for any number of parts.
    /// @param pattern  such as "network.layers.*<dense>.weights"
    /// @return the names
    /// @throws ArgumentError  if the pattern is malformed
    std::vector<std::string> resolve(std::string_view pattern) const;
    /// Returns the names of the registries that match a pattern, in order.
    /// @param pattern  as for `resolve`
    /// @return the names
    /// @throws ArgumentError  if the pattern is malformed
    std::vector<std::string> resolve_registries(std::string_view pattern) const;

    /// Returns the names and values that match a pattern, in order.
    /// @tparam T       type of the values, as for `get`
    /// @param pattern  as for `resolve`
    /// @return pairs of a full name and a value
    /// @throws RegistryError  if a value has another type
    /// @throws ArgumentError  if the pattern is malformed
    template <class T>
    std::vector<std::pair<std::string, detail::stored<T>>> get_all(std::string_view pattern) const {
        std::vector<std::pair<std::string, detail::stored<T>>> result;
        for (auto& [name, leaf] : leaves(pattern))
            if (auto value = detail::read<detail::stored<T>>(*leaf, namer(name)))
                result.emplace_back(std::move(name), std::move(*value));
        return result;
    }
    /// Returns the only value that matches a pattern.
    /// @tparam T       type of the value, as for `get`
    /// @param pattern  as for `resolve`
    /// @return the value
    /// @throws RegistryError  if no value or several values match, or the value has another type
    /// @throws ArgumentError  if the pattern is malformed
    template <class T>
    detail::stored<T> get_one(std::string_view pattern) const {
        auto value = at_most_one<T>(pattern);
        if (!value) throw RegistryError(std::string(pattern), "one value", "no match");
        return std::move(*value);
    }
    /// Returns the only value that matches a pattern, or a fallback if none does.
    /// @tparam T        type of the value, as for `get`
    /// @param pattern   as for `resolve`
    /// @param fallback  result if no value matches
    /// @return the value, or the fallback
    /// @throws RegistryError  if several values match, or the value has another type
    /// @throws ArgumentError  if the pattern is malformed
    template <class T>
    detail::stored<T> get_one_or(std::string_view pattern, detail::stored<T> fallback) const {
        auto value = at_most_one<T>(pattern);
        return value ? std::move(*value) : std::move(fallback);
    }

    /// Returns a separate tree with the present values and tags. Linked values become plain values.
    ///
    /// Each value is consistent in itself, but other threads may write between the copies of two values.
    /// @return the new tree
    Registry copy() const;

    /// Calls a function after a matching value was set, added or removed, as long as the result lives.
    ///
    /// The function is called on the thread that made the change, without any lock. It is not called for its own
    /// changes. The setting thread gets its exception, after all other functions were called.
    /// @param pattern   as for `resolve`
    /// @param callback  function of the full name, a `std::string_view`
    /// @return the watch, which ends when it is destroyed
    /// @throws ArgumentError  if the pattern is malformed
    ///
    /// @par Example
    /// @code
    /// Registry registry;
    /// const Watch watch = registry.watch("shared.*", [](std::string_view name) { std::puts(std::string(name).c_str());
    /// });
    /// registry.set("shared.accuracy", 0.9);  // prints shared.accuracy
    /// @endcode
    template <class Callback>
    Watch watch(std::string_view pattern, Callback callback) const {
        return Watch(branch_, std::make_shared<detail::Watcher>(pattern, std::move(callback)));
    }

    /// Returns the registry of a name.
    /// @param name  full name of the registry
    /// @return the registry
    /// @throws RegistryError  if there is no registry of this name
    ReadOnlyRegistry child(std::string_view name) const { return ReadOnlyRegistry(branch_at(name)); }
    /// Returns the registry that contains this one, the first if there are several.
    /// @return nothing for a root
    std::optional<ReadOnlyRegistry> parent() const;

    /// Returns whether two handles refer to the same tree.
    /// @param left  one handle
    /// @param right  the other one
    friend bool operator==(const ReadOnlyRegistry& left, const ReadOnlyRegistry& right) {
        return left.branch_ == right.branch_;
    }

protected:
    using Leaves = std::vector<std::pair<std::string, std::shared_ptr<detail::Leaf>>>;

    explicit ReadOnlyRegistry(std::shared_ptr<detail::Branch> branch) : branch_(std::move(branch)) {}

    std::string full_name(std::string_view name) const { return detail::full_name(branch_, name); }
    /// Makes the full name only if a message needs it.
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

/// The choice of whether `set_all` adds values that are missing.
///
/// @see Registry::set_all
enum class AddMissing {
    no,  ///< sets existing values only
    yes  ///< adds the last part of the pattern to each registry that the parts before it match
};

namespace detail {
/// A copyable type that is no registry. Registries have functions of their own.
template <class T>
concept RegistryItem = std::is_copy_constructible_v<stored<T>> && !std::is_base_of_v<ReadOnlyRegistry, std::decay_t<T>>;
}  // namespace detail

/// A tree of named values of any copyable type.
///
/// It is a handle: copies refer to the same tree, `copy()` makes another. Numbers and truth values are atomic, all
/// other values are replaced as a whole. Any thread may call any function at any time.
///
/// @par Example
/// @code
/// Registry registry;
/// registry.set("optimizer.learning_rate", 0.01).set("layers.1-dense.weights", std::vector<float>(100));
/// registry.tag("layers.1-dense", {"dense"});
/// registry.set_all("optimizer.learning_*", 0.001);
/// const double rate = registry.get<double>("optimizer.learning_rate");  // 0.001
/// @endcode
///
/// @see ReadOnlyRegistry, Cell, Watch
class Registry : public ReadOnlyRegistry {
public:
    /// Constructs an empty registry.
    Registry() : ReadOnlyRegistry(std::make_shared<detail::Branch>()) {}

    /// Sets a value, or adds it together with the registries above it.
    ///
    /// A value keeps its type. Whole numbers are converted to `float` or `double` if these hold them exactly.
    /// @param name   full name of the value
    /// @param value  the new value
    /// @return this registry
    /// @throws RegistryError  if the present value has another type or is read only, or the name is that of a registry
    /// @throws ArgumentError  if a part of the name is empty or contains '*', '<', '>' or ',', or if the name has too
    ///                        many parts
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
    /// Adds a value.
    /// @param name   full name of the value
    /// @param value  the value
    /// @return this registry
    /// @throws RegistryError  if the name is taken
    /// @throws ArgumentError  if a part of the name is empty or contains '*', '<', '>' or ',', or if the name has too
    ///                        many parts
    template <detail::RegistryItem T>
    Registry& add(std::string_view name, T&& value) {
        using V = detail::stored<T>;
        return must_add(
            name, [&](auto owner, auto last) { return detail::make_leaf<V>(owner, last, V(std::forward<T>(value))); });
    }
    /// Sets a value of any type, whatever has the name now.
    /// @param name   full name of the value
    /// @param value  the new value
    /// @return this registry
    /// @throws ArgumentError  if a part of the name is empty or contains '*', '<', '>' or ',', or if the name has too
    ///                        many parts
    /// @throws RegistryError  if a part before the last is the name of a value
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

    /// Adds a registry under a name. Both handles see all changes.
    /// @param name   full name
    /// @param other  registry to add
    /// @return this registry
    /// @throws RegistryError  if the name is taken
    /// @throws ArgumentError  if the registry would contain itself; if a part of the name is empty or contains '*',
    ///                        '<', '>' or ',', or if the name has too many parts
    Registry& add(std::string_view name, const Registry& other) { return mount(name, other, Taken::refused); }
    /// Adds a registry under a name, or replaces the registry that has the name.
    /// @param name   full name
    /// @param other  registry to add
    /// @return this registry
    /// @throws RegistryError  if a value has the name
    /// @throws ArgumentError  if the registry would contain itself; if a part of the name is empty or contains '*',
    ///                        '<', '>' or ',', or if the name has too many parts
    Registry& set(std::string_view name, const Registry& other) { return mount(name, other, Taken::by_registry); }
    /// Adds a registry under a name, whatever has the name now.
    /// @param name   full name
    /// @param other  registry to add
    /// @return this registry
    /// @throws ArgumentError  if the registry would contain itself; if a part of the name is empty or contains '*',
    ///                        '<', '>' or ',', or if the name has too many parts
    Registry& replace(std::string_view name, const Registry& other) { return mount(name, other, Taken::by_any); }

    /// Adds a value that a function computes each time it is read.
    ///
    /// The value is missing while the getter returns an empty `std::optional`. Several threads may call both functions
    /// at once. When `remove` or `clear` has returned, no other thread is in them.
    /// @tparam T      type of the value
    /// @param name    full name of the value
    /// @param getter  function that returns a T or an `std::optional<T>`
    /// @param setter  function of a T that sets the value (default: the value is read only)
    /// @return this registry
    /// @throws RegistryError  if the name is taken
    ///
    /// @par Example
    /// @code
    /// Registry registry;
    /// int done = 7;
    /// registry.link<int>("iteration", [&] { return done; });
    /// @endcode
    template <class T, class Getter, class Setter = detail::NoSetter>
    Registry& link(std::string_view name, Getter getter, Setter setter = {}) {
        using Leaf = detail::LinkLeaf<detail::stored<T>, Getter, Setter>;
        return must_add(name, [&](auto owner, auto last) {
            return std::make_shared<Leaf>(owner, last, std::move(getter), std::move(setter));
        });
    }
    /// Notifies watches that a linked value has changed.
    /// @param name  full name of the value
    /// @throws RegistryError  if there is no value of this name
    void announce(std::string_view name) { detail::announce(*leaf_at(name)); }

    /// Returns a cell for fast access to a number. Adds the number T{} if the name is missing.
    /// @tparam T    type of the number
    /// @param name  full name of the value
    /// @return the cell
    /// @throws RegistryError  if the value has another type or is linked
    template <class T>
    Cell<detail::stored<T>> cell(std::string_view name);

    /// Removes a value, or a registry with everything in it. Registries that were added to it keep their content.
    ///
    /// Waits for threads in the getters of removed links.
    /// @param name  full name
    /// @return false if there is no such name
    bool remove(std::string_view name);
    /// Removes all values and registries, as `remove` does.
    void clear();

    /// Adds tags to a value or a registry.
    /// @param name  full name
    /// @param tags  tags, such as {"dense", "fc"}
    /// @return this registry
    /// @throws RegistryError  if there is no such name
    /// @throws ArgumentError  if a pattern could not contain a tag
    Registry& tag(std::string_view name, const std::vector<std::string>& tags);
    /// Adds tags to this registry.
    /// @param tags  tags, such as {"trainer"}
    /// @return this registry
    /// @throws ArgumentError  if a pattern could not contain a tag
    Registry& tag(const std::vector<std::string>& tags) { return tag("", tags); }
    /// Removes a tag from a value or a registry.
    /// @param name  full name
    /// @param tag   tag to remove
    /// @return false if there was no such tag
    /// @throws RegistryError  if there is no such name
    bool untag(std::string_view name, std::string_view tag);

    /// Sets all values that match a pattern, or none if one of them cannot be set.
    ///
    /// With `AddMissing::yes`, the last part of the pattern must be a plain name. It is added to each registry that the
    /// parts before it match and that does not have it. A pattern without `*` and tags then does what `set` does.
    /// @param pattern  as for `resolve`
    /// @param value    the new value
    /// @param missing  whether missing values are added (default: no)
    /// @return the names of the values that were set, in order
    /// @throws RegistryError  if a value has another type or is read only
    /// @throws ArgumentError  if the pattern is malformed, or its last part is not a plain name
    template <detail::RegistryItem T>
    std::vector<std::string> set_all(std::string_view pattern, const T& value, AddMissing missing = AddMissing::no);

    /// Returns the registry of a name, and adds it if it is missing.
    /// @param name  full name of the registry
    /// @return the registry
    /// @throws RegistryError  if a value has the name
    /// @throws ArgumentError  if a part of the name is empty or contains '*', '<', '>' or ',', or if the name has too
    ///                        many parts
    Registry child(std::string_view name);
    /// Returns the registry that contains this one, the first if there are several.
    /// @return nothing for a root
    std::optional<Registry> parent() const;
    /// Returns the registry at the top of the tree.
    /// @return the registry
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
                            present ? detail::describe(*present) : "a name that was in use");
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
            if (!number) throw RegistryError(full_name(name), "a value that is stored", "a linked value");
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
        if (!detail::write(*leaf, fresh, namer(name))) continue;  // removed in the meantime
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
