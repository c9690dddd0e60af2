// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/conversion.hpp>

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

bool take_out(const std::shared_ptr<Branch>& owner, std::string_view name, std::vector<Call>& calls);

void clear_branch(const std::shared_ptr<Branch>& branch, std::vector<Call>& calls);

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

void copy_into(const std::shared_ptr<Branch>& to, const Branch& from);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/change.ipp>
#endif
