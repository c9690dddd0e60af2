// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

namespace sigma::detail::cpp {

/// A part of the workspace, from the first statement that writes it to the last one that reads it.
struct Storage {
    long long size = 0, offset = 0;
    int first = -1, last = -1, loop = -1;
    int within = -1;     ///< The part with which it shares its place, or -1.
    bool lasts = false;  ///< True if it must survive from step to step.
};
struct Use {
    int storage;
    bool same_place;  ///< Read element by element with the result, which may share its place.
};
struct Statement {
    std::vector<std::string> lines{};
    std::vector<Use> reads{};
    int writes = -1, loop = -1, layer = -1;
};

/// Places all parts, the largest first. Parts that live at the same time do not overlap. Returns the number of
/// elements.
long long place(std::vector<Storage>& storages, const std::vector<Statement>& statements);
/// Returns the part that owns the place of a part.
int home(const std::vector<Storage>& storages, int storage);

}  // namespace sigma::detail::cpp
