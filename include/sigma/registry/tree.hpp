// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Names, patterns and watches of registries. Included by `<sigma/registry/registry.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// The error of a name that is missing or taken, or of a value that has another type.
///
/// An example of the text is "registry 'optimizer.learning_rate': expected a value of type double, found int".
///
/// @see Registry
struct RegistryError : MismatchError {
    std::string name;  ///< the full name, or the pattern

    /// Constructs the error.
    /// @param name_      the full name, or the pattern
    /// @param expected_  what was required
    /// @param found_     what was found
    RegistryError(std::string name_, std::string expected_, std::string found_);
};

}  // namespace sigma

namespace sigma::detail {

/// The properties of a pattern's part that decide which of two patterns is more specific.
struct PartWeight {
    bool deep = false;  // the part is "**"
    int letters = 0;    // characters other than '*', outside of tags
    bool star = false;
    int tags = 0;

    constexpr explicit PartWeight(std::string_view part) {
        const std::size_t open = part.find('<');
        const std::string_view name = part.substr(0, open);
        deep = name == "**";
        for (char c : name) c == '*' ? void(star = true) : void(++letters);
        if (open == part.npos) return;
        star = star || name.empty();  // "<fc>" is "*<fc>"
        tags = 1;
        for (char c : part.substr(open)) tags += c == ',';
    }
    constexpr int compare(const PartWeight& other) const {
        if (deep != other.deep) return deep ? -1 : 1;
        if (letters != other.letters) return letters - other.letters;
        if (star != other.star) return star ? -1 : 1;
        return tags - other.tags;
    }
};

constexpr int count_parts(std::string_view pattern) {
    int count = 0;
    while (true) {
        const std::size_t dot = pattern.find('.');
        count += pattern.substr(0, dot) != "**";
        if (dot == pattern.npos) return count;
        pattern.remove_prefix(dot + 1);
    }
}

/// Compares two patterns with tags: positive if `a` is more specific than `b`, negative if less, 0 if equally. More
/// parts are more specific (`**` does not count). Otherwise the first different part decides: by its letters, then by
/// having no `*`, then by its tags. Patterns without tags and `**` are ordered as compare_specificity orders them.
constexpr int compare_tagged_specificity(std::string_view a, std::string_view b) {
    if (const int parts = detail::count_parts(a) - detail::count_parts(b); parts != 0) return parts;
    while (true) {
        const std::size_t i = a.find('.'), j = b.find('.');
        const int order = detail::PartWeight(a.substr(0, i)).compare(detail::PartWeight(b.substr(0, j)));
        if (order != 0) return order;
        if (i == a.npos || j == b.npos) return (i == a.npos) - (j == b.npos);  // only "**" is left
        a.remove_prefix(i + 1);
        b.remove_prefix(j + 1);
    }
}

using Tags = std::vector<std::string>;

bool has_tag(const Tags& tags, std::string_view tag);

/// A part of a pattern: "d*<fc,dense>". `deep` is true for "**", which stands for any number of parts.
struct PatternPart {
    std::string text;
    Tags tags;
    bool deep = false;

    bool plain() const { return tags.empty() && text.find('*') == text.npos; }
};

/// A pattern of names. Matching walks along the parts of names with a set of matched positions, one bit each, so that a
/// name is visited once, however many `**` could match it.
class Pattern {
public:
    static constexpr std::size_t most_parts = 62;
    using Positions = std::uint64_t;

    /// Parses a pattern. Throws ArgumentError if it is malformed.
    explicit Pattern(std::string_view text);

    const std::string& text() const& { return text_; }
    std::string text() && { return std::move(text_); }
    const std::vector<PatternPart>& parts() const& { return parts_; }
    std::vector<PatternPart> parts() && { return std::move(parts_); }

    Positions start() const { return reach(1); }
    bool accepts(Positions at) const { return at >> parts_.size() & 1U; }

    /// Returns the matched positions after one more part of a name. Calls `tags` only if the pattern has tags.
    template <class TagsOf>
    Positions step(Positions at, std::string_view name, TagsOf tags) const {
        Positions next = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (!(at >> i & 1U)) continue;
            if (parts_[i].deep) {
                next |= Positions{1} << i;
            } else if (matches(parts_[i].text, name) && carries(parts_[i].tags, tags)) {
                next |= Positions{1} << (i + 1);
            }
        }
        return reach(next);
    }

private:
    template <class TagsOf>
    static bool carries(const Tags& wanted, TagsOf tags) {
        if (wanted.empty()) return true;
        const auto present = tags();
        for (const std::string& tag : wanted)
            if (!has_tag(*present, tag)) return false;
        return true;
    }
    /// Adds the positions behind `**`, which may also stand for no part.
    Positions reach(Positions at) const;

    void read_tags(std::string_view list, PatternPart& part) const;
    [[noreturn]] void refuse(std::string expected, std::string found) const;

    std::string text_;
    std::vector<PatternPart> parts_;
};

/// A value that is replaced as a whole. Readers keep what they have loaded. Readers and writers wait at most for the
/// copy of a pointer. Only writers that change the value, instead of replacing it, wait for each other. A mutex
/// protects the pointer, not std::atomic<std::shared_ptr>: that of libstdc++ 12 is not lock-free either, and TSan does
/// not support it.
template <class T>
class Published {
public:
    Published() : value_(std::make_shared<const T>()) {}
    explicit Published(std::shared_ptr<const T> value) : value_(std::move(value)) {}

    std::shared_ptr<const T> load() const {
        const std::lock_guard lock(pointer_);
        return value_;
    }
    void store(std::shared_ptr<const T> value) {
        const std::lock_guard lock(pointer_);
        value_.swap(value);
    }  // releases the lock before `value`, the old one, is destroyed

