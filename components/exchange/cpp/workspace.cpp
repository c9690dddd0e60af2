// SPDX-License-Identifier: BSL-1.0
#include "workspace.hpp"

#include <algorithm>
#include <cstddef>

namespace sigma::detail::cpp {

namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns the first statement of the loop over time around a statement. loop_end returns the last one.
int loop_begin(const std::vector<Statement>& all, int s) {
    while (s > 0 && all[at(s - 1)].loop == all[at(s)].loop) --s;
    return s;
}
int loop_end(const std::vector<Statement>& all, int s) {
    while (s + 1 < static_cast<int>(all.size()) && all[at(s + 1)].loop == all[at(s)].loop) ++s;
    return s;
}

void find_lives(std::vector<Storage>& storages, const std::vector<Statement>& all) {
    const auto touch = [&](int storage, int s) {
        Storage& x = storages[at(storage)];
        const int loop = all[at(s)].loop;
        if (x.first < 0) x.first = x.lasts && loop >= 0 ? loop_begin(all, s) : s, x.loop = loop;
        x.last = std::max(x.last, loop >= 0 && (x.lasts || x.loop != loop) ? loop_end(all, s) : s);
    };
    for (int s = 0; s < static_cast<int>(all.size()); ++s) {
        for (const Use& u : all[at(s)].reads) touch(u.storage, s);
        if (all[at(s)].writes >= 0) touch(all[at(s)].writes, s);
    }
}

/// Shares the place of an operand that a statement reads for the last time, element by element, with its result.
void share(std::vector<Storage>& storages, const Statement& x, int s) {
    if (x.writes < 0) return;
    Storage& to = storages[at(x.writes)];
    if (to.first != s || to.lasts) return;
    for (const Use& u : x.reads) {
        const int from = home(storages, u.storage);
        Storage& y = storages[at(from)];
        bool apart = u.storage == x.writes || y.lasts || y.last != s || y.loop != to.loop || y.size != to.size;
        for (const Use& other : x.reads) apart = apart || (home(storages, other.storage) == from && !other.same_place);
        if (apart) continue;
        to.within = from;
        y.last = to.last;
        return;
    }
}

}  // namespace

int home(const std::vector<Storage>& storages, int storage) {
    while (storages[at(storage)].within >= 0) storage = storages[at(storage)].within;
    return storage;
}

long long place(std::vector<Storage>& storages, const std::vector<Statement>& statements) {
    find_lives(storages, statements);
    for (int s = 0; s < static_cast<int>(statements.size()); ++s) share(storages, statements[at(s)], s);
    std::vector<Storage*> order, placed;  // the latter in the order of their places
    for (Storage& x : storages)
        if (x.within < 0 && x.first >= 0) order.push_back(&x);
    std::sort(order.begin(), order.end(),
              [](const Storage* a, const Storage* b) { return a->size != b->size ? a->size > b->size : a < b; });
    long long size = 0;
    for (Storage* const x : order) {
        for (const Storage* const y : placed) {
            if (y->last < x->first || x->last < y->first) continue;
            if (y->offset >= x->offset + x->size) break;
            x->offset = std::max(x->offset, y->offset + y->size);
        }
        const auto behind =
            std::find_if(placed.begin(), placed.end(), [&](const Storage* o) { return o->offset > x->offset; });
        placed.insert(behind, x);
        size = std::max(size, x->offset + x->size);
    }
    return size;
}

}  // namespace sigma::detail::cpp
