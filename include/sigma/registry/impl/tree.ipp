// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/tree.hpp>

#include <exception>

namespace sigma::detail {

SIGMA_IMPL std::vector<Call> calls_about(const std::shared_ptr<Branch>& owner, const std::string& name, Item* item) {
    std::vector<Call> calls;
    std::vector<Rung> rungs{{name, item}};
    collect_calls(*owner, rungs, calls);
    return calls;
}

SIGMA_IMPL bool has_tag(const Tags& tags, std::string_view tag) {
    for (const std::string& t : tags)
        if (t == tag) return true;
    return false;
}

SIGMA_IMPL Pattern::Positions Pattern::reach(Positions at) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i].deep && (at >> i & 1U)) at |= Positions{1} << (i + 1);
    return at;
}

SIGMA_IMPL void Pattern::refuse(std::string expected, std::string found) const {
    throw ArgumentError(sentence("pattern '", text_, "'"), std::move(expected), std::move(found));
}

SIGMA_IMPL void Pattern::read_tags(std::string_view list, PatternPart& part) const {
    while (true) {
        const std::size_t comma = list.find(',');
        std::string_view tag = list.substr(0, comma);
        while (!tag.empty() && tag.front() == ' ') tag.remove_prefix(1);
        while (!tag.empty() && tag.back() == ' ') tag.remove_suffix(1);
        if (tag.empty()) refuse("a tag before each ',' and '>'", "an empty tag");
        if (tag.find_first_of(".*") != tag.npos) refuse("tags without '.' and '*'", sentence("'", tag, "'"));
        part.tags.emplace_back(tag);
        if (comma == list.npos) return;
        list.remove_prefix(comma + 1);
    }
}

SIGMA_IMPL Pattern::Pattern(std::string_view text) : text_(text) {
    std::string_view rest = text_;
    while (true) {
        PatternPart part;
        const std::size_t end = rest.find_first_of(".<>");
        part.text = rest.substr(0, end);
        rest.remove_prefix(part.text.size());
        if (rest.starts_with('>')) refuse("a '<' before each '>'", sentence("'", part.text, ">'"));
        if (rest.starts_with('<')) {
            const std::size_t close = rest.find_first_of("<>", 1);
            if (close == rest.npos || rest[close] == '<') refuse("a '>' after each '<'", sentence("'", rest, "'"));
            if (part.text == "**") refuse("tags after a name or '*'", "tags after '**', which stands for many parts");
            if (part.text.empty()) part.text = "*";
            read_tags(rest.substr(1, close - 1), part);
            rest.remove_prefix(close + 1);
            if (!rest.empty() && rest.front() != '.') refuse("a '.' or the end after '>'", sentence("'", rest, "'"));
        }
        if (part.text.empty())
            refuse("a name, '*' or tags in each part", sentence("nothing in part ", parts_.size() + 1));
        part.deep = part.text == "**";
        if (!part.deep || parts_.empty() || !parts_.back().deep) parts_.push_back(std::move(part));
        if (parts_.size() > most_parts)
            refuse(sentence("at most ", most_parts, " parts"), sentence(most_parts + 1, " or more"));
        if (rest.empty()) return;
        rest.remove_prefix(1);
    }
}

SIGMA_IMPL Gate::Pass::Pass(Gate& gate) : gate_(gate), frame_{&gate, innermost_} {
    innermost_ = &frame_;
    gate_.running_.fetch_add(1);  // before reading open_: the closing thread uses the reverse order
    open_ = gate_.open_.load();
}

SIGMA_IMPL Gate::Pass::~Pass() {
    innermost_ = frame_.outer;
    gate_.running_.fetch_sub(1);
    gate_.running_.notify_all();
}

SIGMA_IMPL int Gate::calls_here() const {
    int count = 0;
    for (const Frame* f = innermost_; f; f = f->outer) count += f->gate == this;
    return count;
}

SIGMA_IMPL void Gate::close() {
    open_.store(false);
    const int own = calls_here();
    for (int running = running_.load(); running > own; running = running_.load()) running_.wait(running);
}

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

SIGMA_IMPL void collect_calls(Branch& branch, std::vector<Rung>& rungs, std::vector<Call>& calls) {
    const auto watchers = branch.watchers.load();
    for (const auto& watcher : *watchers) {
        auto at = watcher->pattern.start();
        std::string name;
        for (auto rung = rungs.rbegin(); rung != rungs.rend() && at != 0; ++rung) {
            at = watcher->pattern.step(at, rung->name, [&] { return rung->item->tags.load(); });
            name += (name.empty() ? "" : ".") + rung->name;
        }
        if (watcher->pattern.accepts(at)) calls.push_back({watcher, std::move(name)});
    }
    const auto parents = branch.parents.load();
    for (const Parent& parent : *parents)
        if (const auto above = parent.branch.lock()) {
            rungs.push_back({parent.name, &branch});
            collect_calls(*above, rungs, calls);
            rungs.pop_back();
        }
}

SIGMA_IMPL void make_calls(const std::vector<Call>& calls) {
    std::exception_ptr first;
    for (const Call& call : calls) {
        if (call.watcher->gate.calls_here() > 0) continue;  // a change that the callback made itself
        const Gate::Pass pass(call.watcher->gate);
        if (!pass) continue;
        try {
            call.watcher->call(call.name);
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

SIGMA_IMPL void announce(Leaf& leaf) {
    const auto generation = watch_generation.load(std::memory_order_acquire);
    if (leaf.unwatched.load(std::memory_order_relaxed) == generation) return;
    const auto owner = leaf.owner.lock();
    if (!owner || !leaf.attached.load(std::memory_order_acquire)) return;
    const auto calls = calls_about(owner, leaf.name, &leaf);
    if (calls.empty()) leaf.unwatched.store(generation, std::memory_order_relaxed);
    make_calls(calls);
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL RegistryError::RegistryError(std::string name_, std::string expected_, std::string found_)
    : MismatchError(sentence("registry '", name_, "'"), std::move(expected_), std::move(found_)),
      name(std::move(name_)) {}

SIGMA_IMPL Watch::Watch(const std::shared_ptr<detail::Branch>& branch, std::shared_ptr<detail::Watcher> watcher)
    : branch_(branch), watcher_(std::move(watcher)) {
    branch->watchers.update([&](auto& all) {
        all.push_back(watcher_);
        return true;
    });
    detail::watch_generation.fetch_add(1);
}

SIGMA_IMPL Watch& Watch::operator=(Watch&& other) noexcept {
    if (this != &other) {
        stop();
        branch_ = std::move(other.branch_);
        watcher_ = std::move(other.watcher_);
    }
    return *this;
}

SIGMA_IMPL void Watch::stop() {
    const auto watcher = std::exchange(watcher_, nullptr);
    if (!watcher) return;
    if (const auto branch = branch_.lock())
        branch->watchers.update([&](auto& all) { return std::erase(all, watcher) > 0; });
    watcher->gate.close();
}

}  // namespace sigma