    /// Replaces the value by a changed copy if `change` returns true.
    template <class Change>
    bool update(Change change) {
        const std::lock_guard lock(changing_);
        auto fresh = std::make_shared<T>(*load());
        if (!change(*fresh)) return false;
        store(std::move(fresh));
        return true;
    }

private:
    mutable std::mutex pointer_;
    std::mutex changing_;
    std::shared_ptr<const T> value_;
};

/// A gate for calls of a user's function. Closing it waits for the calls of other threads, so that what the function
/// refers to may be destroyed afterwards.
class Gate {
    struct Frame {
        const Gate* gate;
        const Frame* outer;
    };
    inline static thread_local const Frame* innermost_ = nullptr;

public:
    class Pass {
    public:
        explicit Pass(Gate& gate);
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;
        ~Pass();
        explicit operator bool() const { return open_; }

    private:
        Gate& gate_;
        Frame frame_;
        bool open_;
    };

    /// Returns the number of calls that this thread is in.
    int calls_here() const;

    void close();

private:
    std::atomic<bool> open_{true};
    std::atomic<int> running_{0};
};

struct Branch;
struct Leaf;

/// An item with a name: a value (Leaf) or a registry (Branch).
struct Item {
    Published<Tags> tags;

    Item() = default;
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;
    virtual ~Item() = default;
    virtual Branch* branch() { return nullptr; }
    virtual Leaf* leaf() { return nullptr; }
};

/// A name and its item. A `mounted` registry belongs to another owner: removing its name does not change it.
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

/// A counter that changes when a name may become watched: a watch begins, a registry is mounted, or a tag is added.
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

/// A number without its type. Characters are no numbers.
struct AnyNumber {
    enum Kind { none, gone, truth, negative, natural, single, real } kind = none;  // gone: removed in the meantime
    std::int64_t below = 0;                                                        // negative
    std::uint64_t whole = 0;                                                       // natural; truth as 0 or 1
    double value = 0;                                                              // all, rounded
};

/// A value.
struct Leaf : Item {
    const std::weak_ptr<Branch> owner;
    const std::string name;
    std::atomic<bool> attached{true};
    std::atomic<std::uint64_t> unwatched{0};  // the watch_generation in which no watch was found

    Leaf(std::weak_ptr<Branch> owner_, std::string_view name_) : owner(std::move(owner_)), name(name_) {}
    Leaf* leaf() override { return this; }

    virtual const std::type_info& type() const = 0;
    virtual std::string type_text() const = 0;
    virtual std::string_view type_spelling() const = 0;
    virtual std::string text() const = 0;
    virtual AnyNumber number() const = 0;
    virtual bool writable() const { return true; }
    /// Returns a plain value with the present number or object; null if it does not exist any more.
    virtual std::shared_ptr<Leaf> copy(std::weak_ptr<Branch> owner_) const = 0;
    /// Closes a value that has lost its name: waits for threads that read it through the user's functions.
    virtual void close() {}
};

std::shared_ptr<Leaf> as_leaf(std::shared_ptr<Item> item);
std::shared_ptr<Branch> as_branch(std::shared_ptr<Item> item);

/// The first part of a name, and the rest after its dot.
struct NameParts {
    std::string_view first, rest;
    explicit NameParts(std::string_view name);
};

/// Returns the item of a name; null if there is none. An empty name is the registry itself.
std::shared_ptr<Item> find_item(std::shared_ptr<Item> item, std::string_view name);

/// Returns the name from the root on. If a registry is mounted several times, its first place counts.
std::string full_name(const std::shared_ptr<Branch>& branch, std::string_view name);

/// Calls visit(name, item) for all items below, in order of insertion, a registry before its content.
template <class Visit>
void walk(Branch& branch, const std::string& prefix, const Visit& visit) {
    const auto children = branch.children.load();
    for (const Child& child : *children) {
        const std::string name = prefix.empty() ? child.name : sentence(prefix, ".", child.name);
        visit(name, child.item);
        if (Branch* const below = child.item->branch()) walk(*below, name, visit);
    }
}

/// Calls visit(name, item) for all items below that the pattern matches.
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

namespace sigma {

namespace detail {

/// A name on the way from a change up to a root.
struct Rung {
    std::string name;
    Item* item;
};

struct Call {
    std::shared_ptr<Watcher> watcher;
    std::string name;
};

void collect_calls(Branch& branch, std::vector<Rung>& rungs, std::vector<Call>& calls);

/// Makes all calls, even after one has thrown. Then throws the first exception.
void make_calls(const std::vector<Call>& calls);

/// Notifies the watches of a value that it has changed. Costs two atomic reads if there are none.
void announce(Leaf& leaf);

}  // namespace detail

/// A registered callback of a registry, which ends with this object.
///
/// When the destructor or `stop` has returned, no other thread is in the callback. A callback may end its own watch.
/// Two callbacks that end each other's watch at the same time wait forever.
///
/// @see ReadOnlyRegistry::watch
class [[nodiscard]] Watch {
public:
    /// Constructs an empty watch.
    Watch() = default;
    /// @cond internal
    Watch(const std::shared_ptr<detail::Branch>& branch, std::shared_ptr<detail::Watcher> watcher);
    /// @endcond

    /// Moves a watch. The other one is empty afterwards.
    Watch(Watch&& other) noexcept = default;
    /// Ends this watch and takes over another.
    Watch& operator=(Watch&& other) noexcept;
    /// Ends the watch.
    ~Watch() { stop(); }

    /// Ends the watch: the callback is not called any more.
    void stop();
    /// Returns whether the watch is active.
    explicit operator bool() const { return watcher_ != nullptr; }

private:
    std::weak_ptr<detail::Branch> branch_;
    std::shared_ptr<detail::Watcher> watcher_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/tree.ipp>
#endif
