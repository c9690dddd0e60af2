// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

namespace sigma::detail::cpp {

/// Part of the workspace, from the statement that writes it first to the last that reads it.
struct Storage {
    long long size = 0, offset = 0;
    int first = -1, last = -1, loop = -1;
    int within = -1;     ///< in whose place it is
    bool lasts = false;  ///< from step to step
};
struct Use {
    int storage;
    bool same_place;  ///< element by element with what is written: that may have its place
};
struct Statement {
    std::vector<std::string> lines{};
    std::vector<Use> reads{};
    int writes = -1, loop = -1, layer = -1;
};

/// Gives each part its place: what lives at the same time lies side by side, the greatest first. Returns how many
/// elements that makes.
long long place(std::vector<Storage>& storages, const std::vector<Statement>& statements);
/// The part in whose place one is.
int home(const std::vector<Storage>& storages, int storage);

}  // namespace sigma::detail::cpp
